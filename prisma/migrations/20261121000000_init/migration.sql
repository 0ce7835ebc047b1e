-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "organizations" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "webhook_secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "organizations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "permissions" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key_values" (
    "hash" TEXT NOT NULL,
    "api_key_id" TEXT NOT NULL,
    "valid_until" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_values_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "balances" (
    "organization_id" TEXT NOT NULL,
    "available" DECIMAL(24,8) NOT NULL DEFAULT 0,
    "held" DECIMAL(24,8) NOT NULL DEFAULT 0,
    "sequence" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "balances_pkey" PRIMARY KEY ("organization_id")
);

-- CreateTable
CREATE TABLE "transfers" (
    "organization_id" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "debit_account" TEXT NOT NULL,
    "credit_account" TEXT NOT NULL,
    "amount" DECIMAL(24,8) NOT NULL,
    "available_after" DECIMAL(24,8) NOT NULL,
    "held_after" DECIMAL(24,8) NOT NULL,
    "execution_id" TEXT,
    "idempotency_key" TEXT,
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "transfers_pkey" PRIMARY KEY ("organization_id","sequence")
);

-- CreateTable
CREATE TABLE "models" (
    "slug" TEXT NOT NULL,
    "definition" JSONB NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "models_pkey" PRIMARY KEY ("slug")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "organization_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("organization_id","key")
);

