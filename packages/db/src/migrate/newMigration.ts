import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlQuery,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { openCluster, openPool } from '../session.ts';
import { migrate, migrationsFolder, prismaFolder } from './migrate.ts';

// Development only: Prisma's schema engine is not installed in production.

/**
 * Returns the path, or null without a difference from `schema.prisma`. `scratchUrl` is an empty database; `name` is
 * lower-case words joined by `_`.
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
  await dropUnknownToPrisma(scratchUrl);
  const sql = await differenceToSchema(scratchUrl);
  return sql === null ? null : writeMigration(migrationFile(name, folder), sql);
}

// The engine takes partitions, and partial and expression indexes, for drift and would drop them.
async function dropUnknownToPrisma(databaseUrl: string): Promise<void> {
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
  loaded ??= loadEngine();
  await loaded;
  const content = await readFile(join(prismaFolder, 'schema.prisma'), 'utf8');
  const schema = [{ path: 'schema.prisma', content }];
  const pool = openPool(openCluster(databaseUrl), { max: 2 });
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(diffAdapter(pool));
    const engine = await bindings.SchemaEngine.new(
      { datamodels: [['schema.prisma', content]] },
      () => {},
      adapter,
    );
    const { stdout, exitCode } = await engine.diff({
      from: { tag: 'schemaDatasource', files: schema, configDir: '' },
      to: { tag: 'schemaDatamodel', files: schema },
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    });
    return exitCode === 0 ? null : stdout;
  } finally {
    await pool.end();
  }
}

/** The file of a migration of this moment. */
export function migrationFile(name: string, folder = migrationsFolder): string {
  const timestamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  return join(folder, `${timestamp}_${name}`, 'migration.sql');
}

async function writeMigration(file: string, sql: string): Promise<string> {
  await mkdir(join(file, '..'));
  await writeFile(file, sql, { flag: 'wx' });
  return file;
}

const charOid = 18;
const charArrayOid = 1002;

// Prisma's adapter refuses `"char"` columns of pg_catalog (prisma/orm#27403), so they pass it as arrays of char, a type
// that nothing else here has.
function diffAdapter(pool: pg.Pool): PrismaPg {
  const factory = new PrismaPg(Object.assign(pool, { query: disguiseChars(pool.query.bind(pool)) }));
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const connection = await connect();
    const queryRaw = connection.queryRaw.bind(connection);
    return Object.assign(connection, {
      queryRaw: async (query: SqlQuery) => revealChars(await queryRaw(query)),
    });
  };
  return factory;
}

function disguiseChars(query: pg.Pool['query']) {
  return async (request: pg.QueryArrayConfig) => {
    const result = await query(request);
    for (const field of result.fields) if (field.dataTypeID === charOid) field.dataTypeID = charArrayOid;
    return result;
  };
}

function revealChars(result: SqlResultSet): SqlResultSet {
  const { CharacterArray, Character } = ColumnTypeEnum;
  return {
    ...result,
    columnTypes: result.columnTypes.map((type) => (type === CharacterArray ? Character : type)),
  };
}

let loaded: Promise<void> | undefined;

// Instantiated by hand: importing .wasm as a module is still experimental and warns on every start.
async function loadEngine(): Promise<void> {
  const folder = dirname(
    createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg'),
  );
  const module = await WebAssembly.compile(await readFile(join(folder, 'schema_engine_bg.wasm')));
  const imports = Object.fromEntries(Object.entries(bindings).map(withQuietTimers));
  const { exports } = await WebAssembly.instantiate(module, { './schema_engine_bg.js': imports });
  bindings.__wbg_set_wasm(exports);
  (exports['__wbindgen_start'] as () => void)();
}

// The engine leaves a timer of 10 s behind, which must not keep a process that has done its work.
function withQuietTimers([name, value]: [string, unknown]): [string, unknown] {
  return [name, name.startsWith('__wbg_setTimeout_') ? quietTimeout : value];
}

function quietTimeout(callback: () => void, delayMs: number): NodeJS.Timeout {
  return setTimeout(callback, delayMs).unref();
}
