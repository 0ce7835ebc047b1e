import { PrismaPg } from '@prisma/adapter-pg';
import {
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlQuery,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { briefly, patiently } from './patiently.ts';

const charOid = 18;
const charArrayOid = 1002;

/**
 * Prisma's adapter with the two things that its schema engine needs and it lacks.
 * `"char"` columns of pg_catalog: the adapter refuses them (prisma/orm#27403), so they pass it as arrays, a type
 * which nothing else here has, and come out as what they are.
 * Scripts are sent whole: the adapter cuts them at every `;`, inside function bodies too, and commits each piece.
 * A migration without transaction commands thereby applies all or nothing, and the record says which: see `finish`.
 */
export function migrationAdapter(pool: pg.Pool): PrismaPg {
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
    await patiently(() => client.query(`${briefly}\n${script}\n;${finish}`));
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
