import { createHash } from 'node:crypto';
import { z } from 'zod';

/** A queue carries hints about due work. PostgreSQL is the truth: a job may come twice, at the same time, or never. */
export type QueueDefinition<Payload> = {
  name: string;
  payload: z.ZodType<Payload>;
  /** Jobs with the same id are one job while it waits or runs. It contains no `:` and is never all digits. */
  jobId(payload: Payload): string;
  /** Attempts of a job that throws, before the sweep takes over. */
  tries: number;
};

function defineQueue<Payload>(definition: QueueDefinition<Payload>): QueueDefinition<Payload> {
  return definition;
}

/** The keys of a queue share a hash tag, so that a cluster keeps them on one node. */
export function queuePrefix(name: string): string {
  return `{holdfast-${name}}`;
}

export type PayloadOf<Definition> = Definition extends QueueDefinition<infer Payload> ? Payload : never;

/** Small enough that a retried job repeats little. */
const defaultPerJob = 100;

/** Cuts hints into one list per job, so that the rows of one statement become few jobs. */
function chunksOf<Hint>(hints: Hint[], perJob = defaultPerJob): Hint[][] {
  const count = Math.ceil(hints.length / perJob);
  return Array.from({ length: count }, (_, index) => hints.slice(index * perJob, (index + 1) * perJob));
}

/** A job of one hint has that hint's id. */
function chunkId(ids: string[]): string {
  return ids.length === 1 ? String(ids[0]) : `${ids[0]}-and-${ids.length - 1}`;
}

/** The size of a batch of creates, so that one statement makes one job. */
const dispatchesPerJob = 256;

/** A pending execution: id, organization, model, rank of its priority. */
const queued = z.tuple([z.string(), z.string(), z.string(), z.number()]);
export type QueuedExecution = z.infer<typeof queued>;

/**
 * Executions to start: gateway -> dispatcher. The previous version reads and writes `executionIds` alone, so both are
 * written for one version: see "Without downtime" in CONTRIBUTING.md.
 */
export const dispatchQueue = defineQueue({
  name: 'dispatch',
  payload: z.object({
    executions: z.array(queued).default([]),
    executionIds: z.array(z.string()).default([]),
  }),
  jobId: ({ executions }) => chunkId(executions.map(([id]) => id)),
  tries: 3,
});

/** The jobs for executions that were created together. */
export function dispatchJobs(
  executions: QueuedExecution[],
): { executions: QueuedExecution[]; executionIds: string[] }[] {
  return chunksOf(executions, dispatchesPerJob).map((chunk) => ({
    executions: chunk,
    executionIds: chunk.map(([id]) => id),
  }));
}

/**
 * Further tries whose time has come, as of each: attempt, execution, organization, model, rank of the priority, and where
 * it is to be sent. Sweep -> dispatcher.
 */
const retry = z.tuple([z.string(), z.string(), z.string(), z.string(), z.number(), z.string(), z.string()]);

export const retryQueue = defineQueue({
  name: 'retry',
  payload: z.object({
    retry,
    /** Providers and models there that refused it, other than for want of capacity. The version before does not say it. */
    refusedAt: z.array(z.tuple([z.string(), z.string()])).default([]),
  }),
  jobId: ({ retry: [attemptId] }) => attemptId,
  tries: 3,
});

export type RetryJob = PayloadOf<typeof retryQueue>;

/** A started attempt whose dispatcher is gone: sweep -> dispatcher. */
export const recoverQueue = defineQueue({
  name: 'recover',
  payload: z.object({ attemptId: z.string() }),
  jobId: ({ attemptId }) => attemptId,
  tries: 3,
});

/** A provider callback waiting in the inbox: gateway -> dispatcher. */
export const callbackQueue = defineQueue({
  name: 'callback',
  payload: z.object({ callbackId: z.string() }),
  jobId: ({ callbackId }) => callbackId,
  tries: 3,
});

/** A running attempt whose provider is to be asked: sweep -> dispatcher. */
export const pollQueue = defineQueue({
  name: 'poll',
  payload: z.object({ attemptId: z.string() }),
  jobId: ({ attemptId }) => attemptId,
  tries: 3,
});

/** A cancelled or expired execution whose provider is to be told to stop: gateway, ledger -> dispatcher. */
export const abortQueue = defineQueue({
  name: 'abort',
  payload: z.object({ executionId: z.string() }),
  jobId: ({ executionId }) => executionId,
  tries: 3,
});

