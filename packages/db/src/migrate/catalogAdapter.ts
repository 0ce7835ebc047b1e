import { PrismaPg } from '@prisma/adapter-pg';
import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import pg from 'pg';

const charOid = 18;
const textOid = 25;

/** A small pool that names the `"char"` columns of pg_catalog text: the adapter refuses them (prisma/orm#27403). */
export function openCatalogPool(databaseUrl: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2, application_name: 'holdfast-migrate' });
  const queryPool = pool.query.bind(pool);
  const query = async (request: pg.QueryArrayConfig) => {
    const result = await queryPool(request);
    for (const field of result.fields ?? []) if (field.dataTypeID === charOid) field.dataTypeID = textOid;
    return result;
  };
  return Object.assign(pool, { query });
}

/**
 * Prisma's adapter, but a migration is sent whole: the adapter cuts scripts at every `;`, inside function bodies
 * too, and commits piece by piece. Sent whole, a migration without transaction commands applies all or nothing.
 */
export function wholeScriptAdapter(pool: pg.Pool): PrismaPg {
  const factory = new PrismaPg(pool);
  const connect = factory.connect.bind(factory);
  factory.connect = async () =>
    Object.assign(await connect(), { executeScript: (script: string) => runScript(pool, script) });
  return factory;
}

async function runScript(pool: pg.Pool, script: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(script);
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
