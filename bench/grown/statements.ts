/** Set-based statements that fill a database with past months; see seed.ts. `$1` distinguishes the rows of a run. */

const hold = '0.01';
const cost = '0.001';
const toppedUp = '1000000';
/** Seven, so that usage has as many rows for each hour. */
const model = `CASE nth % 7 WHEN 0 THEN 'sandbox-text' ELSE 'grown-' || nth % 7 END`;

const uuidTail = (name: string) =>
  `(SELECT '-7' || substr(h, 1, 3) || '-8' || substr(h, 4, 3) || '-' || substr(h, 7, 12) FROM md5(${name}) AS h)`;

const organizationId = `'org_' || md5($1::text || 'org' || o)::uuid::text`;

/** `$2`: number of organizations. Their balances follow once the journal is written. */
export const organizations = `
WITH inserted AS (
  INSERT INTO organizations (id, name, webhook_secret)
  SELECT ${organizationId}, 'Grown', 'none' FROM generate_series(1, $2::int) AS o RETURNING id
)
INSERT INTO transfers_funding (organization_id, sequence, kind, debit_account, credit_account, amount, available_after,
  held_after)
SELECT id, 1, 'top_up', 'funding', 'available', ${toppedUp}, ${toppedUp}, 0 FROM inserted`;

/**
 * Executions of the month that starts at `$2`: `$4` for each of `$3` organizations, after `$5` earlier ones, in order
 * of time.
 */
export const plan = `
CREATE UNLOGGED TABLE bench_grown AS
SELECT ${organizationId} AS organization_id, i + $5::int AS nth, at,
  hex_start || ${uuidTail(`$1::text || o || '/' || (i + $5::int)`)} AS uuid
FROM generate_series(0, $4::int - 1) AS i, generate_series(1, $3::int) AS o,
  LATERAL (SELECT $2::date::timestamp AT TIME ZONE 'UTC'
    + interval '27 days' * ((i::float8 * $3::int + o) / ($3::float8 * $4::int)) AS at) AS t,
  LATERAL (SELECT lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') AS hex) AS x,
  LATERAL (SELECT substr(hex, 1, 8) || '-' || substr(hex, 9, 4) AS hex_start) AS y
ORDER BY i, o`;

/** Random tokens: building the index once is faster than inserting into it. */
export const dropTokens = 'DROP INDEX attempts_token_key';
export const indexTokens = 'CREATE UNIQUE INDEX attempts_token_key ON attempts (token)';

export const forget = 'DROP TABLE bench_grown';

export const monthlyTables = ['executions', 'transfers', 'events', 'deliveries', 'delivery_attempts'];

type Month = { suffix: string };

