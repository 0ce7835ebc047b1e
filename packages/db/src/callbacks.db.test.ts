import { newId } from '@holdfast/domain/ids';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { asRole, openTestDatabase, rolePasswords } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  calledBackAttempt,
  dropCallback,
  markCallbackProcessed,
  readCallback,
  storeCallback,
} from './callbacks.ts';
import { type Database, openDatabase } from './client.ts';
import { eraseExecution } from './executions/erase.ts';
import { startExecutions } from './executions/start.ts';
import { insertOutput, listRemovableFiles, markFilesDeleted } from './files.ts';
import { applyRoles } from './roles/roles.ts';
import { staleCallbacks } from './sweeps.ts';

const { db: owner, url, close } = await openTestDatabase();
let gateway: Database;
let dispatcher: Database;

beforeAll(async () => {
  await applyRoles(url, rolePasswords);
  gateway = openDatabase({ url: asRole(url, 'holdfast_gateway'), poolSize: 2, applicationName: 'test' });
  dispatcher = openDatabase({
    url: asRole(url, 'holdfast_dispatcher'),
    poolSize: 1,
    applicationName: 'test',
  });
});
afterAll(async () => {
  await Promise.all([gateway, dispatcher].map((db) => db.close()));
  await close();
});

const file = { filename: 'callback', contentType: 'application/octet-stream' };

async function runningAttempt() {
  const organizationId = await createTestOrganization(owner, '10');
  const executionId = await insertTestExecution(owner, { organizationId });
  const [run] = await startExecutions(owner, [{ id: executionId, connection: 'c', target: 'm' }], 30);
  return { executionId, organizationId, token: run?.attemptToken ?? '', provider: 'c' };
}

/** As the gateway does, with only its rights. */
async function storeLarge({
  executionId,
  organizationId,
  token,
  provider,
}: Awaited<ReturnType<typeof runningAttempt>>) {
  const [id, objectKey] = [newId('cbk'), newId('file')];
  expect(await calledBackAttempt(gateway, { token, provider })).toMatchObject({ room: 'free', executionId });
  await insertOutput(gateway, { ...file, id: objectKey, key: objectKey, organizationId, executionId });
  const callback = { id, token, provider, eventKey: id, headers: {}, body: null, objectKey };
  return { id, objectKey, ...(await storeCallback(gateway, callback)) };
}

describe('a callback in the object store', () => {
  it('is stored with the rights of the gateway, and read and processed with those of the dispatcher', async () => {
    const attempt = await runningAttempt();
    const { id, objectKey, isStored } = await storeLarge(attempt);
    expect(isStored).toBe(true);
    expect(await readCallback(dispatcher, id)).toMatchObject({ body: null, objectKey, finished: false });
    expect((await staleCallbacks(dispatcher, -1)).map((stale) => stale.id)).toContain(id);
    await markCallbackProcessed(dispatcher, id);
    await markFilesDeleted(dispatcher, [objectKey]);
    expect(await readCallback(dispatcher, id)).toBeNull();
    const forged = await storeLarge(attempt);
    await dropCallback(dispatcher, forged.id);
    await markFilesDeleted(gateway, [forged.objectKey]);
    expect(await readCallback(dispatcher, forged.id)).toBeNull();
  });

  it('is erased with the rights of the gateway, and its object is found with those of the dispatcher', async () => {
    const attempt = await runningAttempt();
    const { id, objectKey } = await storeLarge(attempt);
    await owner.pool.query(`UPDATE executions SET status = 'CANCELLED', completed_at = now() WHERE id = $1`, [
      attempt.executionId,
    ]);
    expect(await eraseExecution(gateway, attempt.organizationId, attempt.executionId)).toBe(true);
    expect(await readCallback(dispatcher, id)).toBeNull();
    expect((await listRemovableFiles(dispatcher, 100)).map((removable) => removable.id)).toContain(objectKey);
    const late = await storeLarge(attempt);
    expect(late).toMatchObject({ room: 'free', isStored: false });
    const removable = await listRemovableFiles(dispatcher, 100);
    expect(removable.map((one) => one.id)).toContain(late.objectKey);
  });
});
