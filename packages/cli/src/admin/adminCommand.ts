import type { Context, RunCommand } from '../command.ts';
import { readOperands } from '../flags.ts';
import { printJson } from '../output/print.ts';
import type { AdminApi } from './api.ts';

type Operands<Names extends readonly string[]> = { [Index in keyof Names]: string };

/** A command that is one request to the admin API, with no flag but --json, which prints the response as it came. */
export function adminCommand<const Names extends readonly string[]>({
  name,
  operands: names,
  request,
  show,
}: {
  name: string;
  operands: Names;
  request(admin: AdminApi, operands: Operands<Names>): Promise<unknown>;
  show(body: unknown, context: Context, operands: Operands<Names>): void;
}): RunCommand {
  return async (args, context) => {
    const options = { json: { type: 'boolean' } } as const;
    const { operands, values } = readOperands(name, args, names, options);
    const body = await request(context.openAdmin(), operands);
    if (values.json) printJson(context, body);
    else show(body, context, operands);
    return 0;
  };
}
