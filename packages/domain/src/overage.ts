/** The cost above the hold: `charge` it in full, or `cap` it at the balance or spend limit and write off the rest. */
export const overagePolicies = ['charge', 'cap'] as const;
export type OveragePolicy = (typeof overagePolicies)[number];

export type OveragePolicies = { overage: OveragePolicy; spendLimitOverage: OveragePolicy };
