import { newId } from '@holdfast/domain/ids';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dropOutputs, insertOutput, keepOutputs, listRemovableFiles, markOutputReady } from './files.ts';

const { db, close } = await openTestDatabase();
let id: string;
afterAll(close);
beforeEach(() => store());

async function store(filesForS?: number): Promise<void> {
  const organizationId = await createTestOrganization(db, '1');
  id = newId('file');
  const executionId = await insertTestExecution(db, { organizationId, filesForS });
  await insertOutput(db, {
    id,
    key: id,
    organizationId,
    executionId,
    filename: 'a.mp4',
    contentType: 'video/mp4',
  });
  await markOutputReady(db, id, { sizeBytes: 1, width: 640, height: 360, durationMs: 3000 });
}

const daysPass = () =>
  db.pool.query(`UPDATE files SET expires_at = expires_at - interval '2 days' WHERE id = $1`, [id]);

async function isRemovable(): Promise<boolean> {
  return (await listRemovableFiles(db, 100)).some((file) => file.id === id);
}

describe('an output that is stored', () => {
  it('stays when it is kept', async () => {
    await keepOutputs(db, [id]);
    await daysPass();
    expect(await isRemovable()).toBe(false);
  });

  it('is removed when it was kept for as long as its execution says', async () => {
    await store(3 * 86_400);
    await keepOutputs(db, [id]);
    await daysPass();
    expect(await isRemovable()).toBe(false);
    await daysPass();
    expect(await isRemovable()).toBe(true);
  });

  it('is removed after a day when its dispatcher was killed before keeping it', async () => {
    expect(await isRemovable()).toBe(false);
    await daysPass();
    expect(await isRemovable()).toBe(true);
  });

  it('is removed at once when it is dropped, and cannot be kept afterwards', async () => {
    await dropOutputs(db, [id]);
    await keepOutputs(db, [id]);
    expect(await isRemovable()).toBe(true);
  });
});
