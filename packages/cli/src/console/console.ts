import { z } from 'zod';
import type { Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { printJson } from '../output/print.ts';

const link = z.object({ token: z.string(), expires_at: z.string() });

/** Prints a link that signs a browser in to the console, once. */
export async function openConsole(args: string[], context: Context): Promise<number> {
  const options = { url: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { values } = readOperands('console', args, [], options);
  const origin = context.consoleOrigin(values.url);
  const { token, expires_at: expiresAt } = link.parse(
    await context.openAdmin().request('POST', '/sign-in-links'),
  );
  const url = `${origin}/console/#sign-in=${token}`;
  if (values.json) printJson(context, { url, expires_at: expiresAt });
  else context.print(`${url}\n(signs you in once, within 10 minutes)`);
  return 0;
}
