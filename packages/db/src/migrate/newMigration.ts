import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { noFilters, withSchemaEngine } from './engine.ts';
import { migrationsFolder, readSchema } from './files.ts';
import { migrate } from './migrate.ts';

/**
 * Writes the SQL that leads from the migrations to `schema.prisma` as a new migration and returns its file's path,
 * or null when the schema asks for nothing new. `scratchUrl` is an empty database that may be thrown away.
 * @param name lower-case words joined by `_`
 */
export async function newMigration(
  scratchUrl: string,
  name: string,
  folder: string = migrationsFolder,
): Promise<string | null> {
  if (!/^[a-z0-9]+(_[a-z0-9]+)*$/.test(name)) {
    throw new Error(`A migration is named in lower-case words joined by "_", not "${name}".`);
  }
  await migrate(scratchUrl, folder);
  await dropWhatPrismaCannotSay(scratchUrl);
  const sql = await differenceToSchema(scratchUrl);
  return sql === null ? null : writeMigration(folder, name, sql);
}

// The engine takes partitions, and partial and expression indexes, for drift and would drop them.
async function dropWhatPrismaCannotSay(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ drop: string }>(
      `SELECT format('DROP TABLE %s', oid::regclass) AS drop FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relispartition AND relkind = 'r'
       UNION ALL
       SELECT format('DROP INDEX IF EXISTS %s', indexrelid::regclass) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
       WHERE relnamespace = 'public'::regnamespace AND NOT relispartition
         AND (indpred IS NOT NULL OR indexprs IS NOT NULL)`,
    );
    for (const { drop } of rows) await client.query(drop);
  } finally {
    await client.end();
  }
}

async function differenceToSchema(databaseUrl: string): Promise<string | null> {
  const schema = [{ path: 'schema.prisma', content: await readSchema() }];
  const { stdout, exitCode } = await withSchemaEngine(databaseUrl, (engine) =>
    engine.diff({
      from: { tag: 'schemaDatasource', files: schema, configDir: '' },
      to: { tag: 'schemaDatamodel', files: schema },
      script: true,
      exitCode: true,
      filters: noFilters,
    }),
  );
  return exitCode === 0 ? null : stdout;
}

async function writeMigration(folder: string, name: string, sql: string): Promise<string> {
  const timestamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const file = join(folder, `${timestamp}_${name}`, 'migration.sql');
  await mkdir(join(file, '..'));
  await writeFile(file, sql, { flag: 'wx' });
  return file;
}
