import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { migrationAdapter } from './migrationAdapter.ts';
import { readSchema } from './migrationFiles.ts';

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

/** Runs `work` with Prisma's schema engine connected to a database, and closes its connections afterwards. */
export async function withSchemaEngine<T>(
  databaseUrl: string,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  loaded ??= loadEngine();
  await loaded;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2, application_name: 'holdfast-migrate' });
  // Of a connection that breaks the statement under way tells; without a listener it would end the process.
  pool.on('error', () => {});
  const adapter = bindMigrationAwareSqlAdapterFactory(migrationAdapter(pool));
  try {
    const datamodels: [string, string][] = [['schema.prisma', await readSchema()]];
    return await work(await bindings.SchemaEngine.new({ datamodels }, () => {}, adapter));
  } finally {
    await pool.end();
  }
}
