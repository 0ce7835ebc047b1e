import { getBalance } from '@holdfast/db/balances';
import { getSpendLimits } from '@holdfast/db/spendLimits';
import { expect } from '@jest/globals';
import { type expectedView, limitScopes } from './model.ts';
import { apiKeyId, organizationId, type Run } from './run.ts';
import { asItShouldBe, readStories } from './stories.ts';

/** What can be seen of a run, as `expectedView` tells it of the model. @throws when an execution's story is torn */
export async function observe(run: Run): Promise<ReturnType<typeof expectedView>> {
  const { owner } = run.processes;
  const [stories, balances, limits] = await Promise.all([
    readStories(owner, run.organizationIds),
    Promise.all(run.organizationIds.map((id) => getBalance(owner, id))),
    Promise.all(run.organizationIds.map((_, organization) => limitsOf(run, organization))),
  ]);
  expect(stories).toEqual(stories.map(asItShouldBe));
  const byId = new Map(stories.map((story) => [story.id, story]));
  return {
    balances: balances.map((balance) => balance ?? { available: 'none', held: 'none' }),
    executions: run.executions.map(({ id }) => {
      const { status, hold, cost, writtenOff, wasStarted } = byId.get(id) as (typeof stories)[number];
      return { status, hold, cost, writtenOff, wasStarted };
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
