import type { Database } from '@holdfast/db/client';
import { type InsertResult, insertExecutions, type NewExecution } from '@holdfast/db/executions/insert';
import { getExecution } from '@holdfast/db/executions/read';
import { isLockTimeout } from '@holdfast/db/faults';
import { lockedOrganizations } from '@holdfast/db/locks';
import { ApiError } from '@holdfast/domain/errors';
import {
  type CreateRecord,
  createRecord,
  defaultPriority,
  priorityRank,
  type RequestPriority,
} from '@holdfast/domain/execution';
import { newId } from '@holdfast/domain/ids';
import type { CancelPolicy } from '@holdfast/domain/modelDefinition';
import { formatMoney, holdFor, type Money, MoneyDecimal } from '@holdfast/domain/money';
import type { WebhookDialect } from '@holdfast/domain/webhookDialect';
import { createIsolatedBatcher } from '@holdfast/kit/isolatedBatcher';
import type { PayloadOf } from '@holdfast/queues/definitions';
import { dispatchJobs, type dispatchQueue, type QueuedExecution } from '@holdfast/queues/definitions';
import type { Producer } from '@holdfast/queues/producer';
import type { OnBlocked } from './hints.ts';

export type CreateRequest = {
  organizationId: string;
  apiKeyId: string;
  idempotencyKey: string | null;
  /** Hash of the body's canonical JSON: distinguishes a repeated request from a different one with the same key. */
  requestHash: string | null;
  model: string;
  input: Record<string, unknown>;
  metadata: Record<string, unknown> | null;
  webhookUrl: string | null;
  estimatedCost: Money;
  timeoutS: number;
  priority?: RequestPriority;
  /** The trace context of the request. A repeated request keeps the first one. */
  traceparent?: string | null;
  /** The execution that this one repeats. */
  rerunOf?: string | null;
  /** The version of the model that was estimated, which also prices the run. */
  modelVersion?: string | null;
  /** Streams the output; says what a cancel costs after some was shown. */
  onCancel?: CancelPolicy | null;
} & FaceTerms;

/** What compatible APIs alone ask of an execution. */
export type FaceTerms = {
  /** How its `webhookUrl` is called. */
  webhookDialect?: WebhookDialect | null;
  /** How long it may wait for its start, after which `timeoutS` counts. */
  startTimeoutS?: number | undefined;
  /** How long its output files are kept. */
  filesForS?: number | undefined;
};

export type Created = { record: CreateRecord; replayed: boolean };

export type Creator = {
  /** (none) -> PENDING, with idempotency key and hold. @throws ApiError INSUFFICIENT_BALANCE, IDEMPOTENCY_KEY_REUSED */
  create(request: CreateRequest): Promise<Created>;
  idle(): Promise<void>;
  /** For /healthz: null unless creates are stuck. */
  problem(): string | null;
};

/** Creates of an organization whose balance is locked for longer fail, and the client repeats them. */
const maxBlockedMs = 5000;

export function openCreator(args: {
  db: Database;
  dispatch: Producer<PayloadOf<typeof dispatchQueue>>;
  onBlocked?: OnBlocked;
}): Creator {
  const { db, dispatch } = args;
  const batcher = createIsolatedBatcher({
    maxSize: 256,
    isLockTimeout,
    maxBlockedMs,
    ...(args.onBlocked && { onBlocked: args.onBlocked }),
    ownerOf: ({ organizationId }) => organizationId,
    async ownersOf(batch) {
      const owners = batch.map(({ organizationId }) => organizationId);
      const locked = await lockedOrganizations(db, owners);
      return owners.map((owner) => ({ owner, isBlocked: locked.has(owner) }));
    },
    async run(batch: NewExecution[]) {
      const results = await insertBatch(db, batch);
      const created = batch.filter((_, index) => results[index]?.kind === 'created');
      void dispatch.addAll(dispatchJobs(created.map(queued)));
      return results;
    },
  });

  async function create(request: CreateRequest): Promise<Created> {
    const execution = toNewExecution(request);
    for (;;) {
      const result = await batcher.add(execution);
      if (result.kind === 'created')
        return { record: createRecord({ ...execution, ...result, status: 'PENDING' }), replayed: false };
      if (result.kind === 'known') return await replay(db, request, result);
      if (result.kind === 'refused') refuseUnaffordable(execution, result);
      // Lost a race against a request with the same idempotency key: the next batch finds its row, or inserts its own.
    }
  }

  return { create, idle: batcher.idle, problem: batcher.problem };
}

/** The statement accepts one item per idempotency key. Duplicates join the next batch and find the row of the first. */
async function insertBatch(db: Database, batch: NewExecution[]): Promise<(InsertResult | typeof raced)[]> {
  const seen = new Set<string>();
  const isDuplicate = batch.map(({ organizationId, idempotencyKey }) => {
    if (idempotencyKey === null) return false;
    const name = `${organizationId} ${idempotencyKey}`;
    const isKnown = seen.has(name);
    seen.add(name);
    return isKnown;
  });
  const results = await insertExecutions(
    db,
    batch.filter((_, index) => !isDuplicate[index]),
  );
  return isDuplicate.map((duplicate) => (duplicate ? raced : (results.shift() as InsertResult)));
}

function queued({ id, organizationId, model, priority = defaultPriority }: NewExecution): QueuedExecution {
  return [id, organizationId, model, priorityRank(priority)];
}

const raced = { kind: 'raced' } as const;

function toNewExecution(request: CreateRequest): NewExecution {
  const { input, metadata, ...rest } = request;
  return {
    ...rest,
    id: newId('exec'),
    inputJson: JSON.stringify(input),
    metadataJson: metadata && JSON.stringify(metadata),
    holdAmount: holdFor(request.estimatedCost),
  };
}

/** @throws ApiError IDEMPOTENCY_KEY_REUSED when the request differs from the first one under its key */
export async function replay(
  db: Database,
  request: Pick<CreateRequest, 'organizationId' | 'requestHash'>,
  known: { executionId: string; requestHash: string },
): Promise<Created> {
  if (known.requestHash !== request.requestHash) {
    throw new ApiError(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was used with a different request body. Use a new key for a new request.',
    );
  }
  const original = await getExecution(db, request.organizationId, known.executionId);
  if (!original) throw new ApiError('NOT_FOUND', 'The original execution no longer exists.');
  return { record: createRecord(original), replayed: true };
}

function refuseUnaffordable(
  { holdAmount }: NewExecution,
  { available, spendable }: { available: Money; spendable: Money | null },
): void {
  const covers = (money: Money) => new MoneyDecimal(money).gte(holdAmount);
  if (!covers(available)) {
    throw new ApiError(
      'INSUFFICIENT_BALANCE',
      `The available balance of ${formatMoney(available)} does not cover the hold of ${formatMoney(holdAmount)}.`,
    );
  }
  if (spendable !== null && !covers(spendable)) {
    throw new ApiError(
      'SPEND_LIMIT_REACHED',
      `The rest of this month's spend limit does not cover the hold of ${formatMoney(holdAmount)}.`,
    );
  }
}
