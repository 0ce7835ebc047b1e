import { dispatchJobs, dispatchQueue, type QueuedExecution } from '@holdfast/queues/definitions';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, expect, it } from '@jest/globals';
import type { Waiting } from '../backlog.ts';
import type { Context } from '../context.ts';
import { dispatch } from './dispatch.ts';

const { db, close } = await openTestDatabase();
afterAll(close);

/** What waits for its turn after a job with this payload. */
async function afterJob(payload: unknown): Promise<Waiting[]> {
  const added: Waiting[] = [];
  const scheduler = { add: (some: Waiting[]) => void added.push(...some) } as Context['scheduler'];
  await dispatch({ db, scheduler }, dispatchQueue.payload.parse(payload));
  return added;
}

async function create(): Promise<QueuedExecution> {
  const organizationId = await createTestOrganization(db, '10');
  const id = await insertTestExecution(db, { organizationId, priority: 'high' });
  return [id, organizationId, 'm', 0];
}

it('a job of this version, and one of a gateway of the version before, say the same', async () => {
  const queued = await create();
  const [id, organizationId, model, rank] = queued;
  const expected = [{ executionId: id, organizationId, model, rank, again: null }];
  const [job] = dispatchJobs([queued]);
  expect(await afterJob(job)).toEqual(expected);
  expect(await afterJob({ executions: [queued] })).toEqual(expected);
  expect(await afterJob({ executionIds: [id] })).toEqual(expected);
  // What a dispatcher of the version before reads.
  expect(job?.executionIds).toEqual([id]);
});
