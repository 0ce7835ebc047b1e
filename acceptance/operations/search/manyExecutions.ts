import pg from 'pg';

/** What few executions have, all of them old: the filters for which a search has to look furthest back. */
export const rare = {
  status: 'EXPIRED',
  model: 'retired-model',
  provider: 'retired',
  errorCode: 'FILE_FORMAT_UNSUPPORTED',
  metadata: ['needle', 'yes'],
} as const;

/** Executions of these 1,000: the first has a tenth of all, the last a thirtieth of a percent. */
export const organizationId = (nth: number) =>
  `org_${String(nth).padStart(8, '0')}-0000-7000-8000-000000000000`;
const organizations = 1000;

const batch = 200_000;

/**
 * Ended executions over the last 360 days, more of them lately. Every fifth has an idempotency key, the newest fifth
 * and the rare ones an attempt. There are no journal, events and deliveries: neither lists nor searches read them.
 */
export async function fillExecutions(
  databaseUrl: string,
  count: number,
  say: (line: string) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `SET session_replication_role = replica; SET synchronous_commit = off; SELECT setseed(0.5)`,
    );
    await client.query(`SELECT make_partitions((now() - interval '361 days')::date, now()::date)`);
    await client.query(
      `INSERT INTO organizations (id, name, webhook_secret)
       SELECT ${organizationSql('nth')}, 'Organization ' || nth, 'none' FROM generate_series(0, ${organizations - 1}) AS nth`,
    );
    const indexes = await dropIndexes(client);
    for (let first = 0; first < count; first += batch) {
      await client.query(plan, [first, Math.min(first + batch, count) - 1, count]);
      await client.query(executions);
      await client.query(attempts, [Math.floor(count * 0.8)]);
      await client.query(keys);
      await client.query('DROP TABLE planned');
      say(`inserted ${Math.min(first + batch, count).toLocaleString('en')} executions`);
    }
    for (const definition of indexes) await client.query(definition);
    await client.query('VACUUM (ANALYZE) executions, attempts, idempotency_keys, organizations');
  } finally {
    await client.end();
  }
}

/** Building the indexes once is faster than inserting into them. Returns their definitions. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = 'executions'::regclass AND NOT indisprimary`,
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '));
}

const organizationSql = (nth: string) =>
  `'org_' || lpad((${nth})::text, 8, '0') || '-0000-7000-8000-000000000000'`;

/** Number `i` of `$3`, in order of time: of 10,000 the first five are rare. */
const plan = `CREATE TEMP TABLE planned AS
SELECT i, at, 'exec_' || substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7' || substr(h, 1, 3) || '-8' || substr(h, 4, 3)
    || '-' || substr(h, 7, 12) AS id,
  floor(power(random(), 3) * ${organizations})::int AS organization, random() AS luck, i % 2000000 < 5 AS is_rare
FROM generate_series($1::int, $2::int) AS i,
  LATERAL (SELECT now() - interval '360 days' * power(1 - i::float8 / $3::int, 1.5) AS at) AS t,
  LATERAL (SELECT lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') AS hex, md5(i::text) AS h) AS x`;

const status = `CASE WHEN is_rare THEN '${rare.status}' WHEN luck < 0.025 THEN 'FAILED' WHEN luck < 0.035 THEN 'CANCELLED'
  ELSE 'COMPLETED' END`;

const executions = `INSERT INTO executions (id, organization_id, api_key_id, model, status, input, metadata, hold_amount,
  estimated_cost, cost, output, input_tokens, output_tokens, latency_ms, error_code, error_message, created_at, started_at,
  completed_at, expires_at)
SELECT id, ${organizationSql('organization')}, 'key_many', CASE WHEN is_rare THEN '${rare.model}' ELSE 'model-' || (i * 7) % 12 END,
  status, json_build_object('prompt', repeat(md5(i::text), 6)),
  CASE WHEN is_rare THEN '{"${rare.metadata[0]}":"${rare.metadata[1]}"}'
    WHEN luck < 0.7 THEN json_build_object('order', 'A-' || i, 'user', 'u' || i % 1000) END,
  0.012, 0.01, CASE status WHEN 'COMPLETED' THEN 0.01 END,
  CASE status WHEN 'COMPLETED' THEN json_build_object('text', repeat(md5(id), 6)) END, 6, 9, 1000,
  CASE WHEN is_rare THEN '${rare.errorCode}' WHEN status = 'FAILED' THEN 'MODEL_OVERLOADED' END,
  CASE WHEN is_rare OR status = 'FAILED' THEN 'The model is overloaded.' END,
  at, at + interval '1 second', at + (1 + luck * 9) * interval '1 second', at + interval '10 minutes'
FROM (SELECT *, ${status} AS status FROM planned) AS p`;

const attempts = `INSERT INTO attempts (id, execution_id, number, provider, state, token, outcome, created_at, finished_at,
  settled_at)
SELECT 'att_' || substr(id, 6), id, 1, CASE WHEN is_rare THEN '${rare.provider}' ELSE 'provider-' || i % 4 END,
  CASE WHEN luck < 0.025 THEN 'failed' ELSE 'succeeded' END, substr(id, 6),
  CASE WHEN luck < 0.025 THEN '{"ok":false,"code":"MODEL_OVERLOADED"}' ELSE '{"ok":true}' END::json,
  at, at + interval '2 seconds', at + interval '2 seconds'
FROM planned WHERE is_rare OR i >= $1`;

const keys = `INSERT INTO idempotency_keys (organization_id, key, request_hash, execution_id, created_at)
SELECT ${organizationSql('organization')}, 'order-' || i, md5(i::text), id, at FROM planned WHERE is_rare OR i % 5 = 0`;
