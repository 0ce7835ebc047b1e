import { recordOutcomes } from '@holdfast/db/attempts/outcomes';
import type { Database } from '@holdfast/db/client';
import { startExecutions } from '@holdfast/db/executions/start';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { expireDue } from './lifecycle.ts';
import { openSettler } from './settler.ts';
import { nowhere, publishChanges } from './testing/nowhere.ts';

let db: Database;
let close: () => Promise<void>;

beforeEach(async () => {
  ({ db, close } = await openTestDatabase(4));
});

afterEach(() => close());

async function create(): Promise<string> {
  const organizationId = await createTestOrganization(db, '10');
  return await insertTestExecution(db, { organizationId });
}

/** The hold was released by hand: no statement can resolve it now. */
async function release(executionId: string): Promise<void> {
  await db.pool.query(
    `INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after,
       held_after, execution_id)
     SELECT organization_id, sequence + 1, 'release', 'held', 'available', held, available + held, 0, $1 FROM balances
     WHERE organization_id = (SELECT organization_id FROM executions WHERE id = $1)`,
    [executionId],
  );
}

const statusOf = async (id: string) =>
  (await db.pool.query<{ status: string }>('SELECT status FROM executions WHERE id = $1', [id])).rows[0]
    ?.status;

it('expires other executions when one has a corrupt journal', async () => {
  const damaged = await create();
  await release(damaged);
  const well = await create();
  await db.pool.query(`UPDATE executions SET expires_at = now() - interval '1 second'`);
  const ended: string[] = [];
  const expired = expireDue({
    db,
    hints: { fanout: nowhere, abort: nowhere, publishChanges },
    onEnded: (executions) => ended.push(...executions.map(({ executionId }) => executionId)),
    locked: new Set(),
  });
  await expect(expired).rejects.toThrow('transfers_');
  expect(ended).toEqual([well]);
  expect([await statusOf(damaged), await statusOf(well)]).toEqual(['PENDING', 'EXPIRED']);
});

it('settles other executions when one has a corrupt journal', async () => {
  const executions = [await create(), await create(), await create()];
  const attempts = (
    await startExecutions(
      db,
      executions.map((id) => ({ id, connection: 'sandbox', target: 'm' })),
      30,
    )
  ).map(({ attemptId }) => attemptId);
  const outcome = { ok: true as const, output: {}, inputTokens: 1, outputTokens: 1, cost: '0.20000000' };
  await recordOutcomes(
    db,
    attempts.map((attemptId) => ({ attemptId, outcome, state: 'succeeded' as const })),
  );
  await release(executions[1] ?? '');
  const onEnded = { completed: () => {}, failed: () => {} };
  const { settle, idle } = openSettler({ db, hints: { fanout: nowhere, publishChanges }, onEnded });
  const results = await Promise.allSettled(attempts.map((attemptId) => settle({ attemptId, ok: true })));
  await idle();
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(await Promise.all(executions.map(statusOf))).toEqual(['COMPLETED', 'PROCESSING', 'COMPLETED']);
});
