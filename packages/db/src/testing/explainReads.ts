import pg, { type PoolClient } from 'pg';
import type { Database } from '../client.ts';

/** The relations that a query opens and the rows it scans, by the generic plan; of several statements the first. */
export async function explainReads(
  db: Database,
  work: (db: Database) => Promise<unknown>,
): Promise<{ relations: string[]; rows: number }> {
  const { name, text, values } = await statementOf(work);
  const client = await db.pool.connect();
  await client.query(`PREPARE ${name} AS ${text}`);
  const given = await literals(client, name, values);
  const { rows } = await client.query(
    `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE ${name}${given.length > 0 ? `(${given.join(', ')})` : ''}`,
  );
  await client.query(`DEALLOCATE ${name}`);
  client.release();
  const scans = scansIn(rows[0]['QUERY PLAN'][0].Plan);
  return {
    relations: scans.map((scan) => scan['Relation Name'] ?? ''),
    rows: scans.reduce((sum, scan) => sum + rowsOf(scan), 0),
  };
}

async function literals(client: PoolClient, name: string, values: unknown[]): Promise<string[]> {
  const { rows: parameters } = await client.query<{ type: string }>(
    'SELECT unnest(parameter_types)::text AS type FROM pg_prepared_statements WHERE name = $1',
    [name],
  );
  const columns = parameters.map(({ type }, index) => `$${index + 1}::${type}::text`);
  const { rows } = await client.query<(string | null)[]>({
    text: `SELECT ${columns.join(', ')}`,
    values,
    rowMode: 'array',
  });
  return (rows[0] ?? []).map((text) => (text === null ? 'NULL' : pg.escapeLiteral(text)));
}

type Statement = { name: string; text: string; values: unknown[] };

async function statementOf(work: (db: Database) => Promise<unknown>): Promise<Statement> {
  const statements: Statement[] = [];
  const query = async (statement: Statement) => {
    statements.push(statement);
    return { rows: [] };
  };
  await work({ pool: { query } } as unknown as Database);
  const [first] = statements;
  if (!first) throw new Error('no statement was run');
  return first;
}

type Plan = {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
};

function scansIn(plan: Plan): Plan[] {
  const isScan = plan['Relation Name'] !== undefined && plan['Actual Loops'] > 0;
  return [...(isScan ? [plan] : []), ...(plan.Plans ?? []).flatMap(scansIn)];
}

function rowsOf(scan: Plan): number {
  return scan['Actual Loops'] * (scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0));
}