-- CreateTable
CREATE TABLE "executions" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "api_key_id" TEXT,
    "model" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "input" JSON NOT NULL,
    "metadata" JSON,
    "webhook_url" TEXT,
    "hold_amount" DECIMAL(24,8) NOT NULL,
    "estimated_cost" DECIMAL(24,8) NOT NULL,
    "cost" DECIMAL(24,8),
    "output" JSON,
    "input_tokens" INTEGER,
    "output_tokens" INTEGER,
    "latency_ms" INTEGER,
    "error_code" TEXT,
    "error_message" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "executions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attempts" (
    "id" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "provider" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "external_id" TEXT,
    "handle" JSON,
    "outcome" JSON,
    "lease_until" TIMESTAMPTZ(3),
    "poll_at" TIMESTAMPTZ(3),
    "polls" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "provider_callbacks" (
    "id" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "event_key" TEXT NOT NULL,
    "headers" JSONB NOT NULL,
    "body" BYTEA NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "processed_at" TIMESTAMPTZ(3),

    CONSTRAINT "provider_callbacks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "events" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "body" TEXT,
    "fanned_out_at" TIMESTAMPTZ(3),

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_endpoints" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "events" TEXT[],
    "headers" TEXT,
    "secret" TEXT NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "failure_count" INTEGER NOT NULL DEFAULT 0,
    "last_success" TIMESTAMPTZ(3),
    "last_failure" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "probe_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "endpoint_id" TEXT,
    "url" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "lease_until" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery_attempts" (
    "delivery_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "duration_ms" INTEGER,
    "status_code" INTEGER,
    "error" TEXT,

    CONSTRAINT "delivery_attempts_pkey" PRIMARY KEY ("delivery_id","number")
);

-- CreateTable
CREATE TABLE "files" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "execution_id" TEXT,
    "state" TEXT NOT NULL,
    "filename" TEXT NOT NULL,
    "content_type" TEXT,
    "size_bytes" INTEGER,
    "width" INTEGER,
    "height" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "files_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "api_keys_organization_id_created_at_idx" ON "api_keys"("organization_id", "created_at");

-- CreateIndex
CREATE INDEX "api_key_values_api_key_id_idx" ON "api_key_values"("api_key_id");

-- CreateIndex
CREATE INDEX "transfers_execution_id_idx" ON "transfers"("execution_id");

-- CreateIndex
CREATE INDEX "executions_organization_id_created_at_id_idx" ON "executions"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "attempts_token_key" ON "attempts"("token");

-- CreateIndex
CREATE UNIQUE INDEX "attempts_execution_id_number_key" ON "attempts"("execution_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "provider_callbacks_provider_token_event_key_key" ON "provider_callbacks"("provider", "token", "event_key");

-- CreateIndex
CREATE INDEX "events_organization_id_created_at_idx" ON "events"("organization_id", "created_at" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "events_execution_id_type_key" ON "events"("execution_id", "type");

-- CreateIndex
CREATE INDEX "webhook_endpoints_organization_id_created_at_idx" ON "webhook_endpoints"("organization_id", "created_at");

-- CreateIndex
CREATE INDEX "deliveries_endpoint_id_created_at_idx" ON "deliveries"("endpoint_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "files_organization_id_created_at_idx" ON "files"("organization_id", "created_at");

-- What Prisma's schema cannot say.

-- A new prefixed id with a UUIDv7, as domain/ids makes them.
CREATE FUNCTION new_id(prefix text) RETURNS text LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT prefix || '_' || encode(set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid())
      PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
    52, 1), 53, 1), 'hex')::uuid::text
$$;

-- The journal is append-only: the database itself refuses to change what was written.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % is refused: the journal is append-only', TG_OP, TG_TABLE_NAME;
END $$;
CREATE TRIGGER transfers_append_only BEFORE UPDATE OR DELETE ON transfers
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_no_truncate BEFORE TRUNCATE ON transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

ALTER TABLE balances
  ADD CONSTRAINT balances_held_not_negative CHECK (held >= 0);

-- The kinds of transfer and the accounts each moves between.
ALTER TABLE transfers
  ADD CONSTRAINT transfers_amount CHECK (amount > 0 OR (kind = 'settle' AND amount = 0)),
  ADD CONSTRAINT transfers_kind CHECK ((kind, debit_account, credit_account) IN (
    ('top_up', 'funding', 'available'),
    ('hold', 'available', 'held'),
    ('overage', 'available', 'held'),
    ('settle', 'held', 'revenue'),
    ('remainder', 'held', 'available'),
    ('release', 'held', 'available'))),
  ADD CONSTRAINT transfers_execution CHECK ((kind = 'top_up') = (execution_id IS NULL));
-- At most one hold per execution, one resolution per hold, one adjustment beside it.
CREATE UNIQUE INDEX transfers_one_hold ON transfers (execution_id) WHERE kind = 'hold';
CREATE UNIQUE INDEX transfers_one_resolution ON transfers (execution_id) WHERE kind IN ('settle', 'release');
CREATE UNIQUE INDEX transfers_one_adjustment ON transfers (execution_id) WHERE kind IN ('overage', 'remainder');
CREATE UNIQUE INDEX transfers_idempotency ON transfers (organization_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;

ALTER TABLE executions
  ADD CONSTRAINT executions_status CHECK (status IN
    ('PENDING', 'PROCESSING', 'AWAITING_WEBHOOK', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED')),
  ADD CONSTRAINT executions_amounts CHECK (hold_amount > 0 AND estimated_cost >= 0 AND cost >= 0),
  ADD CONSTRAINT executions_ended CHECK
    ((completed_at IS NULL) = (status IN ('PENDING', 'PROCESSING', 'AWAITING_WEBHOOK'))),
  ADD CONSTRAINT executions_cost CHECK ((cost IS NULL) = (status <> 'COMPLETED')),
  ADD CONSTRAINT executions_error CHECK ((error_code IS NULL) = (status NOT IN ('FAILED', 'EXPIRED')));
-- Sweeps read nothing but what is due.
CREATE INDEX executions_pending ON executions (created_at) WHERE status = 'PENDING';
CREATE INDEX executions_open_expiry ON executions (expires_at)
  WHERE status IN ('PENDING', 'PROCESSING', 'AWAITING_WEBHOOK');

ALTER TABLE attempts
  ADD CONSTRAINT attempts_state CHECK (state IN
    ('starting', 'running', 'succeeded', 'failed', 'unknown', 'cancelled')),
  ADD CONSTRAINT attempts_outcome CHECK ((outcome IS NULL) = (finished_at IS NULL) OR state = 'cancelled');
CREATE INDEX attempts_leased ON attempts (lease_until) WHERE finished_at IS NULL AND state = 'starting';
CREATE INDEX attempts_to_poll ON attempts (poll_at) WHERE finished_at IS NULL AND state = 'running';
CREATE INDEX attempts_to_settle ON attempts (finished_at) WHERE outcome IS NOT NULL AND settled_at IS NULL;

CREATE INDEX provider_callbacks_to_process ON provider_callbacks (received_at) WHERE processed_at IS NULL;

ALTER TABLE events
  ADD CONSTRAINT events_type CHECK (type IN ('execution.started', 'execution.completed', 'execution.failed',
    'execution.cancelled', 'execution.expired'));
CREATE UNIQUE INDEX events_one_ending ON events (execution_id) WHERE type <> 'execution.started';
CREATE INDEX events_to_fan_out ON events (created_at) WHERE fanned_out_at IS NULL;

ALTER TABLE deliveries
  ADD CONSTRAINT deliveries_state CHECK (state IN ('pending', 'delivered', 'failed', 'expired')),
  ADD CONSTRAINT deliveries_finished CHECK ((finished_at IS NULL) = (state = 'pending'));
-- One delivery of an event per endpoint, and one to the execution's own webhook_url.
CREATE UNIQUE INDEX deliveries_once ON deliveries (event_id, coalesce(endpoint_id, ''));
CREATE INDEX deliveries_due ON deliveries (next_attempt_at) WHERE state = 'pending';
CREATE INDEX deliveries_waiting ON deliveries (endpoint_id, next_attempt_at) WHERE state = 'pending';

ALTER TABLE api_keys
  ADD CONSTRAINT api_keys_permissions CHECK (permissions IN ('full', 'execution'));

ALTER TABLE files
  ADD CONSTRAINT files_state CHECK (state IN ('awaiting_upload', 'ready', 'deleted')),
  ADD CONSTRAINT files_origin CHECK (origin IN ('upload', 'output')),
  ADD CONSTRAINT files_size CHECK (size_bytes BETWEEN 0 AND 157286400 OR origin = 'output');
CREATE INDEX files_to_delete ON files (expires_at) WHERE expires_at IS NOT NULL AND state <> 'deleted';
-- Outputs that a crash left half stored.
CREATE INDEX files_half_stored ON files (created_at) WHERE state = 'awaiting_upload' AND origin = 'output';

-- Hot rows are updated in place where they can be.
ALTER TABLE balances SET (fillfactor = 50);
ALTER TABLE executions SET (fillfactor = 80);
ALTER TABLE attempts SET (fillfactor = 80);
ALTER TABLE deliveries SET (fillfactor = 80);
