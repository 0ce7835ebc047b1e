import type { ServerResponse } from 'node:http';
import { type FileLine, readFileLines } from '@holdfast/db/batches/fileLines';
import type { FileRow } from '@holdfast/db/files';
import { type Batch, type BatchFileKind, batchOfFile, type ItemError } from '@holdfast/domain/batch';
import { errorCodes } from '@holdfast/domain/errors';
import { executionError, usageOf } from '@holdfast/domain/execution';
import { formatMoney } from '@holdfast/domain/money';
import { attachment } from '@holdfast/files/filename';
import type { Caller } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import { openLines, type LineWriter as ResponseLines } from '../http/ndjson.ts';
import { findBatch } from './readable.ts';

/** A client that takes nothing for this long is cut off. */
const stallMs = 60_000;

/** Which file of a batch this is; null: another file. */
export function batchFileKind({
  origin,
  purpose,
}: Pick<FileRow, 'origin' | 'purpose'>): BatchFileKind | null {
  if (origin !== 'output') return null;
  return purpose === 'batch_output' ? 'output' : purpose === 'batch_error' ? 'error' : null;
}

/** A line of a file, in pieces if it is long. */
export type LineWriter = (batch: Batch, line: FileLine) => Promise<string | AsyncIterable<string>>;

type Lines = Pick<ResponseLines, 'write'>;

/**
 * Sends the lines of the items that have ended so far, and returns their bytes (null: it sent none, as only the head was
 * asked for): of the whole file if the batch had ended.
 * @throws ApiError NOT_FOUND
 */
export async function sendBatchFile(
  context: Context,
  caller: Caller,
  file: FileRow,
  kind: BatchFileKind,
  response: ServerResponse,
  textOf?: LineWriter,
): Promise<{ batch: Batch; bytes: number | null }> {
  const batch = await findBatch(context, caller, batchOfFile(file.id, kind));
  const lines = openLines(response, 200, {
    'Content-Disposition': attachment(file.filename),
    'X-Content-Type-Options': 'nosniff',
  });
  response.setTimeout(stallMs);
  const bytes = response.req.method === 'HEAD' ? null : await writeLines(context, batch, kind, lines, textOf);
  lines.end();
  return { batch, bytes };
}

/** Writes the lines of the items that have ended so far, and returns their bytes. */
export async function writeLines(
  context: Context,
  batch: Batch,
  kind: BatchFileKind,
  lines: Lines,
  textOf?: LineWriter,
): Promise<number> {
  let bytes = 0;
  const counted: Lines = {
    async write(text) {
      bytes += Buffer.byteLength(text);
      await lines.write(text);
    },
  };
  let page: FileLine[] = [];
  do {
    page = await readFileLines(context.db, batch, kind, page.at(-1)?.number ?? '0');
    if (textOf) await writeEach(counted, batch, page, textOf);
    else if (page.length > 0)
      await counted.write(page.map((line) => `${JSON.stringify(lineRecord(line))}\n`).join(''));
  } while (page.length > 0);
  return bytes;
}

async function writeEach(
  lines: Lines,
  batch: Batch,
  page: readonly FileLine[],
  textOf: LineWriter,
): Promise<void> {
  for (const line of page) {
    const text = await textOf(batch, line);
    if (typeof text === 'string') await lines.write(`${text}\n`);
    else {
      for await (const piece of text) await lines.write(piece);
      await lines.write('\n');
    }
  }
}

function lineRecord(line: FileLine) {
  const { errorCode, errorMessage, output } = line;
  return {
    custom_id: line.customId,
    execution_id: line.executionId,
    status: line.status,
    model: line.model,
    metadata: line.metadata,
    cost: line.cost && formatMoney(line.cost),
    ...(line.status === 'completed'
      ? {
          output,
          usage: usageOf(line),
          ...(line.finishReason !== null && { finish_reason: line.finishReason }),
        }
      : { error: line.error ? errorOf(line.error) : executionError({ errorCode, errorMessage }) }),
  };
}

const errorOf = ({ code, message }: ItemError) => ({ code, message, retryable: errorCodes[code].retryable });
