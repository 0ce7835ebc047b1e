import type { Database } from '../client.ts';

export const roles = [
  'holdfast_gateway',
  'holdfast_dispatcher',
  'holdfast_ledger',
  'holdfast_webhook_sender',
] as const;
export type Role = (typeof roles)[number];

export const roleOf = {
  'api-gateway': 'holdfast_gateway',
  dispatcher: 'holdfast_dispatcher',
  ledger: 'holdfast_ledger',
  'webhook-sender': 'holdfast_webhook_sender',
} as const satisfies Record<string, Role>;

/** As GRANT takes it. Only the gateway and the webhook-sender read secrets; FOR UPDATE needs UPDATE on a column. */
export const rights: Readonly<Record<Role, Readonly<Record<string, string>>>> = {
  holdfast_gateway: {
    organizations:
      'SELECT, INSERT, UPDATE (name, webhook_secret, previous_webhook_secret, previous_webhook_secret_until, previous_webhook_secret_is_primary, max_concurrency)',
    api_keys: 'SELECT, INSERT, UPDATE (prefix, revoked_at)',
    admin_actions:
      'SELECT, INSERT (id, actor, address, request_id, action, organization_id, target, status, details)',
    operator_sessions:
      'SELECT, INSERT (id, hash, actor, role, method, credential, address, user_agent, expires_at), UPDATE (revoked_at), DELETE',
    sign_in_links: 'SELECT, INSERT, DELETE',
    oidc_sign_ins: 'SELECT, INSERT, DELETE',
    portal_sessions: 'SELECT, INSERT, UPDATE (hash, ends_at, revoked_at), DELETE',
    sign_in_failures: 'SELECT, INSERT, UPDATE (failures, first_at), DELETE',
    api_key_values: 'SELECT, INSERT, UPDATE (valid_until), DELETE',
    // Policies are set by operators; no role may write amounts.
    balances: 'SELECT, INSERT (organization_id), UPDATE (lock, overage, spend_limit_overage)',
    ledger_settings: 'SELECT',
    usage_hours: 'SELECT',
    usage_days: 'SELECT',
    provider_sums: 'SELECT',
    spend_limits: 'SELECT, INSERT, UPDATE, DELETE',
    transfers: 'SELECT, INSERT',
    models:
      'SELECT, INSERT (slug, definition, is_active, source, yaml), UPDATE (definition, is_active, source, yaml, updated_at)',
    reviews: 'SELECT',
    ledger_audits: 'SELECT, UPDATE (requested_at)',
    idempotency_keys: 'SELECT, INSERT',
    face_requests:
      'SELECT, INSERT, UPDATE (execution_id, touched_at, delivered_at, closed_at, tries), DELETE',
    executions:
      'SELECT, INSERT, UPDATE (status, completed_at, input, metadata, webhook_url, output, error_message, erased_at, logs)',
    batches:
      'SELECT, INSERT (id, organization_id, api_key_id, model, defaults, metadata, webhook_url, max_cost, on_insufficient_balance, window_s, events, reserve, face, intake_at, idempotency_key, request_hash, expires_at), UPDATE (intake_at, input_errors, status, ends_as, reason, max_cost, total, waiting, failed, cancelled, expired, ended, reserved, sealed_at, expires_at, ended_at, defaults, metadata, webhook_url, output_bytes, error_bytes, erased_at, erased_to)',
    batch_items:
      'SELECT, INSERT (batch_id, custom_id, position, hash, status, model, input, metadata, timeout_s, estimated_cost, hold, model_version, number, error), UPDATE (status, number, input, metadata, former_ids, error)',
    streams: 'SELECT, UPDATE (partial_output)',
    stream_events: 'SELECT, DELETE',
    attempts: 'SELECT, UPDATE (outcome, output, handle, settled_at, raw_error, raw_logs)',
    provider_callbacks: 'SELECT (provider, token, object_key, received_at, processed_at), INSERT, DELETE',
    events: 'SELECT, INSERT, UPDATE (body, fanned_out_at)',
    webhook_endpoints:
      'SELECT, INSERT, UPDATE (events, models, payload, dialect, max_in_flight, max_per_second, headers, description, is_active, failure_count, probe_at, missed, deleted_at, secret, previous_secret, previous_secret_until, previous_secret_is_primary)',
    deliveries:
      'SELECT, INSERT (id, event_id, organization_id, endpoint_id, lane, url, next_attempt_at, lease_until, expires_at), UPDATE (url, lane, state, attempts, next_attempt_at, lease_until, expires_at, finished_at)',
    delivery_attempts: 'SELECT, UPDATE (answer, error)',
    files:
      'SELECT, INSERT, UPDATE (state, filename, content_type, size_bytes, object_key, width, height, duration_ms, expires_at, purpose)',
  },
  holdfast_dispatcher: {
    models: 'SELECT',
    model_versions: 'SELECT',
    organizations: 'SELECT (id, max_concurrency, test_of)',
    executions: 'SELECT, UPDATE (status, started_at, expires_at, progress, queue_position, logs, logs_total)',
    attempts:
      'SELECT, INSERT, UPDATE (provider, target, state, external_id, handle, outcome, output, raw_error, raw_logs, logged, lease_until, poll_at, polls, created_at, finished_at, busy_refusals, busy_since, claims, model_version, provider_cost)',
    provider_costs: 'INSERT',
    streams:
      'SELECT, UPDATE (kind, attempt, claims, events, shown_by, cost, input_tokens, output_tokens, cleared_at, partial_output)',
    stream_events: 'SELECT, INSERT, DELETE',
    provider_callbacks: 'SELECT, UPDATE (processed_at), DELETE',
    events: 'SELECT, INSERT',
    webhook_endpoints:
      'SELECT (id, organization_id, url, events, models, dialect, is_active, failure_count, max_per_second, deleted_at)',
    deliveries: 'INSERT (id, event_id, organization_id, endpoint_id, lane, url, lease_until, expires_at)',
    files: 'SELECT, INSERT, UPDATE (state, size_bytes, width, height, duration_ms, expires_at)',
  },
  holdfast_ledger: {
    organizations: 'SELECT (id)',
    balances: 'SELECT, UPDATE (lock)',
    ledger_settings: 'SELECT',
    usage_hours: 'SELECT',
    streams: 'SELECT',
    stream_events: 'SELECT',
    usage_days: 'SELECT',
    // FOR UPDATE needs UPDATE on a column.
    provider_costs: 'SELECT, UPDATE (cost), DELETE',
    provider_sums: 'SELECT, INSERT, UPDATE, DELETE',
    spend_limits: 'SELECT, UPDATE (month, spent)',
    idempotency_keys: 'SELECT (organization_id, key, execution_id)',
    dropped_journals: 'SELECT',
    webhook_endpoints:
      'SELECT (id, organization_id, url, events, models, dialect, is_active, failure_count, max_per_second, deleted_at)',
    deliveries: 'INSERT (id, event_id, organization_id, endpoint_id, lane, url, lease_until, expires_at)',
    transfers: 'SELECT, INSERT',
    executions:
      'SELECT, INSERT, UPDATE (status, completed_at, cost, written_off, output, input_tokens, output_tokens, billed, finish_reason, latency_ms, error_code, error_message)',
    attempts: 'SELECT, UPDATE (outcome, output, settled_at)',
    batches:
      'SELECT, UPDATE (status, ends_as, reason, waiting, running, cancelled, expired, ended, held, reserved, ended_at)',
    batch_items: 'SELECT, UPDATE (status, number, input, metadata, execution_id)',
    reviews:
      'SELECT, INSERT, UPDATE (state, decided_at, decided_by, reason, charged, correction, idempotency_key)',
    events: 'SELECT, INSERT',
    ledger_audits: 'SELECT, INSERT, UPDATE (finished_at, breaches, requested_at)',
  },
  holdfast_webhook_sender: {
    organizations: 'SELECT',
    executions: 'SELECT',
    events:
      'SELECT, INSERT (id, organization_id, endpoint_id, type, created_at, fanned_out_at, body), UPDATE (body, fanned_out_at)',
    webhook_endpoints:
      'SELECT, UPDATE (is_active, failure_count, last_success, last_failure, last_error, probe_at, paced_until, failing_since, missed, in_flight_limit)',
    deliveries: 'SELECT, INSERT, UPDATE (url, state, attempts, next_attempt_at, lease_until, finished_at)',
    delivery_attempts: 'SELECT, INSERT, UPDATE (duration_ms, status_code, error, stage, answer)',
    files: 'SELECT',
    streams: 'SELECT',
    stream_events: 'SELECT',
    webhook_updates: 'SELECT, INSERT, UPDATE (events, logged, next_at), DELETE',
    // Alerts count what waits.
    attempts:
      'SELECT (state, created_at, finished_at, settled_at, lease_until, poll_at, busy_refusals, busy_since, outcome)',
    provider_callbacks: 'SELECT (received_at, processed_at)',
    reviews: 'SELECT (state, created_at)',
    ledger_audits: 'SELECT',
    alerts: 'SELECT, INSERT, UPDATE (count, age_s, missing_at, raised_at, resolved_at), DELETE',
    alert_messages: 'SELECT, INSERT, UPDATE (attempts, next_attempt_at, sent_at, error), DELETE',
  },
};

