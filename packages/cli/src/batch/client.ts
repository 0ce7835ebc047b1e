import { ApiError, type Batch, Holdfast } from '@holdfast/sdk';
import type { Context } from '../command.ts';
import { RefusedError } from '../errors.ts';
import { printFacts, printJson } from '../output/print.ts';

export const apiFlags = {
  json: { type: 'boolean', default: false },
  url: { type: 'string' },
  key: { type: 'string' },
} as const;

/** Calls the API as a client does. @throws RefusedError for what the API refused */
export async function withClient<Result>(
  context: Context,
  given: { url?: string | undefined; key?: string | undefined },
  work: (client: Holdfast) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(new Holdfast(context.apiAccess(given)));
  } catch (error) {
    if (error instanceof ApiError) throw new RefusedError(error.message);
    throw error;
  }
}

export function printBatch(context: Context, batch: Batch, json: boolean): void {
  if (json) printJson(context, batch);
  else printFacts(context, factsOf(batch));
}

function factsOf({ counts, ...batch }: Batch): Record<string, string | null> {
  return {
    id: batch.id,
    status: statusText(batch),
    model: batch.model,
    items: countsText(counts),
    cost: batch.cost,
    held: batch.held,
    'max cost': batch.max_cost,
    created: batch.created_at,
    'ends about': batch.estimated_end_at,
    ended: batch.ended_at,
    'output file': batch.output_file_id,
    'error file': batch.error_file_id,
  };
}

export const statusText = ({ status, reason }: Pick<Batch, 'status' | 'reason'>) =>
  reason === null ? status : `${status}: ${reason}`;

/** The counts that are not zero. */
export function countsText({ total, ...others }: Batch['counts']): string {
  const parts = Object.entries(others).filter(([, count]) => count > 0);
  return [`${total} in all`, ...parts.map(([name, count]) => `${count} ${name}`)].join(', ');
}
