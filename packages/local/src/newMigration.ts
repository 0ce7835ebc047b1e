import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrationFile, newMigration } from '@holdfast/db/migrate/newMigration';
import { removePostgresData } from './postgres/dataFolder.ts';
import { startPostgres } from './postgres.ts';

// `npm run db:migration -- <name>`: compares schemas on a temporary Postgres.
const name = process.argv[2];
if (name === undefined) {
  console.error('Usage: npm run db:migration -- <name_in_lower_case>');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'holdfast-migration-'));
const dataDir = join(folder, 'postgres');
try {
  const postgres = await startPostgres({ dataDir, settings: { fsync: 'off' } });
  try {
    const file = await newMigration(postgres.url, name);
    console.log(
      file
        ? `Wrote ${file}`
        : `The migrations already lead to prisma/schema.prisma. For what it cannot express, such as a check, write ${migrationFile(name)} yourself.`,
    );
  } finally {
    await postgres.stop();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  removePostgresData(dataDir);
  rmSync(folder, { recursive: true, force: true });
}
