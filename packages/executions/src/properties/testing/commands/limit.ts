import { removeSpendLimit, setSpendLimit } from '@holdfast/db/spendLimits';
import fc from 'fast-check';
import { units } from '../amounts.ts';
import { type Command, organization, which } from '../command.ts';
import { accountOf, type LimitScope, limitScopes } from '../model.ts';
import { apiKeyId, gateway, organizationId, type Which } from '../run.ts';

/** Sets or removes the spend limit of an organization or one of its keys. */
export const limit: Command<{
  by: Which;
  organization: number;
  scope: LimitScope;
  amount: string | null;
}> = {
  args: fc.record({
    by: which,
    organization,
    scope: fc.constantFrom(...limitScopes),
    amount: fc.constantFrom(null, '0', '1.2', '50', '500'),
  }),
  expect(model, { organization: at, scope, amount }) {
    const { limits } = accountOf(model, at);
    if (amount === null) limits.delete(scope);
    else limits.set(scope, units(amount));
    return 'done';
  },
  async perform(run, { by, organization: at, scope, amount }) {
    const { db } = gateway(run, by);
    const asker = {
      organizationId: organizationId(run, at),
      apiKeyId: scope === 'all' ? null : apiKeyId(run, at, scope),
    };
    if (amount === null) await removeSpendLimit(db, asker.apiKeyId ?? asker.organizationId);
    else await setSpendLimit(db, { ...asker, amount });
    return 'done';
  },
};
