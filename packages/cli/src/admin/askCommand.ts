import type { Context, Run } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayJson } from '../output/print.ts';
import type { AdminApi } from './api.ts';

type Operands<Names extends readonly string[]> = { [Index in keyof Names]: string };

/** A command that asks the admin API for one thing, and takes no flag but --json: with it the answer is said as it came. */
export function askCommand<const Names extends readonly string[]>({
  name,
  operands: names,
  ask,
  show,
}: {
  /** As the table of commands has it. */
  name: string;
  operands: Names;
  ask(admin: AdminApi, operands: Operands<Names>): Promise<unknown>;
  /** Says the answer to people. */
  show(answer: unknown, context: Context, operands: Operands<Names>): void;
}): Run {
  return async (args, context) => {
    const options = { json: { type: 'boolean' } } as const;
    const { operands, values } = readOperands(name, args, names, options);
    const answer = await ask(context.openAdmin(), operands);
    if (values.json) sayJson(context, answer);
    else show(answer, context, operands);
    return 0;
  };
}