export function finishedStatements({ suffix }: Month): string[] {
  return [
    ...monthlyTables.map(
      (table) => `CREATE TABLE ${table}${suffix} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
    ),
    `INSERT INTO executions${suffix} (id, organization_id, api_key_id, model, status, input, hold_amount,
       estimated_cost, cost, output, input_tokens, output_tokens, latency_ms, created_at, started_at, completed_at,
       expires_at)
     SELECT 'exec_' || uuid, organization_id, 'key_grown', ${model}, 'COMPLETED',
       '{"prompt":"a prompt of that time"}', ${hold}, ${cost}, ${cost},
       '{"text":"an output of that time, which is kept"}', 6, 9, 1000, at, at + interval '1 second',
       at + interval '2 seconds', at + interval '10 minutes'
     FROM bench_grown`,
    `INSERT INTO transfers${suffix} (organization_id, sequence, kind, debit_account, credit_account, amount,
       available_after, held_after, execution_id, created_at)
     SELECT organization_id, 2 + 3 * nth + step, kind, debit, credit, amount,
       ${toppedUp} - ${cost} * nth - left_available, held, 'exec_' || uuid, at
     FROM bench_grown, (VALUES
       (0, 'hold', 'available', 'held', ${hold}, ${hold}, ${hold}),
       (1, 'settle', 'held', 'revenue', ${cost}, ${hold}, ${hold} - ${cost}),
       (2, 'remainder', 'held', 'available', ${hold} - ${cost}, ${cost}, 0)
     ) AS v (step, kind, debit, credit, amount, left_available, held)`,
    `INSERT INTO events${suffix} (id, organization_id, execution_id, type, created_at, body, fanned_out_at)
     SELECT event_id('exec_' || uuid, type), organization_id, 'exec_' || uuid, type, at,
       CASE type WHEN 'execution.completed' THEN rpad('{"type":"execution.completed"', 700, ' ') || '}' END, at
     FROM bench_grown, (VALUES ('execution.started'), ('execution.completed')) AS v (type)`,
    `INSERT INTO deliveries${suffix} (id, event_id, organization_id, endpoint_id, lane, url, state, attempts,
       next_attempt_at, expires_at, created_at, finished_at)
     SELECT delivery_id(event, endpoint), event, organization_id, endpoint, endpoint, 'https://example.com/', 'delivered', 1, NULL,
       at + interval '1 day', at, at
     FROM (SELECT *, event_id('exec_' || uuid, 'execution.completed') AS event,
       replace(organization_id, 'org_', 'wh_') AS endpoint FROM bench_grown) AS g`,
    `INSERT INTO delivery_attempts${suffix} (delivery_id, number, started_at, duration_ms, status_code)
     SELECT id, 1, created_at, 12, 204 FROM deliveries${suffix}`,
    `INSERT INTO attempts (id, execution_id, number, provider, state, token, external_id, outcome, created_at,
       finished_at, settled_at)
     SELECT 'att_' || uuid, 'exec_' || uuid, 1, 'sandbox', 'succeeded', md5(uuid) || md5('token' || uuid), uuid,
       '{"ok":true,"output":{"text":"an output of that time"},"cost":"${cost}"}', at, at, at
     FROM bench_grown`,
    `INSERT INTO idempotency_keys (organization_id, key, request_hash, execution_id, created_at)
     SELECT organization_id, uuid, md5(uuid) || md5(uuid), 'exec_' || uuid, at FROM bench_grown`,
    ...monthlyTables.map((table) => attach(table, suffix)),
  ];
}

function attach(table: string, suffix: string): string {
  const prefixes = {
    executions: 'exec',
    transfers: 'exec',
    events: 'evt',
    deliveries: 'dlv',
    delivery_attempts: 'dlv',
  };
  const prefix = new Map(Object.entries(prefixes)).get(table);
  const month = `to_date('${suffix}', '_YYYY_MM')`;
  return `DO $$ BEGIN EXECUTE format('ALTER TABLE ${table} ATTACH PARTITION ${table}${suffix} FOR VALUES FROM (%L) TO (%L)',
    month_bound('${prefix}', ${month}), month_bound('${prefix}', (${month} + interval '1 month')::date)); END $$`;
}

/** Created an hour from now, so that no sweep starts them: the backlog stays one. */
export function pendingStatements({ suffix }: Month): string[] {
  return [
    `INSERT INTO executions${suffix} (id, organization_id, api_key_id, model, status, input, hold_amount,
       estimated_cost, created_at, expires_at)
     SELECT 'exec_' || uuid, organization_id, 'key_grown', 'sandbox-text', 'PENDING', '{"prompt":"waiting"}', ${hold},
       ${cost}, now() + interval '1 hour', now() + interval '1 day'
     FROM bench_grown`,
    `INSERT INTO transfers${suffix} (organization_id, sequence, kind, debit_account, credit_account, amount,
       available_after, held_after, execution_id)
     SELECT organization_id, 2 + 3 * before + waiting, 'hold', 'available', 'held', ${hold},
       ${toppedUp} - ${cost} * before - ${hold} * (waiting + 1), ${hold} * (waiting + 1), 'exec_' || uuid
     FROM (SELECT *, min(nth) OVER () AS before, nth - min(nth) OVER () AS waiting FROM bench_grown) AS g`,
  ];
}

/** `$2`: ended executions of each organization, `$3`: pending ones, `$4`: organizations. */
export const balances = `
INSERT INTO balances (organization_id, available, held, sequence)
SELECT ${organizationId}, ${toppedUp} - ${cost} * $2::int - ${hold} * $3::int, ${hold} * $3::int, 1 + 3 * $2::int + $3::int
FROM generate_series(1, $4::int) AS o`;
