import { readMigrationState } from '@holdfast/db/migrate/migrate';
import { readHorizon } from '@holdfast/db/partitions';
import { readDeviations } from '@holdfast/db/roles/rights';
import { readLocale, readServerFacts } from '@holdfast/db/server';
import { type Check, clockFinding, type Finding } from '../findings.ts';

const runSetup = 'run the setup: npm start and docker compose up (migrate) do';
/** The oldest version that is known to work; the tests run on 17. */
const oldestVersion = 150_000;

export const databaseCheck: Check = {
  check: 'database',
  fix: 'is PostgreSQL up, and is DATABASE_URL that of its owner?',
  runbook: 'HoldfastDatabaseUnreachable',
  async run(context) {
    const db = await context.openDatabase();
    const facts = await readServerFacts(db);
    const found = `PostgreSQL ${facts.version}`;
    const reached: Finding =
      facts.versionNumber < oldestVersion
        ? { state: 'warning', check: 'database', found, fix: 'use PostgreSQL 17', runbook: 'doctor#database' }
        : { state: 'ok', check: 'database', found };
    return [reached, localeFinding(await readLocale(db)), clockFinding('clock of the database', facts)];
  },
};

function localeFinding(locale: string | null): Finding {
  const check = 'locale of the database';
  if (locale === null) return { state: 'ok', check, found: 'text is compared by bytes' };
  const found = `text is compared by ${locale}, which takes PostgreSQL more CPU`;
  const fix = 'when there is time, restore a backup into a database that compares bytes';
  return { state: 'warning', check, found, fix, runbook: 'doctor#locale-of-the-database' };
}

export const migrationsCheck: Check = {
  check: 'migrations',
  fix: runSetup,
  runbook: 'doctor#migrations',
  async run(context) {
    const { applied, missing, unknown } = await readMigrationState(await context.openDatabase());
    const check = 'migrations';
    if (missing.length > 0)
      return [{ state: 'error', check, found: `missing: ${missing.join(', ')}`, fix: runSetup }];
    if (unknown.length > 0) {
      const fix = 'a newer version has migrated the database: run that version here too';
      return [{ state: 'warning', check, found: `of another version: ${unknown.join(', ')}`, fix }];
    }
    return [{ state: 'ok', check, found: `all ${applied} are applied` }];
  },
};

export const rolesCheck: Check = {
  check: 'roles and rights',
  fix: runSetup,
  runbook: 'doctor#roles-and-rights',
  async run(context) {
    const { withoutRights, missing, excess } = await readDeviations(await context.openDatabase());
    const check = 'roles and rights';
    if (withoutRights.length === 4)
      return [
        {
          state: 'skipped',
          check,
          found: 'the roles of the services are not set up: all services log in as the owner',
        },
      ];
    const problems = [
      ...withoutRights.map((role) => `${role} has no rights`),
      ...missing.map((right) => `missing: ${right}`),
      ...excess.map((right) => `too much: ${right}`),
    ];
    if (problems.length === 0) return [{ state: 'ok', check, found: 'as intended' }];
    const shown = problems.slice(0, 5).join('; ');
    const more = problems.length > 5 ? `; ${problems.length - 5} more` : '';
    return [{ state: 'error', check, found: `${shown}${more}`, fix: runSetup }];
  },
};

export const partitionsCheck: Check = {
  check: 'partitions',
  fix: runSetup,
  runbook: 'HoldfastPartitionsMissing',
  async run(context) {
    const { monthsAhead } = await readHorizon((await context.openDatabase()).pool);
    const found = `there are partitions for ${monthsAhead} months after this one`;
    const fix =
      'holdfast partitions make; then find out why the ledger, which makes them every hour, does not';
    if (monthsAhead >= 2) return [{ state: 'ok', check: 'partitions', found }];
    return [{ state: monthsAhead === 0 ? 'error' : 'warning', check: 'partitions', found, fix }];
  },
};
