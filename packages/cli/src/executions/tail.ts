import { readArguments, UsageError } from '@holdfast/kit/flags';
import type { Context } from '../command.ts';
import { interruptible } from '../terminal.ts';
import { followAll, followOne } from './following.ts';

const everyMs = 1000;

/** 0: it completed, or --org was interrupted; 1: it ended in another way. */
export async function executionsTail(args: string[], context: Context): Promise<number> {
  const { id, org, json } = read(args);
  return await interruptible(async (interrupt) => {
    const signal = AbortSignal.any([interrupt, context.outputClosed]);
    const following = { admin: context.openAdmin(signal), context, json, everyMs, signal };
    if (id === undefined) return await followAll({ ...following, org: org ?? '' });
    return await followOne({ ...following, id });
  });
}

function read(args: string[]) {
  const options = { org: { type: 'string' }, json: { type: 'boolean', default: false } } as const;
  const { positionals, values } = readArguments(args, options);
  const [id, ...more] = positionals;
  if ((id === undefined) === (values.org === undefined) || more.length > 0)
    throw new UsageError('holdfast executions tail takes <execution> or --org');
  return { id, ...values };
}
