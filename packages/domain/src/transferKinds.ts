/** Kinds that clients see. */
export const clientTransferKinds = [
  'top_up',
  'correction',
  'hold',
  'overage',
  'settle',
  'remainder',
  'release',
] as const;

/** Write-offs are borne by the operator and visible to operators only. */
export const transferKinds = [...clientTransferKinds, 'write_off'] as const;
export type TransferKind = (typeof transferKinds)[number];
