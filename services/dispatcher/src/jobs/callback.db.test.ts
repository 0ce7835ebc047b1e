import { randomUUID } from 'node:crypto';
import { readCallback, storeCallback } from '@holdfast/db/callbacks';
import { eraseExecution } from '@holdfast/db/executions/erase';
import { startExecutions } from '@holdfast/db/executions/start';
import { insertOutput, listRemovableFiles } from '@holdfast/db/files';
import { staleCallbacks } from '@holdfast/db/sweeps';
import { newId } from '@holdfast/domain/ids';
import { type ObjectStore, StoreFailedError } from '@holdfast/files/store';
import type { Provider } from '@holdfast/providers/interface';
import { insertTestExecution } from '@holdfast/testkit/testData';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AttemptServices } from '../attempt/attempt.ts';
import { createLeases, type Leases, leaseS } from '../attempt/leases.ts';
import { startCopying } from '../attempt/testing/copying.ts';
import { receiveCallback } from './callback.ts';

const mib = 1024 * 1024;

let copying: Awaited<ReturnType<typeof startCopying>>;
let leases: Leases;
let readBodies: Buffer[];
let bodiesInMemory: { now: number; max: number };

beforeAll(async () => {
  copying = await startCopying();
  leases = createLeases(copying.files.db, copying.log);
});
afterAll(async () => {
  await leases.handBack(0);
  await copying.close();
});
beforeEach(() => {
  readBodies = [];
  bodiesInMemory = { now: 0, max: 0 };
});

/** The services of a dispatcher whose provider reports the failure of a run in every callback. */
function servicesWith(store: ObjectStore = copying.files.store): AttemptServices {
  const files = { ...copying.files, store };
  const provider: Pick<Provider, 'readCallback'> = {
    async readCallback({ body }) {
      readBodies.push(body);
      return { state: 'ended', outcome: { ok: false, code: 'GENERATION_FAILED', message: 'It failed.' } };
    },
  };
  const hold: Leases['hold'] = async (attemptId, work) => {
    bodiesInMemory.max = Math.max(bodiesInMemory.max, ++bodiesInMemory.now);
    return await leases.hold(attemptId, work).finally(() => bodiesInMemory.now--);
  };
  return {
    files,
    leases: { ...leases, hold },
    routes: { find: async () => ({ ...copying.routeOf({}), provider, callbackUrl: null }) },
    slots: { release: async () => {} },
    recorder: {
      recordProgress: async () => {},
      recordOutcome: async (attemptId: string) => {
        // As long as it takes to store an output.
        await new Promise((resolve) => setTimeout(resolve, 20));
        await finish(attemptId);
        return true;
      },
    },
    metrics: { runs: { inc: () => {} } },
  } as unknown as AttemptServices;
}

const trace = () => ({ tracing: null, span: null, log: copying.log });

async function finish(attemptId: string): Promise<void> {
  await copying.files.db.pool.query(
    `UPDATE attempts SET finished_at = now(), state = 'failed', outcome = '{"ok":false}', lease_until = NULL WHERE id = $1`,
    [attemptId],
  );
}

/** A running attempt with a callback in the object store, as the gateway leaves it. */
async function largeCallback(sizeBytes = 9 * mib) {
  const { db, store } = copying.files;
  const { organizationId } = await copying.newRun();
  const executionId = await insertTestExecution(db, { organizationId });
  const [run] = await startExecutions(db, [{ id: executionId, connection: 'trusted', target: 'm' }], leaseS);
  if (!run) throw new Error('the execution did not start');
  await db.pool.query(`UPDATE attempts SET lease_until = NULL, state = 'running' WHERE id = $1`, [
    run.attemptId,
  ]);
  const [id, key] = [newId('cbk'), newId('file')];
  const type = 'application/octet-stream';
  await insertOutput(db, {
    id: key,
    key,
    organizationId,
    executionId,
    filename: 'callback',
    contentType: type,
  });
  await store.put(key, Buffer.alloc(sizeBytes, 'x'), { contentType: type });
  const stored = await storeCallback(db, {
    id,
    token: run.attemptToken,
    provider: 'trusted',
    eventKey: randomUUID(),
    headers: {},
    body: null,
    objectKey: key,
  });
  expect(stored).toEqual({ room: 'free', isStored: true });
  return { id, key, executionId, organizationId, attemptId: run.attemptId };
}

async function stateOf({ id, key }: { id: string; key: string }) {
  const { db, store } = copying.files;
  const file = await db.prisma.file.findUniqueOrThrow({ where: { id: key } });
  const row = await db.prisma.providerCallback.findUnique({ where: { id } });
  return {
    row: row === null ? 'deleted' : row.processedAt === null ? 'pending' : 'processed',
    file: file.state,
    isStored: (await store.stat(key)) !== null,
  };
}

