import { claimByToken } from '@holdfast/db/attempts/claim';
import { pollNow } from '@holdfast/db/attempts/lease';
import {
  dropCallback,
  markCallbackProcessed,
  readCallback,
  type StoredCallback,
} from '@holdfast/db/callbacks';
import { markFilesDeleted } from '@holdfast/db/files';
import { mappingOf } from '@holdfast/domain/modelDefinition';
import { ObjectNotFoundError } from '@holdfast/files/store';
import { currentReservation } from '@holdfast/kit/memoryBudget';
import type { CallbackReading, Ended } from '@holdfast/providers/interface';
import type { Context } from '../context.ts';
import { inSpan } from '../inSpan.ts';
import { leaseS } from '../lease.ts';
import { findRoute, type Route } from '../route.ts';
import { act } from '../run.ts';
import { stop } from '../stop.ts';

/**
 * Reads a callback of the inbox: verified, it ends its run, or has the provider asked, and is put aside. One that is forged
 * or says nothing is dropped, for only so many of an attempt are kept. What can't be dealt with just now stays, and a sweep
 * brings it again.
 */
export async function callback(context: Context, callbackId: string): Promise<void> {
  const stored = await readCallback(context.db, callbackId);
  if (!stored) return;
  const run = { ...stored, id: stored.executionId };
  await inSpan(context, { name: 'callback', kind: 'consumer' }, run, async (its) =>
    receive(its, stored, await findRoute(its, run)),
  );
}

async function receive(context: Context, stored: StoredCallback, route: Route | null): Promise<void> {
  const { objectKey } = stored;
  if (objectKey === null) return void (await settle(context, stored, route, stored.body));
  // It stands in memory until its outcome is recorded.
  const isDone = await context.inHand.holdMemory(async () => {
    const body = route && !stored.finished ? await readObject(context, stored, objectKey) : null;
    return await settle(context, stored, route, body);
  });
  if (isDone) await removeObject(context, stored, objectKey);
}

/** False when it stays in the inbox. */
async function settle(
  context: Context,
  stored: StoredCallback,
  route: Route | null,
  body: Buffer | null,
): Promise<boolean> {
  const reading = route && !stored.finished && body ? await read(route, stored, body) : null;
  if (route && !(await dealWith(context, route, stored.token, reading))) return false;
  const isUseless = stored.erased || (route !== null && !stored.finished && reading === null);
  await (isUseless ? dropCallback : markCallbackProcessed)(context.db, stored.id);
  return true;
}

/** The body of a large callback, read as there is memory for it; null: it has expired. */
async function readObject(
  { store, log }: Context,
  { executionId }: StoredCallback,
  key: string,
): Promise<Buffer | null> {
  const hold = currentReservation();
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of await store.read(key)) {
      await hold?.(chunk.length);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (!(error instanceof ObjectNotFoundError)) throw error;
    log.warn({ executionId }, 'the object of a large callback is gone');
    return null;
  }
}

/** What fails here is removed when the object expires. */
async function removeObject(
  { db, store, log }: Context,
  { executionId }: StoredCallback,
  key: string,
): Promise<void> {
  try {
    await store.remove(key);
    await markFilesDeleted(db, [key]);
  } catch (error) {
    log.warn({ err: error, executionId }, 'the object of a large callback stays until it expires');
  }
}

async function read(
  { definition, route, provider }: Route,
  stored: StoredCallback,
  body: Buffer,
): Promise<CallbackReading> {
  const { headers, receivedAtMs, token, handle } = stored;
  return await provider.readCallback(
    { headers, body, receivedAtMs },
    {
      token,
      handle,
      mapping: mappingOf(definition, route),
      providerModel: route.model,
      options: route.options,
    },
  );
}

async function dealWith(
  context: Context,
  route: Route,
  token: string,
  reading: CallbackReading,
): Promise<boolean> {
  if (reading === null) return true;
  if (reading === 'later') return false;
  if (reading === 'ask') return await pollNow(context.db, token);
  return await end(context, route, token, reading);
}

/** False while another dispatcher is at this very end: the sweep brings the callback again should it die. */
async function end(context: Context, route: Route, token: string, ended: Ended): Promise<boolean> {
  const run = await claimByToken(context.db, token, leaseS);
  if (!run) return false;
  // What a provider sends of an execution that has ended is dropped.
  if (run.ended) await stop(context, run);
  else await context.inHand.hold(run.attemptId, (signal) => act(context, route, run, ended, signal));
  return true;
}
