import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '@holdfast/kit/flags';
import { reasonOf } from '@holdfast/kit/within';
import {
  AbortedError,
  type Batch,
  type BatchResult,
  file,
  HoldfastError,
  type RejectedItem,
} from '@holdfast/sdk';
import type { Context } from '../command.ts';
import { exitCodes, RefusedError } from '../errors.ts';
import { readOperands } from '../flags.ts';
import { oneLine, printJson } from '../output/print.ts';
import { interruptible } from '../terminal.ts';
import { apiFlags, countsText, statusText, withClient } from './client.ts';

const options = {
  ...apiFlags,
  model: { type: 'string' },
  out: { type: 'string' },
  'max-cost': { type: 'string' },
  'skip-rejected': { type: 'boolean', default: false },
  'idempotency-key': { type: 'string' },
} as const;

/** 0: all items completed; 1: some did not, or it was interrupted. */
export async function batchRun(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('batch run', args, ['FILE'], options);
  const [path] = operands;
  const { model, 'max-cost': maxCost, out } = values;
  const idempotencyKey = values['idempotency-key'] ?? (await keyOf(path, [model, maxCost]));
  const report = ({ line, custom_id: id, error }: RejectedItem) =>
    context.report(`line ${line}${id === null ? '' : ` (${oneLine(id)})`}: ${oneLine(error.message)}`);
  return await withClient(context, values, async ({ batches }) =>
    interruptible(async (interrupt) => {
      const signal = AbortSignal.any([interrupt, context.outputClosed]);
      try {
        const { batch, results } = await batches.run(file(path), {
          ...(model !== undefined && { model }),
          ...(maxCost !== undefined && { max_cost: maxCost }),
          idempotencyKey,
          signal,
          onProgress: (current) => context.reportProgress(progressOf(current)),
          ...(values['skip-rejected'] && { onRejected: report }),
        });
        if (out !== undefined) await writeResults(out, results);
        else for await (const result of results) context.print(JSON.stringify(result));
        if (out !== undefined && values.json) printJson(context, batch);
        context.report(
          [statusText(batch), batch.id, countsText(batch.counts), `cost ${batch.cost}`].join('  '),
        );
        return batch.counts.completed === batch.counts.total ? 0 : exitCodes.wrong;
      } catch (error) {
        return exitCodeOf(context, error);
      }
    }),
  );
}

/** The same file and flags are the same batch, in every run. @throws UsageError if it cannot be read */
async function keyOf(path: string, flags: (string | undefined)[]): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify(flags));
  try {
    await pipeline(createReadStream(path), digest);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${reasonOf(error)}`);
  }
  return `batch-run-${digest.digest('hex')}`;
}

const barWidth = 24;

function progressOf({ counts, cost, status, reason }: Batch): string {
  const ended = counts.total - counts.waiting - counts.running;
  const share = counts.total === 0 ? 0 : ended / counts.total;
  const filled = Math.floor(share * barWidth);
  const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
  const failed = ended - counts.completed;
  return [
    `${bar} ${Math.floor(share * 100)} %  ${ended}/${counts.total}`,
    ...(failed > 0 ? [`${failed} not completed`] : []),
    `cost ${cost}`,
    statusText({ status, reason }),
  ].join('  ');
}

/** An existing file is replaced once all results are written. */
async function writeResults(path: string, results: AsyncIterable<BatchResult>): Promise<void> {
  const partial = `${path}.${crypto.randomUUID()}.part`;
  try {
    const target = await open(partial, 'wx');
    try {
      await pipeline(linesOf(results), target.createWriteStream({ flush: true }));
    } finally {
      await target.close();
    }
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
}

async function* linesOf(results: AsyncIterable<BatchResult>): AsyncGenerator<string> {
  for await (const result of results) yield `${JSON.stringify(result)}\n`;
}

/** @throws what says that the command could not run, or was refused */
function exitCodeOf(context: Context, error: unknown): number {
  if (!(error instanceof HoldfastError)) throw error;
  const { batch, code, message } = error;
  if (code === 'ITEMS_REJECTED') throw new RefusedError(`${message} --skip-rejected runs the others.`);
  if (!(error instanceof AbortedError)) throw error;
  const rest =
    batch === null ? '' : `: ${batch.id} is ${statusText(batch)}. The same command goes on with it.`;
  context.report(`holdfast: interrupted${rest}`);
  return exitCodes.wrong;
}