const processed = { row: 'processed', file: 'deleted', isStored: false };

describe('a callback in the object store', () => {
  it('is read whole, ends its run, and is removed', async () => {
    const callback = await largeCallback();
    await receiveCallback(servicesWith(), trace(), callback.id);
    expect(readBodies.map(({ length }) => length)).toEqual([9 * mib]);
    expect(await stateOf(callback)).toEqual(processed);
  });

  it('stays for a later try when its work was aborted: the provider reports the end only once', async () => {
    const callback = await largeCallback();
    const services = servicesWith();
    const hold: Leases['hold'] = (_id, work) => work(AbortSignal.abort('lease lost'));
    await receiveCallback({ ...services, leases: { ...leases, hold } }, trace(), callback.id);
    expect(await stateOf(callback)).toMatchObject({ row: 'pending', isStored: true });
    await receiveCallback(services, trace(), callback.id);
    expect(await stateOf(callback)).toEqual(processed);
  });

  it('is removed unread by the next dispatcher when one died after it had recorded the outcome', async () => {
    const callback = await largeCallback();
    await finish(callback.attemptId);
    await copying.files.db.pool.query(
      `UPDATE provider_callbacks SET received_at = now() - interval '1 minute' WHERE id = $1`,
      [callback.id],
    );
    expect((await staleCallbacks(copying.files.db, 5)).map(({ id }) => id)).toContain(callback.id);
    await receiveCallback(servicesWith(), trace(), callback.id);
    expect(readBodies).toEqual([]);
    expect(await stateOf(callback)).toEqual(processed);
  });

  it('is found by the sweep of expired files when a dispatcher died before it had removed the object', async () => {
    const callback = await largeCallback();
    const { db, store } = copying.files;
    const dying = {
      ...store,
      remove: () => Promise.reject(new StoreFailedError(new Error('the process was killed'))),
    };
    await receiveCallback(servicesWith(dying), trace(), callback.id);
    expect(await stateOf(callback)).toMatchObject({ row: 'processed', isStored: true });
    await db.pool.query(`UPDATE files SET expires_at = now() - interval '1 ms' WHERE id = $1`, [
      callback.key,
    ]);
    const removable = await listRemovableFiles(db, 100);
    expect(removable.find(({ id }) => id === callback.key)?.keys).toContain(callback.key);
  });

  it('stays pending when the store fails, and is read later', async () => {
    const callback = await largeCallback();
    const readRange = () => Promise.reject(new Error('connection reset'));
    const failing = { ...copying.files.store, readRange };
    await expect(receiveCallback(servicesWith(failing), trace(), callback.id)).rejects.toThrow('reset');
    expect(await stateOf(callback)).toMatchObject({ row: 'pending', isStored: true });
    await receiveCallback(servicesWith(), trace(), callback.id);
    expect(await stateOf(callback)).toEqual(processed);
  });

  it('is dropped when its object has expired, and its run continues', async () => {
    const callback = await largeCallback();
    await copying.files.store.remove(callback.key);
    await receiveCallback(servicesWith(), trace(), callback.id);
    expect(readBodies).toEqual([]);
    expect(await stateOf(callback)).toMatchObject({ row: 'deleted' });
    const { db } = copying.files;
    const attempt = await db.prisma.attempt.findUniqueOrThrow({ where: { id: callback.attemptId } });
    expect(attempt.finishedAt).toBeNull();
  });

  it('of an erased execution is gone from the inbox, and its object is found by the sweep', async () => {
    const callback = await largeCallback();
    const { db } = copying.files;
    await db.pool.query(`UPDATE executions SET status = 'CANCELLED', completed_at = now() WHERE id = $1`, [
      callback.executionId,
    ]);
    expect(await eraseExecution(db, callback.organizationId, callback.executionId)).toBe(true);
    expect(await readCallback(db, callback.id)).toBeNull();
    expect((await listRemovableFiles(db, 100)).map(({ id }) => id)).toContain(callback.key);
  });

  it('shares the memory of all runs: of 16 at once only few are in memory, and all are processed', async () => {
    const callbacks = await Promise.all(Array.from({ length: 16 }, () => largeCallback()));
    const services = servicesWith();
    await Promise.all(callbacks.map(({ id }) => receiveCallback(services, trace(), id)));
    expect(await Promise.all(callbacks.map(stateOf))).toEqual(callbacks.map(() => processed));
    expect(bodiesInMemory.max).toBeLessThanOrEqual(2);
  });
});
