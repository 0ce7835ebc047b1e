/** Where sealed texts are kept. */
export type SealedColumn = { table: 'organizations' | 'webhook_endpoints'; column: string };

/** A rotation moves a secret to the column of the previous one: that stands behind it, so that a walk meets it there. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'organizations', column: 'webhook_secret' },
  { table: 'organizations', column: 'previous_webhook_secret' },
  { table: 'webhook_endpoints', column: 'secret' },
  { table: 'webhook_endpoints', column: 'previous_secret' },
  { table: 'webhook_endpoints', column: 'headers' },
];

/** The key id of a sealed text, as kit/sealedBox writes it. */
export const keyIdSql = (sealed: string) => `split_part(${sealed}, '.', 1)`;
