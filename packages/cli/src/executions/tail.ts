import { parseArgs } from 'node:util';
import type { Command } from '../command.ts';
import { readArguments } from '../flags.ts';
import { interruptible } from '../interrupt.ts';
import { UsageError } from '../usageError.ts';
import { followAll } from './followAll.ts';
import { followOne } from './followOne.ts';

/** How often the admin API is asked. */
const everyMs = 1000;

/** 0: it completed (or all were followed to the end of the command); 1: it ended in another way. */
export const executionsTail: Command = {
  name: 'executions tail',
  about: `follow an execution until it ends: status, progress, the provider's log. With --org follow every execution of
an organization from now on, until Ctrl-C; of more than a hundred in a second some go by untold. --json: a document for each change, a line each.`,
  usage: 'holdfast executions tail <execution> [--json]\nholdfast executions tail --org ORG [--json]',
  async run(args, context) {
    const { id, org, json } = read(args);
    return await interruptible(async (interrupt) => {
      const signal = AbortSignal.any([interrupt, context.unheard]);
      const following = { admin: context.openAdmin(signal), context, json, everyMs, signal };
      if (id === undefined) return await followAll({ ...following, org: org ?? '' });
      return await followOne({ ...following, id });
    });
  },
};

function read(args: string[]) {
  const options = { org: { type: 'string' }, json: { type: 'boolean', default: false } } as const;
  const { positionals, values } = readArguments(() => parseArgs({ args, options, allowPositionals: true }));
  const [id, ...more] = positionals;
  if ((id === undefined) === (values.org === undefined) || more.length > 0)
    throw new UsageError('holdfast executions tail takes <execution>, or --org');
  return { id, ...values };
}
