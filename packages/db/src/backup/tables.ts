import { tables } from '../roles/rights.ts';

const lastAudit = 'ledger_audits';

/** In the order of writing and loading. The last audit says nothing about a restored database. */
export const backupTables: readonly string[] = tables.filter((table) => table !== lastAudit);

/** Tables that are not empty after setup and start; a restore replaces their rows. */
export const replacedTables = ['models', 'model_versions', lastAudit, 'ledger_settings'] as const;
