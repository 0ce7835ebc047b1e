import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { backoff, retry } from '@holdfast/kit/retry';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlQuery,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { lockNotAvailable } from '../faults.ts';
import { readSchema } from './files.ts';

const charOid = 18;
const charArrayOid = 1002;

// Prisma's adapter with the two things that its schema engine needs and it lacks. `"char"` columns of pg_catalog: the
// adapter refuses them (prisma/orm#27403), so they pass it as arrays, a type which nothing else here has, and come
// out as what they are. Scripts are sent whole: the adapter cuts them at every `;`, inside function bodies too, and
// commits each piece. A migration without transaction commands thereby applies all or nothing, and the record says
// which: see `finish`.
function migrationAdapter(pool: pg.Pool): PrismaPg {
  const factory = new PrismaPg(Object.assign(pool, { query: disguiseChars(pool.query.bind(pool)) }));
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const connection = await connect();
    const queryRaw = connection.queryRaw.bind(connection);
    return Object.assign(connection, {
      queryRaw: async (query: SqlQuery) => revealChars(await queryRaw(query)),
      executeScript: (script: string) => runScript(pool, script),
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

// The engine writes down that a script is done in a statement of its own, which a crash can keep from happening. Said
// by the script's own transaction it is true whatever happens. When somebody took the script for dead meanwhile
// (`forgetUnfinished`) it undoes itself, for they apply it again.
const finish = `DO $$ BEGIN
  IF to_regclass('_prisma_migrations') IS NULL OR NOT EXISTS (SELECT FROM _prisma_migrations) THEN RETURN; END IF;
  UPDATE _prisma_migrations SET finished_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL;
  IF NOT FOUND THEN RAISE 'the migration is being applied by another process'; END IF;
END $$`;

async function runScript(pool: pg.Pool, script: string): Promise<void> {
  const client = await pool.connect();
  try {
    await retryWhileLocked(() => client.query(`${briefly}\n${script}\n;${finish}`));
  } catch (error) {
    throw error instanceof pg.DatabaseError ? asEngineError(error) : error;
  } finally {
    client.release();
  }
}

function asEngineError(error: pg.DatabaseError): DriverAdapterError {
  return new DriverAdapterError({
    kind: 'postgres',
    code: error.code ?? 'XX000',
    severity: error.severity ?? 'ERROR',
    message: error.message,
    detail: error.detail,
    column: error.column,
    hint: error.hint,
  });
}

export const noFilters = { externalTables: [], externalEnums: [] };

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

export async function withSchemaEngine<T>(
  databaseUrl: string,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  loaded ??= loadEngine();
  await loaded;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2, application_name: 'holdfast-migrate' });
  // The running statement reports a broken connection; without a listener it would end the process.
  pool.on('error', () => {});
  const adapter = bindMigrationAwareSqlAdapterFactory(migrationAdapter(pool));
  try {
    const datamodels: [string, string][] = [['schema.prisma', await readSchema()]];
    return await work(await bindings.SchemaEngine.new({ datamodels }, () => {}, adapter));
  } finally {
    await pool.end();
  }
}

// Begins a script. While one waits for a table that a backup or an audit reads, everybody else who asks for that
// table waits behind it: so it gives up after as long as requests can wait, and `patiently` starts it again.
const briefly = "SET LOCAL lock_timeout = '1s';";

const againAfterMs = 2000;
const usuallyGiveUpAfterMs = 600_000;

/** Runs a script that begins with `briefly`, again and again until it gets its locks. @throws when that takes too long */
export async function retryWhileLocked<Result>(
  work: () => Promise<Result>,
  giveUpAfterMs = usuallyGiveUpAfterMs,
): Promise<Result> {
  const isLocked = (error: unknown) => Object(error).code === lockNotAvailable;
  const delaysMs = backoff(againAfterMs, againAfterMs);
  return await retry(work, { delaysMs, forMs: giveUpAfterMs, isRetryable: isLocked }).catch(
    (error: unknown) => {
      throw isLocked(error) ? stillLocked(error, giveUpAfterMs) : error;
    },
  );
}

function stillLocked(error: unknown, afterMs: number): unknown {
  const reason = `for ${afterMs / 60_000} min the tables were in use, by a backup perhaps: try again when it has ended`;
  return Object.assign(Object(error), { message: `${Object(error).message}: ${reason}` });
}
