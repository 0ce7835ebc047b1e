import { parseArgs } from 'node:util';
import type { AdminApi } from '../admin/api.ts';
import type { Command } from '../command.ts';
import { readArguments } from '../flags.ts';
import { UsageError } from '../usageError.ts';
import { followAll } from './followAll.ts';
import { followOne } from './followOne.ts';

/** How often the admin API is asked. */
const everyMs = 1000;

/** 0: it completed (or all were followed to the end of the command); 1: it ended in another way. */
export const executionsTail: Command = {
  name: 'executions tail',
  about: `follow an execution until it ends: status, progress, the provider's log. With --org follow every execution of
an organization from now on, until Ctrl-C. --json: a document for each change, a line each.`,
  usage: 'holdfast executions tail <execution> [--json]\nholdfast executions tail --org ORG [--json]',
  async run(args, context) {
    const { id, org, json } = read(args);
    const interrupt = new AbortController();
    const stop = () => interrupt.abort();
    for (const signal of signals) process.on(signal, stop);
    try {
      const admin: AdminApi = context.openAdmin();
      const args = { admin, context, json, everyMs, signal: interrupt.signal };
      return await (id === undefined ? followAll({ ...args, org: org ?? '' }) : followOne({ ...args, id }));
    } finally {
      for (const signal of signals) process.off(signal, stop);
    }
  },
};

const signals = ['SIGINT', 'SIGTERM'] as const;

function read(args: string[]) {
  const options = { org: { type: 'string' }, json: { type: 'boolean', default: false } } as const;
  const { positionals, values } = readArguments(() => parseArgs({ args, options, allowPositionals: true }));
  const [id, ...more] = positionals;
  if ((id === undefined) === (values.org === undefined) || more.length > 0)
    throw new UsageError('holdfast executions tail takes <execution>, or --org');
  return { id, ...values };
}
