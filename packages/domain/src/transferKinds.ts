/** What a transfer that clients see is for; top-ups and corrections have no execution. */
export const clientTransferKinds = [
  'top_up',
  'correction',
  'hold',
  'overage',
  'settle',
  'remainder',
  'release',
] as const;

/** All that the journal has. A write-off moves nothing of the organization's: the operator bears it, and alone sees it. */
export const transferKinds = [...clientTransferKinds, 'write_off'] as const;
export type TransferKind = (typeof transferKinds)[number];
