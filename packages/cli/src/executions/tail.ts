import { parseArgs } from 'node:util';
import type { Context } from '../command.ts';
import { readArguments } from '../flags.ts';
import { interruptible } from '../interrupt.ts';
import { UsageError } from '../usageError.ts';
import { followAll } from './followAll.ts';
import { followOne } from './followOne.ts';

/** How often the admin API is asked. */
const everyMs = 1000;

/** 0: it completed (or all were followed to the end of the command); 1: it ended in another way. */
export async function executionsTail(args: string[], context: Context): Promise<number> {
  const { id, org, json } = read(args);
  return await interruptible(async (interrupt) => {
    const signal = AbortSignal.any([interrupt, context.unheard]);
    const following = { admin: context.openAdmin(signal), context, json, everyMs, signal };
    if (id === undefined) return await followAll({ ...following, org: org ?? '' });
    return await followOne({ ...following, id });
  });
}

function read(args: string[]) {
  const options = { org: { type: 'string' }, json: { type: 'boolean', default: false } } as const;
  const { positionals, values } = readArguments(() => parseArgs({ args, options, allowPositionals: true }));
  const [id, ...more] = positionals;
  if ((id === undefined) === (values.org === undefined) || more.length > 0)
    throw new UsageError('holdfast executions tail takes <execution>, or --org');
  return { id, ...values };
}
