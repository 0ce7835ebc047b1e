import { claimByToken, pollNow } from '@holdfast/db/attempts/lease';
import {
  dropCallback,
  markCallbackProcessed,
  readCallback,
  type StoredCallback,
} from '@holdfast/db/callbacks';
import { markFilesDeleted } from '@holdfast/db/files';
import { mappingOf } from '@holdfast/domain/outcome';
import type { Logger } from '@holdfast/kit/logger';
import { currentReservation } from '@holdfast/kit/memoryBudget';
import type { CallbackReading, Ended } from '@holdfast/providers/interface';
import { type AttemptServices, applyProgress, stopAttempt } from '../attempt/attempt.ts';
import { leaseS } from '../attempt/leases.ts';
import type { Files } from '../attempt/outputFile.ts';
import type { Route } from '../attempt/route.ts';
import { inSpan, type Trace } from '../attempt/trace.ts';

/** A forged or empty callback is dropped, for an attempt keeps only some. One that can't be handled now is swept later. */
export async function receiveCallback(
  services: AttemptServices,
  trace: Trace,
  callbackId: string,
): Promise<void> {
  const stored = await readCallback(services.files.db, callbackId);
  if (!stored) return;
  await inSpan(trace, { name: 'callback', kind: 'consumer' }, stored, async (spanned) => {
    const route = await services.routes.find(stored, spanned);
    const { executionId, model, connection, finished } = stored;
    if (!route && !finished)
      spanned.log.error(
        { executionId, model, connection },
        'the provider of a callback is no longer configured',
      );
    await receive(services, spanned, stored, route);
  });
}

async function receive(
  services: AttemptServices,
  trace: Trace,
  stored: StoredCallback,
  route: Route | null,
): Promise<void> {
  const { files, leases } = services;
  const { objectKey } = stored;
  if (objectKey === null) return void (await readAndApply(services, trace, stored, route, stored.body));
  // The body stays in memory until the outcome is recorded.
  const isDone = await leases.holdMemory(async () => {
    const body = route && !stored.finished ? await readObject(files, trace.log, stored, objectKey) : null;
    return await readAndApply(services, trace, stored, route, body);
  });
  if (isDone) await removeObject(files, trace.log, stored, objectKey);
}

/** Returns whether the callback has left the inbox. */
async function readAndApply(
  services: AttemptServices,
  trace: Trace,
  stored: StoredCallback,
  route: Route | null,
  body: Buffer | null,
): Promise<boolean> {
  const { db } = services.files;
  const reading = route && !stored.finished && body ? await read(route, stored, body) : null;
  if (route && !(await applyReading(services, trace, route, stored.token, reading))) return false;
  const isUseless = stored.erased || (route !== null && !stored.finished && reading === null);
  await (isUseless ? dropCallback : markCallbackProcessed)(db, stored.id);
  return true;
}

/** The body of a large callback, read when the memory budget allows; null when it has expired. */
async function readObject(
  { store }: Files,
  log: Logger,
  { executionId }: StoredCallback,
  key: string,
): Promise<Buffer | null> {
  const object = await store.stat(key);
  if (object === null) {
    log.warn({ executionId }, 'the stored body of a large callback is missing');
    return null;
  }
  await currentReservation()?.(object.sizeBytes);
  return await store.readRange(key, { start: 0, end: object.sizeBytes - 1 });
}

async function removeObject(
  { db, store }: Files,
  log: Logger,
  { executionId }: StoredCallback,
  key: string,
): Promise<void> {
  try {
    await store.remove(key);
    await markFilesDeleted(db, [key]);
  } catch (error) {
    log.warn(
      { err: error, executionId },
      'could not delete the stored body of a large callback; it will expire',
    );
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

/** Returns whether the callback is done with. */
async function applyReading(
  services: AttemptServices,
  trace: Trace,
  route: Route,
  token: string,
  reading: CallbackReading,
): Promise<boolean> {
  if (reading === null) return true;
  if (reading === 'later') return false;
  if (reading === 'poll') return await pollNow(services.files.db, token);
  return await endRun(services, trace, route, token, reading);
}

/**
 * Returns false while another dispatcher handles the end of the run: should it die, the callback is swept. Also when the work
 * was aborted, because a provider reports the end only once.
 */
async function endRun(
  services: AttemptServices,
  trace: Trace,
  route: Route,
  token: string,
  ended: Ended,
): Promise<boolean> {
  const attempt = await claimByToken(services.files.db, token, leaseS);
  if (!attempt) return false;
  if (attempt.ended) {
    await stopAttempt(services, trace, attempt);
    return true;
  }
  return await services.leases.hold(attempt.attemptId, async (signal) => {
    await applyProgress(services, trace, route, attempt, ended, signal);
    return !signal.aborted;
  });
}
