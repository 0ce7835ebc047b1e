export const clientTransferKinds = [
  'top_up',
  'correction',
  'hold',
  'overage',
  'settle',
  'remainder',
  'release',
  'reserve',
  'unreserve',
] as const;

/** Write-offs are borne by the operator and visible to operators only. */
export const transferKinds = [...clientTransferKinds, 'write_off'] as const;
export type TransferKind = (typeof transferKinds)[number];

/** The cost above the hold: `charge` it in full, or `cap` it at the balance or spend limit and write off the rest. */
export const overagePolicies = ['charge', 'cap'] as const;
export type OveragePolicy = (typeof overagePolicies)[number];

export type OveragePolicies = { overage: OveragePolicy; spendLimitOverage: OveragePolicy };
