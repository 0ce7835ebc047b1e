import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Jobs are hints about due work: one may come twice, concurrently, or never. */
export type QueueDefinition<Payload> = {
  name: string;
  payload: z.ZodType<Payload>;
  /** Waiting or active jobs with the same id are one. No `:`, not all digits. */
  jobId(payload: Payload): string;
  tries: number;
};

function defineQueue<Payload>(definition: QueueDefinition<Payload>): QueueDefinition<Payload> {
  return definition;
}

/** A hash tag: a cluster keeps a queue on one node. */
export function queuePrefix(name: string): string {
  return `{holdfast-${name}}`;
}

export type PayloadOf<Definition> = Definition extends QueueDefinition<infer Payload> ? Payload : never;

/** A job costs some six commands, which its ids share. */
const perJob = 256;

function chunksOf<Hint>(hints: Hint[]): Hint[][] {
  const count = Math.ceil(hints.length / perJob);
  return Array.from({ length: count }, (_, index) => hints.slice(index * perJob, (index + 1) * perJob));
}

function chunkId(ids: string[]): string {
  return ids.length === 1 ? String(ids[0]) : `${ids[0]}-and-${ids.length - 1}`;
}

const queued = z.tuple([z.string(), z.string(), z.string(), z.number()]);
export type QueuedExecution = z.infer<typeof queued>;

export const dispatchQueue = defineQueue({
  name: 'dispatch',
  payload: z.object({ executions: z.array(queued) }),
  jobId: ({ executions }) => chunkId(executions.map(([id]) => id)),
  tries: 3,
});

export function dispatchJobs(executions: QueuedExecution[]): { executions: QueuedExecution[] }[] {
  return chunksOf(executions).map((chunk) => ({ executions: chunk }));
}

export const recoverQueue = defineQueue({
  name: 'recover',
  payload: z.object({ attemptId: z.string() }),
  jobId: ({ attemptId }) => attemptId,
  tries: 3,
});

export const callbackQueue = defineQueue({
  name: 'callback',
  payload: z.object({ callbackId: z.string() }),
  jobId: ({ callbackId }) => callbackId,
  tries: 3,
});

export const pollQueue = defineQueue({
  name: 'poll',
  payload: z.object({ attemptId: z.string() }),
  jobId: ({ attemptId }) => attemptId,
  tries: 3,
});

export const abortQueue = defineQueue({
  name: 'abort',
  payload: z.object({ executionId: z.string() }),
  jobId: ({ executionId }) => executionId,
  tries: 3,
});

/** Recorded outcomes, all successes or all failures. */
export const settleQueue = defineQueue({
  name: 'settle',
  payload: z.object({ attemptIds: z.array(z.string()), ok: z.boolean() }),
  jobId: ({ attemptIds }) => chunkId(attemptIds),
  tries: 3,
});
export type SettleJob = PayloadOf<typeof settleQueue>;

export function settleJobs(attempts: { attemptId: string; ok: boolean }[]): SettleJob[] {
  return [true, false].flatMap((ok) => {
    const ids = attempts.filter((attempt) => attempt.ok === ok).map(({ attemptId }) => attemptId);
    return chunksOf(ids).map((attemptIds) => ({ attemptIds, ok }));
  });
}

/** Events to fan out, and deliveries that were written with their events. */
export const fanoutQueue = defineQueue({
  name: 'fanout',
  payload: z.object({ eventIds: z.array(z.string()), deliveryIds: z.array(z.string()).optional() }),
  jobId: ({ eventIds, deliveryIds = [] }) => chunkId([...eventIds, ...deliveryIds]),
  tries: 3,
});

export type FanoutJob = PayloadOf<typeof fanoutQueue>;

export function fanoutJobs(ids: { eventIds: string[]; deliveryIds: string[] }): FanoutJob[] {
  return [
    ...chunksOf(ids.eventIds).map((eventIds) => ({ eventIds })),
    ...chunksOf(ids.deliveryIds).map((deliveryIds) => ({ eventIds: [], deliveryIds })),
  ];
}

export const deliverQueue = defineQueue({
  name: 'deliver',
  payload: z.object({ lane: z.string(), organizationId: z.string() }),
  jobId: ({ lane }) => createHash('sha256').update(lane).digest('base64url'),
  tries: 3,
});

