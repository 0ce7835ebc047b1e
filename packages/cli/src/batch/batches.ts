import { batchStatuses, retryableItemStatuses } from '@holdfast/domain/batch';
import { UsageError } from '@holdfast/kit/flags';
import type { Batch, Holdfast } from '@holdfast/sdk';
import type { Context, RunCommand } from '../command.ts';
import { readLimit, readOperands } from '../flags.ts';
import { printJson, printTable } from '../output/print.ts';
import { shownAge } from '../output/times.ts';
import { apiFlags, countsText, printBatch, statusText, withClient } from './client.ts';

export async function batchList(args: string[], context: Context): Promise<number> {
  const options = { ...apiFlags, status: { type: 'string' }, limit: { type: 'string' } } as const;
  const { values } = readOperands('batch list', args, [], options);
  const { status, json } = values;
  if (status !== undefined && !batchStatuses.some((one) => one === status))
    throw new UsageError(`--status needs one of ${batchStatuses.join(', ')}`);
  const limit = readLimit(values.limit, 20);
  const found = await withClient(context, values, ({ batches }) =>
    batches.list({ ...(status && { status }), limit: Math.min(limit, 100) }).toArray(limit + 1),
  );
  const shown = found.slice(0, limit);
  if (json) printJson(context, { data: shown, has_more: found.length > limit });
  else printTable(context, shown, columns, { ID: ({ id }) => id });
  if (found.length > limit && !json) context.report(`There are more than these ${limit}: raise --limit.`);
  return 0;
}

const columns = {
  STATUS: statusText,
  ITEMS: ({ counts }: Batch) => countsText(counts),
  COST: ({ cost }: Batch) => cost,
  AGE: ({ created_at }: Batch) => shownAge(created_at),
};

const flags = { ...apiFlags, status: { type: 'string' }, 'max-cost': { type: 'string' } } as const;
type Given = { status?: string | undefined; 'max-cost'?: string | undefined };

/** A command that does one thing with one batch. `own`: the flag that it alone has. */
function command(
  name: string,
  act: (batches: Holdfast['batches'], id: string, given: Given) => PromiseLike<Batch>,
  own?: keyof Given,
): RunCommand {
  return async (args, context) => {
    const known = own === undefined ? apiFlags : { ...apiFlags, [own]: flags[own] };
    const { operands, values } = readOperands(`batch ${name}`, args, ['batch'], known as typeof flags);
    const batch = await withClient(context, values, async ({ batches }) => act(batches, operands[0], values));
    printBatch(context, batch, values.json);
    return 0;
  };
}

export const batchGet = command('get', (batches, id) => batches.get(id));
export const batchPause = command('pause', (batches, id) => batches.pause(id));
export const batchCancel = command('cancel', (batches, id) => batches.cancel(id));
export const batchResume = command(
  'resume',
  (batches, id, { 'max-cost': cost }) => batches.resume(id, cost === undefined ? {} : { max_cost: cost }),
  'max-cost',
);
export const batchRetry = command(
  'retry',
  (batches, id, { status }) => batches.retry(id, { status: statusesIn(status) }),
  'status',
);

/** @throws UsageError */
function statusesIn(text: string | undefined): (typeof retryableItemStatuses)[number][] {
  if (text === undefined) return [...retryableItemStatuses];
  return text.split(',').map((name) => {
    const status = retryableItemStatuses.find((one) => one === name.trim());
    if (status === undefined)
      throw new UsageError(`--status needs some of ${retryableItemStatuses.join(', ')}`);
    return status;
  });
}
