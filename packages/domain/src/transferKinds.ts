/** What a transfer of the journal is for; top-ups and corrections have no execution. */
export const transferKinds = [
  'top_up',
  'correction',
  'hold',
  'overage',
  'settle',
  'remainder',
  'release',
] as const;
export type TransferKind = (typeof transferKinds)[number];
