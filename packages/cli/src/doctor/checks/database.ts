import { readMigrationState } from '@holdfast/db/migrate/migrationState';
import { readHorizon } from '@holdfast/db/partitions/list';
import { readDeviations } from '@holdfast/db/roles/deviations';
import { readServerFacts } from '@holdfast/db/serverFacts';
import { clockFinding } from '../clock.ts';
import type { Check, Finding } from '../finding.ts';

const runSetup = 'run the setup: npm start does, docker compose up does (migrate)';
/** The one that the tests run on, and the oldest that is known to do. */
const oldestVersion = 150_000;

export const databaseCheck: Check = {
  check: 'database',
  mend: 'is PostgreSQL up, and DATABASE_URL that of its owner?',
  async look(context) {
    const facts = await readServerFacts(context.openDatabase());
    const found = `PostgreSQL ${facts.version}`;
    const reached: Finding =
      facts.versionNumber < oldestVersion
        ? { state: 'warn', check: 'database', found, mend: 'use PostgreSQL 17' }
        : { state: 'ok', check: 'database', found };
    return [reached, clockFinding('clock of the database', facts)];
  },
};

export const migrationsCheck: Check = {
  check: 'migrations',
  mend: runSetup,
  async look(context) {
    const { applied, missing, unknown } = await readMigrationState(context.openDatabase());
    const check = 'migrations';
    if (missing.length > 0)
      return [{ state: 'fail', check, found: `missing: ${missing.join(', ')}`, mend: runSetup }];
    if (unknown.length > 0) {
      const mend = 'a newer version has migrated it: run that version here too';
      return [{ state: 'warn', check, found: `of another version: ${unknown.join(', ')}`, mend }];
    }
    return [{ state: 'ok', check, found: `all ${applied} are applied` }];
  },
};

export const rolesCheck: Check = {
  check: 'roles and rights',
  mend: runSetup,
  async look(context) {
    const { strangers, missing, excess } = await readDeviations(context.openDatabase());
    const check = 'roles and rights';
    if (strangers.length === 4)
      return [
        { state: 'skipped', check, found: 'no role of a service has a right here: all log in as the owner' },
      ];
    const problems = [
      ...strangers.map((role) => `${role} has no right here`),
      ...missing.map((right) => `missing: ${right}`),
      ...excess.map((right) => `too much: ${right}`),
    ];
    if (problems.length === 0) return [{ state: 'ok', check, found: 'as they are meant to be' }];
    const shown = problems.slice(0, 5).join('; ');
    const more = problems.length > 5 ? `; ${problems.length - 5} more` : '';
    return [{ state: 'fail', check, found: `${shown}${more}`, mend: runSetup }];
  },
};

export const partitionsCheck: Check = {
  check: 'partitions',
  mend: runSetup,
  async look(context) {
    const { monthsAhead } = await readHorizon(context.openDatabase().pool);
    const found = `made for ${monthsAhead} months after this one`;
    const mend = 'holdfast partitions make; then look why the ledger, which makes them every hour, does not';
    if (monthsAhead >= 2) return [{ state: 'ok', check: 'partitions', found }];
    return [{ state: monthsAhead === 0 ? 'fail' : 'warn', check: 'partitions', found, mend }];
  },
};
