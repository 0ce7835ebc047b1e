import { newId } from '@holdfast/domain/ids';
import pg from 'pg';

/** Ids of what the statements work on, at most `count` of each kind. */
export type Workload = {
  organizationId: string;
  executions: Record<Kind, string[]>;
  attempts: Record<Kind, string[]>;
  tokens: Record<Kind, string[]>;
  unfannedEvents: string[];
  newDeliveries: string[];
  claimedDeliveries: string[];
  lanes: string[];
  hashes: string[];
  keys: string[];
  files: string[];
  faceHashes: string[];
  callbacks: string[];
  /** Each has items, but for `intake`, whose file waits. */
  batches: Record<BatchKind, string>;
};

/** The state of every tenth execution, in this order; the last three are COMPLETED. */
const kinds = [
  'pending',
  'starting',
  'abandoned',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'completed',
] as const;
type Kind = (typeof kinds)[number];

const batchKinds = ['running', 'open', 'finishing', 'erased', 'paused', 'intake'] as const;
export type BatchKind = (typeof batchKinds)[number];

const organizationId = 'org_workload';
const endpoints = 8;
export const faceRoute = 'POST /v1/openai/chat/completions';

/** Work that no table has: for planning statements while the tables are empty. */
export function absentWorkload(count: number): Workload {
  const ids = (prefix: 'exec' | 'att' | 'evt' | 'dlv' | 'wh' | 'file' | 'cbk') =>
    Array.from({ length: count }, () => newId(prefix));
  const ofKinds = (prefix: 'exec' | 'att') =>
    Object.fromEntries(kinds.map((kind) => [kind, ids(prefix)])) as Record<Kind, string[]>;
  return {
    organizationId,
    executions: ofKinds('exec'),
    attempts: ofKinds('att'),
    tokens: ofKinds('att'),
    unfannedEvents: ids('evt'),
    newDeliveries: ids('dlv'),
    claimedDeliveries: ids('dlv'),
    lanes: ids('wh'),
    hashes: ids('att'),
    keys: ids('att'),
    files: ids('file'),
    faceHashes: ids('att'),
    callbacks: ids('cbk'),
    batches: Object.fromEntries(batchKinds.map((kind) => [kind, newId('bat')])) as Workload['batches'],
  };
}

/**
 * Writes `size` executions with all that belongs to them, without triggers and statistics: of the last minute, in every
 * state; or (`isHistory`) of the month before, all of them completed.
 */
export async function fillWorkload(databaseUrl: string, size: number, isHistory = false): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('SET session_replication_role = replica');
  const month = isHistory ? "now() - interval '1 month'" : 'now()';
  await client.query(`SELECT make_partitions((${month})::date, now()::date)`);
  await client.query('DROP TABLE IF EXISTS workload');
  await client.query(planned, [size, isHistory]);
  for (const statement of fillStatements) {
    if (await hasTable(client, statement)) await client.query(statement);
  }
  await client.end();
}

/** A database of an earlier version lacks some. */
async function hasTable(client: pg.Client, statement: string): Promise<boolean> {
  const [, table = ''] = /(?:INSERT INTO|FROM) (\w+)/.exec(statement) ?? [];
  const { rows } = await client.query<{ isThere: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS "isThere"',
    [table],
  );
  return rows[0]?.isThere ?? false;
}

export async function readWorkload(databaseUrl: string, count: number): Promise<Workload> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const read = async (column: string, rest: string) =>
    (await client.query<{ value: string }>(`SELECT ${column} AS value FROM ${rest} LIMIT ${count}`)).rows.map(
      ({ value }) => value,
    );
  const ofKinds = async (column: string) => {
    const found: [Kind, string[]][] = [];
    for (const kind of kinds) {
      found.push([kind, await read(column, `workload WHERE kind = '${kind}' ORDER BY n DESC`)]);
    }
    return Object.fromEntries(found) as Record<Kind, string[]>;
  };
  const workload = {
    organizationId,
    executions: await ofKinds(`'exec_' || uuid`),
    attempts: await ofKinds(`'att_' || uuid`),
    tokens: await ofKinds(`'token_' || uuid`),
    unfannedEvents: await read('id', 'events WHERE fanned_out_at IS NULL ORDER BY id DESC'),
    newDeliveries: await read('id', 'deliveries WHERE attempts = 0 ORDER BY id DESC'),
    claimedDeliveries: await read('id', 'deliveries WHERE lease_until > now() ORDER BY id DESC'),
    lanes: await read('id', `webhook_endpoints WHERE organization_id = '${organizationId}'`),
    hashes: await read('hash', 'api_key_values'),
    keys: await read('key', 'idempotency_keys ORDER BY created_at DESC'),
    files: await read('id', 'files ORDER BY id DESC'),
    faceHashes: await read('hash', "face_requests WHERE api_key_id = 'key_0'"),
    batches: await batchesOf(read),
    callbacks: await read('id', 'provider_callbacks WHERE processed_at IS NULL ORDER BY id DESC'),
  };
  await client.end();
  return workload;
}

