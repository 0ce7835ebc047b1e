import { getBalance } from '@holdfast/db/balances';
import { getSpendLimits } from '@holdfast/db/spendLimits';
import { expect } from '@jest/globals';
import { expectedHistory, readHistories } from './histories.ts';
import { type expectedView, limitScopes } from './model.ts';
import { apiKeyId, organizationId, type Run } from './run.ts';

/** The view of a run to compare with `expectedView` of the model. @throws when a history is inconsistent */
export async function observe(run: Run): Promise<ReturnType<typeof expectedView>> {
  const { owner } = run.processes;
  const [histories, balances, limits] = await Promise.all([
    readHistories(owner, run.organizationIds),
    Promise.all(run.organizationIds.map((id) => getBalance(owner, id))),
    Promise.all(run.organizationIds.map((_, organization) => limitsOf(run, organization))),
  ]);
  expect(histories).toEqual(histories.map(expectedHistory));
  const byId = new Map(histories.map((history) => [history.id, history]));
  return {
    balances: balances.map((balance) => balance ?? { available: 'none', held: 'none' }),
    executions: run.executions.map(({ id }) => {
      const { status, hold, cost, writtenOff, reviewed, wasStarted } = byId.get(
        id,
      ) as (typeof histories)[number];
      return { status, hold, cost, writtenOff, isInReview: reviewed !== null, wasStarted };
    }),
    limits,
  };
}

async function limitsOf(run: Run, organization: number) {
  const scopeIds = limitScopes.map((scope) =>
    scope === 'all' ? organizationId(run, organization) : apiKeyId(run, organization, scope),
  );
  const found = await getSpendLimits(run.processes.owner, scopeIds);
  return limitScopes.flatMap((scope, index) => {
    const limit = found.get(scopeIds[index] ?? '');
    return limit ? [{ scope, amount: limit.amount, spent: limit.spent }] : [];
  });
}
