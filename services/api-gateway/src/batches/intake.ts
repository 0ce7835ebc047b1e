import { insertItems, type KnownItem, type NewItem } from '@holdfast/db/batches/items';
import type { Database } from '@holdfast/db/client';
import type { Batch } from '@holdfast/domain/batch';
import { ApiError, invalidField } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import type { Caller } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import { toApiError } from '../http/errors.ts';
import { failedItem, type LineReader, prepareItem, type ReadLine, readItemLine } from './itemLine.ts';
import { type Line, readLines } from './lines.ts';

export type IntakeCounts = { accepted: number; duplicates: number; rejected: number };

type Numbered = { number: number; item: NewItem };

export type OnRejected = (number: number, customId: string | null, error: ApiError) => void;

/** Items that one statement inserts: it locks the batch, and their inputs are in memory. */
const maxItems = 500;
const maxGroupBytes = 4_194_304;
/** Lines that are checked at once: those with files wait for the database. */
const checkedAtOnce = 32;

/**
 * Adds the items of a body to an open batch. Lines that cannot be accepted are reported and left out, or accepted as items that
 * failed. What was added before an error stays: a client sends everything again. @throws ApiError BATCH_STATUS_CONFLICT, PAYLOAD_TOO_LARGE, and what `source` throws
 */
export async function takeItems(
  context: Context,
  caller: Caller,
  batch: Batch,
  source: AsyncIterable<Buffer>,
  onRejected: OnRejected,
  readLine: LineReader = readItemLine,
): Promise<IntakeCounts> {
  const counts: IntakeCounts = { accepted: 0, duplicates: 0, rejected: 0 };
  const startedAtMs = Date.now();

  function reject(number: number, customId: string | null, error: ApiError): void {
    counts.rejected += 1;
    onRejected(number, customId, error);
  }

  async function checkOne(line: Line): Promise<Numbered | null> {
    let read: ReadLine | null = null;
    const { number } = line;
    const position = positionOf(startedAtMs, number);
    try {
      read = readLine(line);
      return { number, item: await prepareItem(context, caller, batch, read, position) };
    } catch (error) {
      const apiError = toApiError(error);
      // Not the line's fault: it would be accepted later.
      if (apiError.status >= 500 && apiError.code !== 'MODEL_UNAVAILABLE') throw error;
      if (read?.modelIfFailed !== undefined)
        return { number, item: failedItem(read, read.modelIfFailed, position, apiError) };
      reject(number, read?.customId ?? null, apiError);
      return null;
    }
  }

  async function insertGroup(lines: Line[]): Promise<void> {
    const group = new Map<string, Numbered>();
    const repeated: Numbered[] = [];
    for (let at = 0; at < lines.length; at += checkedAtOnce) {
      for (const one of await Promise.all(lines.slice(at, at + checkedAtOnce).map(checkOne))) {
        if (one === null) continue;
        if (group.has(one.item.customId)) repeated.push(one);
        else group.set(one.item.customId, one);
      }
    }
    await insert([...group.values()]);
    for (const one of repeated) await insert([one]);
  }

  async function insert(group: Numbered[]): Promise<void> {
    if (group.length === 0) return;
    const known = new Map(
      (await addItems(context.db, batch.id, group)).map((one) => [one.customId, one.hash]),
    );
    for (const { number, item } of group) {
      const hash = known.get(item.customId);
      if (hash === undefined) counts.accepted += 1;
      else if (hash === item.hash) counts.duplicates += 1;
      else reject(number, item.customId, conflicting);
    }
  }

  for await (const lines of groupsOf(readLines(source, limits.jsonBodyBytes))) await insertGroup(lines);
  return counts;
}

const conflicting = invalidField(
  'custom_id',
  'DUPLICATE',
  'Another line of this batch has the same custom_id with other content.',
);

/** In the order of the requests and, within one, of its lines, which are fewer than 2^30: a body has at most 2^30 bytes. */
const positionOf = (startedAtMs: number, number: number) =>
  BigInt(Math.floor(startedAtMs / 1000)) * 2n ** 30n + BigInt(number);

/** The items that the batch had already. @throws ApiError BATCH_STATUS_CONFLICT, PAYLOAD_TOO_LARGE */
async function addItems(db: Database, id: string, group: Numbered[]): Promise<KnownItem[]> {
  const intake = await insertItems(
    db,
    id,
    group.map(({ item }) => item),
  );
  if (intake.outcome === 'not open') {
    throw new ApiError('BATCH_STATUS_CONFLICT', 'The batch is not open: it takes no more items.');
  }
  if (intake.outcome === 'full') {
    throw new ApiError(
      'PAYLOAD_TOO_LARGE',
      `A batch has at most ${limits.batchItems} items. Create another one.`,
    );
  }
  // Another request added them while this statement waited for the batch: the next statement sees them.
  const unseen = new Set(intake.known.filter(({ hash }) => hash === null).map(({ customId }) => customId));
  if (unseen.size === 0) return intake.known;
  const rest = group.filter(({ item }) => unseen.has(item.customId));
  return [...intake.known.filter(({ hash }) => hash !== null), ...(await addItems(db, id, rest))];
}

async function* groupsOf(lines: AsyncIterable<Line>): AsyncGenerator<Line[]> {
  let group: Line[] = [];
  let sizeBytes = 0;
  for await (const line of lines) {
    group.push(line);
    sizeBytes += line.bytes?.length ?? 0;
    if (group.length < maxItems && sizeBytes < maxGroupBytes) continue;
    yield group;
    group = [];
    sizeBytes = 0;
  }
  if (group.length > 0) yield group;
}
