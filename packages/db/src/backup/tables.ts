import { tables } from '../roles/rights.ts';

const lastAudit = 'ledger_audits';

/**
 * Every table of a backup, in the order in which it is written and loaded; none refers to another by a foreign key. The
 * last audit stays out: it says nothing of a database that was restored.
 */
export const backupTables: readonly string[] = tables.filter((table) => table !== lastAudit);

/**
 * What an empty database may hold, and a restore replaces: the setup makes the catalogue, the ledger audits, the migrations
 * write the settings of the ledger.
 */
export const replacedTables = ['models', lastAudit, 'ledger_settings'] as const;
