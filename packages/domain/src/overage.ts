/**
 * What happens to the part of an execution's cost above its hold. `charge`: it is charged in full. `cap`: it is charged
 * as far as the balance, or the spend limit, goes; the rest is written off.
 */
export const overagePolicies = ['charge', 'cap'] as const;
export type OveragePolicy = (typeof overagePolicies)[number];

/** The policies for the balance and for spend limits. */
export type OveragePolicies = { overage: OveragePolicy; spendLimitOverage: OveragePolicy };