/** Contract 7.6: the response of `POST /v1/webhooks/endpoints/{id}/test`. */
export const testCallResult = z.object({
  success: z.boolean(),
  status_code: z.int(),
  response_time_ms: z.int(),
  error: z.string().optional().describe('The error, if the test event was not delivered'),
});
export type TestCallResult = z.infer<typeof testCallResult>;

/** The example of a type: the field with the id of its subject, and its data. */
const testEvent = z.object({
  type: z.string(),
  about: z.record(z.string(), z.string()),
  data: z.record(z.string(), z.unknown()),
});
export type TestEvent = z.infer<typeof testEvent>;

export const testCallQueue = defineQueue({
  name: 'test-call',
  payload: z.object({
    requestId: z.string(),
    endpointId: z.string(),
    organizationId: z.string(),
    traceparent: z.string().nullable(),
    /** Without one it is `webhook.test`. */
    event: testEvent.optional(),
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

/** Why the ledger wrote nothing. */
const unwritten = [
  z.object({ outcome: z.literal('insufficient'), available: z.string() }),
  z.object({ outcome: z.literal('too late') }),
  z.object({ outcome: z.literal('no organization') }),
] as const;

export const adjustResult = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('added'), transfer, isReplay: z.boolean() }),
  ...unwritten,
]);
export type AdjustResult = z.infer<typeof adjustResult>;

export const decideResult = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('decided'), isReplay: z.boolean() }),
  z.object({ outcome: z.literal('already decided') }),
  z.object({ outcome: z.literal('above the reported cost') }),
  z.object({ outcome: z.literal('key used') }),
  z.object({ outcome: z.literal('no review') }),
  ...unwritten,
]);
export type DecideResult = z.infer<typeof decideResult>;

export const refundResult = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('added'), transfer, isReplay: z.boolean() }),
  z.object({ outcome: z.literal('key used') }),
  z.object({ outcome: z.literal('above the charge'), left: z.string() }),
  z.object({ outcome: z.literal('too late') }),
  z.object({ outcome: z.literal('no execution') }),
]);
export type RefundResult = z.infer<typeof refundResult>;

/** All are idempotent by their key, and not written after `until` (the database's clock). */
const asked = { requestId: z.string(), idempotencyKey: z.string(), until: z.coerce.date() };

/** Returns an AdjustResult, the DecideResult of a review, or a RefundResult, which a ledger of the previous version refuses. */
export const adjustQueue = defineQueue({
  name: 'adjust',
  payload: z.discriminatedUnion('kind', [
    z.object({
      ...asked,
      kind: adjustmentKind,
      organizationId: z.string(),
      amount: z.string(),
      reason: z.string().nullable(),
    }),
    z.object({
      ...asked,
      kind: z.enum(['accept', 'write_off']),
      executionId: z.string(),
      amount: z.string().nullable(),
      reason: z.string(),
      decidedBy: z.string(),
    }),
    z.object({
      ...asked,
      kind: z.literal('refund'),
      executionId: z.string(),
      amount: z.string().nullable(),
      reason: z.string().nullable(),
    }),
  ]),
  jobId: ({ requestId }) => requestId,
  tries: 1,
});

const textProblem = z.object({ line: z.int().nullable(), message: z.string() });

/** `definition`: as JSON; null: there are problems. `missing`: the settings without which no provider can run it. */
export const checkModelResult = z.object({
  slug: z.string().nullable(),
  yaml: z.string(),
  definition: z.string().nullable(),
  problems: z.array(textProblem),
  warnings: z.array(textProblem),
  isOffered: z.boolean(),
  missing: z.string().nullable(),
});
export type CheckModelResult = z.infer<typeof checkModelResult>;

/** Returns a CheckModelResult. `active`: null, or what is to take the place of the text's own. */
export const checkModelQueue = defineQueue({
  name: 'check-model',
  payload: z.object({ requestId: z.string(), yaml: z.string(), active: z.boolean().nullable() }),
  jobId: ({ requestId }) => requestId,
  tries: 1,
});

const definitions = [
  dispatchQueue,
  recoverQueue,
  callbackQueue,
  pollQueue,
  abortQueue,
  settleQueue,
  fanoutQueue,
  deliverQueue,
  testCallQueue,
  adjustQueue,
  checkModelQueue,
];
export const queueNames: readonly string[] = definitions.map(({ name }) => name);
