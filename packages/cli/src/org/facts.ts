import { type Organization } from '../admin/records.ts';
import { shownTime } from '../output/times.ts';

/** The facts to print of an organization, by name. */
export function organizationFacts(one: Organization) {
  return {
    id: one.id,
    name: one.name,
    created: shownTime(one.created_at),
    'max concurrency': one.max_concurrency ?? 'default (ORGANIZATION_MAX_CONCURRENCY)',
    'monthly spend': spendText(one.spend_limit),
    overage: policyText(one.overage, one.in_force?.overage),
    'spend limit overage': policyText(one.spend_limit_overage, one.in_force?.spend_limit_overage),
  };
}

/** `cap`, or `charge (default)` */
const policyText = (own: string | null, inForce = 'unknown') => own ?? `${inForce} (default)`;

/** `3.2 of 100.00` */
export const spendText = (limit: Organization['spend_limit']): string =>
  limit === null ? 'no limit' : `${limit.spent} of ${limit.amount}`;
