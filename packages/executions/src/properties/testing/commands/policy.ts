import { updateOrganization } from '@holdfast/db/organizations';
import { type OveragePolicy, overagePolicies } from '@holdfast/domain/ledger';
import fc from 'fast-check';
import { type Command, which } from '../command.ts';
import { accountOf, platformPolicies } from '../model.ts';
import { gateway, organizationId, type Which } from '../run.ts';

const anyPolicy = fc.constantFrom(null, ...overagePolicies);

/** Changes the overage policies of an organization or of the platform; the last organization keeps its own. */
export const policy: Command<{
  by: Which;
  organization: number;
  policies: { overage: OveragePolicy | null; spendLimitOverage: OveragePolicy | null };
}> = {
  args: fc.record({
    by: which,
    organization: fc.constantFrom(0, 1),
    policies: fc.record({ overage: anyPolicy, spendLimitOverage: anyPolicy }),
  }),
  expect(model, { organization: at, policies: { overage, spendLimitOverage } }) {
    accountOf(model, at).policies = {
      overage: overage ?? platformPolicies.overage,
      spendLimitOverage: spendLimitOverage ?? platformPolicies.spendLimitOverage,
    };
    return 'done';
  },
  async perform(run, { by, organization: at, policies }) {
    await updateOrganization(gateway(run, by).db, organizationId(run, at), policies);
    return 'done';
  },
};