/** SECURITY DEFINER functions a role may call. The others, such as dropping the journal, are the owner's. */
export const functions: Readonly<Partial<Record<Role, readonly string[]>>> = {
  holdfast_dispatcher: ['stream_allowance(text, numeric)'],
  holdfast_ledger: [
    'make_partitions(integer)',
    'old_months(integer)',
    'clear_month(date, integer, text, integer)',
    'forget_files(integer, integer)',
    'drop_partitions(integer)',
    'drop_deliveries(integer)',
  ],
};

/** The gateway can write neither a top-up nor a charge, except a cancelled stream's (`streamTransfersSql`). */
export const transferKinds: Readonly<Partial<Record<Role, readonly string[]>>> = {
  holdfast_gateway: ['hold', 'release', 'reserve'],
  holdfast_ledger: [
    'hold',
    'unreserve',
    'top_up',
    'correction',
    'overage',
    'settle',
    'remainder',
    'release',
    'write_off',
  ],
};

/** What the gateway's cancel may write for an execution that was created as a stream whose shown output is charged. */
export const streamTransfersSql = `kind IN ('settle', 'remainder') AND EXISTS (
  SELECT FROM executions e WHERE e.id = execution_id AND e.on_cancel = 'charge')`;

export const tables: readonly string[] = [...new Set(roles.flatMap((role) => Object.keys(rights[role])))];