/** Attempts whose outcomes, all successes or none, are recorded: dispatcher -> ledger. */
export const settleQueue = defineQueue({
  name: 'settle',
  payload: z.object({ attemptIds: z.array(z.string()), ok: z.boolean() }),
  jobId: ({ attemptIds }) => chunkId(attemptIds),
  tries: 3,
});
export type SettleJob = PayloadOf<typeof settleQueue>;

/** The jobs for these attempts: few, for many of them come at once. */
export function settleJobs(attempts: { attemptId: string; ok: boolean }[]): SettleJob[] {
  return [true, false].flatMap((ok) => {
    const ids = attempts.filter((attempt) => attempt.ok === ok).map(({ attemptId }) => attemptId);
    return chunksOf(ids).map((attemptIds) => ({ attemptIds, ok }));
  });
}

/** Events to be fanned out to their receivers: whoever wrote them -> webhook-sender. */
export const fanoutQueue = defineQueue({
  name: 'fanout',
  payload: z.object({ eventIds: z.array(z.string()) }),
  jobId: ({ eventIds }) => chunkId(eventIds),
  tries: 3,
});

/** The jobs for these events: few, for many of them come at once. None for an event that nobody receives (null). */
export function fanoutJobs(eventIds: (string | null)[]): { eventIds: string[] }[] {
  return chunksOf(eventIds.filter((id) => id !== null)).map((chunk) => ({ eventIds: chunk }));
}

/** A lane in which deliveries are due: webhook-sender. See domain/deliveryLane. */
export const deliverQueue = defineQueue({
  name: 'deliver',
  payload: z.object({ lane: z.string(), organizationId: z.string() }),
  jobId: ({ lane }) => createHash('sha256').update(lane).digest('base64url'),
  tries: 3,
});

/** Spec: what `POST /v1/webhooks/endpoints/{id}/test` answers. */
export const testCallResult = z.object({
  success: z.boolean(),
  status_code: z.int(),
  response_time_ms: z.int(),
  /** Beyond the contract. */
  error: z.string().optional().describe('Why it did not succeed, when it did not'),
});
export type TestCallResult = z.infer<typeof testCallResult>;

/** A test event to be sent while the client waits: gateway -> webhook-sender, which returns a TestCallResult. */
export const testCallQueue = defineQueue({
  name: 'test-call',
  payload: z.object({
    requestId: z.string(),
    endpointId: z.string(),
    organizationId: z.string(),
    /** Passed on to the endpoint; a gateway of the version before names none. */
    traceparent: z.string().nullish(),
  }),
  jobId: ({ requestId }) => requestId,
  tries: 1,
});

const adjustmentKind = z.enum(['top_up', 'correction']);

const transfer = z.object({
  kind: adjustmentKind,
  amount: z.string(),
  availableAfter: z.string(),
  reason: z.string().nullable(),
  createdAt: z.coerce.date(),
  sequence: z.string(),
});

/** What the ledger answers: the transfer under that idempotency key, or why there is none. */
export const adjustResult = z.discriminatedUnion('outcome', [
  // A ledger of the version before does not say whether it is a replay.
  z.object({ outcome: z.literal('added'), transfer, isReplay: z.boolean().default(false) }),
  z.object({ outcome: z.literal('insufficient'), available: z.string() }),
  z.object({ outcome: z.literal('too late') }),
  z.object({ outcome: z.literal('no organization') }),
]);
export type AdjustResult = z.infer<typeof adjustResult>;

/**
 * A top-up or a correction that an operator waits for: gateway -> ledger, which returns an AdjustResult. A job that runs
 * twice adds once, by its idempotency key; one that nobody took until `until` (by the database's clock) adds nothing.
 */
export const adjustQueue = defineQueue({
  name: 'adjust',
  payload: z.object({
    requestId: z.string(),
    organizationId: z.string(),
    kind: adjustmentKind,
    amount: z.string(),
    reason: z.string().nullable(),
    idempotencyKey: z.string(),
    until: z.coerce.date(),
  }),
  jobId: ({ requestId }) => requestId,
  tries: 1,
});

/** Every queue, in the order in which an execution passes through them. */
const definitions = [
  dispatchQueue,
  retryQueue,
  recoverQueue,
  callbackQueue,
  pollQueue,
  abortQueue,
  settleQueue,
  fanoutQueue,
  deliverQueue,
  testCallQueue,
  adjustQueue,
];
export const queueNames: readonly string[] = definitions.map(({ name }) => name);
