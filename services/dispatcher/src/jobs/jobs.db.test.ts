import { dispatchJobs, dispatchQueue, type QueuedExecution } from '@holdfast/queues/definitions';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, expect, it } from '@jest/globals';
import { executionsOf } from './jobs.ts';

const { db, close } = await openTestDatabase();
afterAll(close);

const namedBy = (payload: unknown) => executionsOf(db, dispatchQueue.payload.parse(payload));

async function create(): Promise<QueuedExecution> {
  const organizationId = await createTestOrganization(db, '10');
  const id = await insertTestExecution(db, { organizationId, priority: 'high' });
  return [id, organizationId, 'm', 0];
}

it('a dispatch job names the same executions whether this version of the gateway or the previous one sent it', async () => {
  const queued = await create();
  const [id, organizationId, model, rank] = queued;
  const expected = [{ executionId: id, organizationId, model, rank, retry: null }];
  const [job] = dispatchJobs([queued]);
  expect(await namedBy(job)).toEqual(expected);
  expect(await namedBy({ executions: [queued] })).toEqual(expected);
  expect(await namedBy({ executionIds: [id] })).toEqual(expected);
  // Read by a dispatcher of the previous version.
  expect(job?.executionIds).toEqual([id]);
});