/** Written as `holdfast_ledger: UPDATE (lock) on balances`. */
export type Deviations = {
  withoutRights: Role[];
  missing: string[];
  excess: string[];
};

export async function readDeviations(db: Database): Promise<Deviations> {
  const { rows } = await db.pool.query<{ right: string; role: Role }>(granted, [roles]);
  const has = new Set(rows.map(({ right }) => right));
  const known = new Set(rows.map(({ role }) => role));
  const wanted = new Set(roles.flatMap((role) => (known.has(role) ? rightsOf(role) : [])));
  return {
    withoutRights: roles.filter((role) => !known.has(role)),
    missing: [...wanted].filter((right) => !has.has(right)),
    excess: [...has].filter((right) => !wanted.has(right)),
  };
}

function rightsOf(role: Role): string[] {
  return Object.entries(rights[role]).flatMap(([table, text]) =>
    [...text.matchAll(/([A-Z]+)(?: \(([^)]*)\))?/g)].flatMap(([, privilege, columns]) =>
      (columns?.split(', ') ?? [null]).map(
        (column) => `${role}: ${privilege}${column === null ? '' : ` (${column})`} on ${table}`,
      ),
    ),
  );
}

// Partitions are reached through their parent only.
const granted = `
SELECT r.rolname AS role, format('%s: %s on %s', r.rolname, a.privilege_type, c.relname) AS right
FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND r.rolname = ANY ($1::text[])
UNION ALL
SELECT r.rolname, format('%s: %s (%s) on %s', r.rolname, a.privilege_type, t.attname, c.relname)
FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid CROSS JOIN LATERAL aclexplode(t.attacl) a
  JOIN pg_roles r ON r.oid = a.grantee
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND r.rolname = ANY ($1::text[])`;