async function batchesOf(read: (column: string, rest: string) => Promise<string[]>) {
  const ids = await read(`'bat_' || uuid`, `workload WHERE n < ${batchKinds.length} ORDER BY n`);
  return Object.fromEntries(batchKinds.map((kind, n) => [kind, ids[n] ?? ''])) as Workload['batches'];
}

const planned = `
CREATE TABLE workload AS
SELECT n, at, CASE WHEN $2::boolean THEN 'completed' ELSE
    (ARRAY ['${kinds.join("', '")}', 'completed', 'completed'])[1 + n % 10] END AS kind,
  substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7000-8000-' || substr(md5(n::text), 1, 12) AS uuid
FROM generate_series(0, $1::int - 1) AS n
CROSS JOIN LATERAL (
  SELECT now() - CASE WHEN $2::boolean THEN interval '1 month' ELSE interval '1 minute' END + n * interval '1 millisecond' AS at
) AS t
CROSS JOIN LATERAL (SELECT lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') AS hex) AS h`;

const fillStatements = [
  `INSERT INTO organizations (id, name, webhook_secret) VALUES ('${organizationId}', 'Workload', 'none')
   ON CONFLICT DO NOTHING`,
  `INSERT INTO webhook_endpoints (id, organization_id, url, secret)
   SELECT 'wh_' || n, '${organizationId}', 'https://example.com', 'none' FROM generate_series(0, ${endpoints - 1}) n
   ON CONFLICT DO NOTHING`,
  // Others, each with a balance and an endpoint.
  `INSERT INTO organizations (id, name, webhook_secret) SELECT 'org_' || n, 'Other', 'none' FROM workload
   ON CONFLICT DO NOTHING`,
  `INSERT INTO balances (organization_id, available) SELECT 'org_' || n, 1 FROM workload ON CONFLICT DO NOTHING`,
  `INSERT INTO webhook_endpoints (id, organization_id, url, secret)
   SELECT 'wh_other_' || n, 'org_' || n, 'https://example.com', 'none' FROM workload ON CONFLICT DO NOTHING`,
  `INSERT INTO api_keys (id, organization_id, name, permissions, prefix)
   SELECT 'key_' || n, '${organizationId}', 'Key', 'full', 'sk_' FROM workload WHERE n % 20 = 0 ON CONFLICT DO NOTHING`,
  `INSERT INTO api_key_values (hash, api_key_id) SELECT md5(n::text), 'key_' || n FROM workload WHERE n % 20 = 0
   ON CONFLICT DO NOTHING`,
  `INSERT INTO spend_limits (scope_id, organization_id, amount, month, spent)
   SELECT 'key_' || n, '${organizationId}', 1000, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 10
   FROM workload WHERE n % 20 = 0 ON CONFLICT DO NOTHING`,
  `INSERT INTO executions (id, organization_id, api_key_id, model, status, input, output, hold_amount, estimated_cost,
     cost, created_at, started_at, completed_at, expires_at)
   SELECT 'exec_' || uuid, '${organizationId}', 'key_0', 'm', CASE kind WHEN 'pending' THEN 'PENDING'
       WHEN 'completed' THEN 'COMPLETED' ELSE 'PROCESSING' END, '{"prompt":"a cat on a mat"}',
     CASE kind WHEN 'completed' THEN json_build_object('text', repeat('purr ', 20)) END, 0.6, 0.5,
     CASE kind WHEN 'completed' THEN 0.2 END, at, at, CASE kind WHEN 'completed' THEN at END,
     CASE n % 50 WHEN 1 THEN at ELSE at + interval '1 hour' END FROM workload`,
  `INSERT INTO idempotency_keys (organization_id, key, request_hash, execution_id, created_at)
   SELECT '${organizationId}', 'key-' || uuid, md5(uuid), 'exec_' || uuid, at FROM workload`,
  `INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after,
     held_after, execution_id, created_at)
   SELECT '${organizationId}', (SELECT coalesce(max(sequence), 0) FROM transfers) + row_number() OVER (ORDER BY n, step), v.kind, debit, credit, amount, 1000, 1000,
     'exec_' || uuid, at
   FROM workload w, (VALUES (0, 'hold', 'available', 'held', 0.6), (1, 'settle', 'held', 'revenue', 0.2),
     (2, 'remainder', 'held', 'available', 0.4)) AS v (step, kind, debit, credit, amount)
   WHERE step = 0 OR w.kind = 'completed'`,
  `INSERT INTO balances (organization_id, available, held, sequence)
   SELECT '${organizationId}', 1000000, 1000000, max(sequence) FROM transfers
   ON CONFLICT (organization_id) DO UPDATE SET sequence = excluded.sequence`,
  `INSERT INTO attempts (id, execution_id, number, provider, target, state, token, handle, outcome, lease_until,
     poll_at, created_at, finished_at, settled_at)
   SELECT 'att_' || uuid, 'exec_' || uuid, 1, 'sandbox', 'm',
     CASE kind WHEN 'abandoned' THEN 'starting' WHEN 'completed' THEN 'succeeded' ELSE kind END, 'token_' || uuid,
     '{"externalId":"x"}', CASE WHEN kind IN ('succeeded', 'completed')
       THEN '{"ok":true,"output":{"text":"a purring cat"},"inputTokens":1,"outputTokens":2,"cost":"0.2"}'
       WHEN kind = 'failed' THEN '{"ok":false,"code":"GENERATION_FAILED","message":"no"}' END::json,
     CASE kind WHEN 'starting' THEN at + interval '1 hour' WHEN 'abandoned' THEN at END,
     CASE WHEN kind IN ('running', 'waiting') THEN at END, at,
     CASE WHEN kind IN ('succeeded', 'failed', 'completed') THEN at END, CASE kind WHEN 'completed' THEN at END
   FROM workload WHERE kind <> 'pending'`,
  `INSERT INTO provider_callbacks (id, provider, token, event_key, headers, body, received_at, processed_at)
   SELECT 'cbk_' || uuid, 'sandbox', 'token_' || uuid, 'event', '{}', '', at, CASE kind WHEN 'completed' THEN at END
   FROM workload WHERE kind IN ('running', 'completed')`,
  `INSERT INTO files (id, organization_id, origin, execution_id, state, filename, content_type, size_bytes, created_at, expires_at)
   SELECT 'file_' || uuid, '${organizationId}', 'output', 'exec_' || uuid, 'ready', 'cat.png', 'image/png', 1, at,
     CASE WHEN kind <> 'completed' THEN at + interval '1 day' END
   FROM workload WHERE kind <> 'pending'`,
  `INSERT INTO streams (execution_id, kind, attempt, events, shown_by, closed_at)
   SELECT 'exec_' || uuid, 'text', 1, 3, 1, CASE kind WHEN 'completed' THEN at - interval '1 day' END
   FROM workload WHERE kind IN ('running', 'completed')`,
  `INSERT INTO stream_events (execution_id, number, type, data)
   SELECT execution_id, n, 'output', '{"delta":"purr"}' FROM streams, generate_series(1, 3) n ON CONFLICT DO NOTHING`,
  `INSERT INTO face_requests (api_key_id, route, hash, execution_id)
   SELECT 'key_' || n % 100, '${faceRoute}', uuid, 'exec_' || uuid FROM workload`,
  `INSERT INTO events (id, organization_id, execution_id, type, created_at, body, fanned_out_at)
   SELECT event_id('exec_' || uuid, 'execution.started'), '${organizationId}', 'exec_' || uuid, 'execution.started', at,
     NULL, at FROM workload WHERE kind <> 'pending'`,
  `INSERT INTO events (id, organization_id, execution_id, type, created_at, body, fanned_out_at)
   SELECT event_id('exec_' || uuid, 'execution.completed'), '${organizationId}', 'exec_' || uuid, 'execution.completed',
     at, CASE WHEN n % 10 <> 7 THEN repeat('body ', 100) END,
     CASE WHEN n % 10 <> 7 OR at < now() - interval '1 day' THEN at END FROM workload WHERE kind = 'completed'`,
  `INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, state, attempts, next_attempt_at,
     lease_until, expires_at, created_at, finished_at)
   SELECT delivery_id(v.id, endpoint), v.id, '${organizationId}', endpoint, endpoint, 'https://example.com',
     CASE WHEN d.n = 2 THEN 'delivered' ELSE 'pending' END, CASE WHEN d.n = 0 THEN 0 ELSE 1 END,
     CASE WHEN d.n < 2 THEN at END, CASE WHEN d.n = 1 THEN at + interval '1 hour' END, at + interval '1 day',
     at, CASE WHEN d.n = 2 THEN at END
   FROM workload w JOIN events v ON v.id = event_id('exec_' || uuid, 'execution.completed')
   CROSS JOIN LATERAL (SELECT 'wh_' || (w.n / 10) % ${endpoints} AS endpoint) e
   CROSS JOIN LATERAL (SELECT CASE WHEN at < now() - interval '1 day' THEN 2 ELSE w.n % 3 END AS n) d
   WHERE w.n % 10 > 7`,
  `INSERT INTO delivery_attempts (delivery_id, number, started_at, duration_ms, status_code)
   SELECT id, 1, created_at, 1, CASE WHEN state = 'delivered' THEN 204 END FROM deliveries WHERE attempts > 0
   ON CONFLICT DO NOTHING`,
  // Half of the executions are items of the first batch.
  `INSERT INTO batch_items (batch_id, custom_id, position, hash, status, model, input, timeout_s, estimated_cost, hold,
     execution_id, number)
   SELECT 'bat_' || b.uuid, 'item-' || w.n, w.n, md5(w.n::text)::uuid, status, 'm',
     CASE status WHEN 'waiting' THEN '{"prompt":"a cat on a mat"}'::json END, 600, 0.5, 0.6,
     CASE WHEN status <> 'waiting' THEN 'exec_' || w.uuid END, CASE WHEN status NOT IN ('waiting', 'running') THEN w.n + 1 END
   FROM workload b JOIN workload w ON b.n = 0 OR w.n < 1000
   CROSS JOIN LATERAL (SELECT CASE WHEN b.kind = 'completed' OR b.n = 3 THEN 'completed'
     WHEN b.n > 0 OR w.n / 10 % 2 = 1 THEN 'waiting' WHEN w.kind <> 'completed' THEN 'running'
     WHEN w.n % 10 = 8 THEN 'failed' ELSE 'completed' END AS status) s
   WHERE b.n < 5`,
  `INSERT INTO batches (id, organization_id, api_key_id, status, ends_as, reason, window_s, intake_at, face, total, waiting,
     running, completed, failed, ended, held, created_at, expires_at, ended_at, erased_at, erased_to)
   SELECT 'bat_' || uuid, '${organizationId}', 'key_0', status,
     CASE status WHEN 'completed' THEN status WHEN 'finishing' THEN 'cancelled' END,
     CASE status WHEN 'paused' THEN 'insufficient_balance' END, 86400, CASE WHEN status = 'open' AND n = 5 THEN at END,
     CASE WHEN status = 'open' AND n = 5 THEN '{}'::json END, total, waiting, running, completed, failed, last, 0.6 * running,
     at, at + interval '1 hour', CASE status WHEN 'completed' THEN at END, CASE n WHEN 3 THEN at END, CASE n WHEN 3 THEN '' END
   FROM workload w CROSS JOIN LATERAL (SELECT CASE WHEN kind = 'completed' OR n > 5 OR n = 3 THEN 'completed'
     ELSE (ARRAY['running', 'open', 'finishing', '', 'paused', 'open'])[n + 1] END AS status) s
   CROSS JOIN LATERAL (SELECT count(*) AS total, count(*) FILTER (WHERE i.status = 'waiting') AS waiting,
     count(*) FILTER (WHERE i.status = 'running') AS running, count(*) FILTER (WHERE i.status = 'completed') AS completed,
     count(*) FILTER (WHERE i.status = 'failed') AS failed, coalesce(max(number), 0) AS last
     FROM batch_items i WHERE i.batch_id = 'bat_' || w.uuid) c
   WHERE n < 6 OR n % 4 = 0`,
  `UPDATE executions e SET batch_id = i.batch_id, custom_id = i.custom_id FROM batch_items i
   WHERE i.execution_id = e.id AND i.batch_id = (SELECT 'bat_' || uuid FROM workload WHERE n = 0)`,
];
