import type { LastAudit } from '@holdfast/db/audit/audit';
import type { Backlog, BacklogKind } from '@holdfast/db/backlog';
import type { FailingEndpoints } from '@holdfast/db/overview';
import type { QueueDepth } from '@holdfast/queues/depth';
import { z } from 'zod';

const codes = [
  'ledger_breach',
  'ledger_not_audited',
  'redis_unavailable',
  'queue_paused',
  'queue_unusable',
  'queue_stuck',
  'circuit_open',
  'executions_waiting',
  'executions_overdue',
  'runs_abandoned',
  'callbacks_unread',
  'outcomes_unsettled',
  'events_not_fanned_out',
  'provider_busy',
  'endpoints_deactivated',
  'endpoints_failing',
  'costs_in_review',
] as const;
type Code = (typeof codes)[number];

export const AttentionRecord = z
  .object({
    code: z.enum(codes),
    severity: z.enum(['page', 'warn']).describe('`page`: look now; `warn`: look today'),
    subject: z
      .string()
      .nullable()
      .meta({ description: 'The queue, connection or invariant', example: 'settle' }),
    count: z.int().nullable().describe('How many there are'),
    age_s: z.number().nullable().describe('For how long'),
    runbook: z.string().describe('The page under `/docs/operate/alerts/` that says what to do'),
  })
  .meta({ id: 'AttentionItem' });

export type Attention = z.infer<typeof AttentionRecord>;

/** The severity and the runbook of each: those of the alert where there is one. */
const rules: Readonly<Record<Code, readonly [Attention['severity'], string]>> = {
  ledger_breach: ['page', 'HoldfastLedgerBreach'],
  ledger_not_audited: ['warn', 'HoldfastLedgerNotAudited'],
  redis_unavailable: ['page', 'HoldfastRedisUnreachable'],
  queue_paused: ['page', 'HoldfastQueueStuck'],
  queue_unusable: ['page', 'HoldfastQueueUnusable'],
  queue_stuck: ['page', 'HoldfastQueueStuck'],
  circuit_open: ['page', 'HoldfastProviderCircuitOpen'],
  executions_waiting: ['warn', 'HoldfastExecutionsWaiting'],
  executions_overdue: ['page', 'HoldfastExecutionsOverdue'],
  runs_abandoned: ['warn', 'HoldfastRunsAbandoned'],
  callbacks_unread: ['warn', 'HoldfastCallbacksUnread'],
  outcomes_unsettled: ['page', 'HoldfastOutcomesUnsettled'],
  events_not_fanned_out: ['page', 'HoldfastEventsNotFannedOut'],
  provider_busy: ['warn', 'HoldfastProviderBusy'],
  endpoints_deactivated: ['warn', 'HoldfastWebhooksFailing'],
  endpoints_failing: ['warn', 'HoldfastWebhooksFailing'],
  costs_in_review: ['warn', 'HoldfastCostsInReview'],
};

/** From which age pending work needs an operator, in seconds: as in `deploy/observability/rules/alerts.yml`. */
const maxAgeS: Readonly<Partial<Record<BacklogKind, readonly [Code, number]>>> = {
  pending: ['executions_waiting', 120],
  overdue: ['executions_overdue', 60],
  abandoned: ['runs_abandoned', 120],
  callbacks: ['callbacks_unread', 120],
  unsettled: ['outcomes_unsettled', 60],
  events: ['events_not_fanned_out', 60],
  busy: ['provider_busy', 600],
  reviews: ['costs_in_review', 0],
};
const maxQueueAgeS = 60;
const maxAuditAgeS = 10_800;

export type Findings = {
  audit: LastAudit | null;
  /** Null: Redis does not respond. */
  queues: QueueDepth[] | null;
  circuits: ReadonlyMap<string, Date>;
  backlog: Backlog;
  endpoints: FailingEndpoints;
};

/** What needs an operator, the urgent first. */
export function attentionOf(findings: Findings, nowMs: number): Attention[] {
  const all = [
    ...ofAudit(findings.audit, nowMs),
    ...ofQueues(findings.queues),
    ...[...findings.circuits.keys()].map((connection) => item('circuit_open', { subject: connection })),
    ...ofBacklog(findings.backlog),
    ...ofEndpoints(findings.endpoints),
  ];
  return all.toSorted((one, other) => Number(other.severity === 'page') - Number(one.severity === 'page'));
}

function item(code: Code, facts: Partial<Pick<Attention, 'subject' | 'count' | 'age_s'>> = {}): Attention {
  const [severity, runbook] = rules[code];
  return { code, severity, subject: null, count: null, age_s: null, ...facts, runbook };
}

function ofAudit(last: LastAudit | null, nowMs: number): Attention[] {
  if (!last) return [];
  const ageS = nowMs / 1000 - last.finishedAtS;
  const broken = Object.entries(last.breaches).filter(([, rows]) => rows > 0);
  return [
    ...broken.map(([subject, count]) => item('ledger_breach', { subject, count })),
    ...(ageS > maxAuditAgeS ? [item('ledger_not_audited', { age_s: ageS })] : []),
  ];
}

function ofQueues(queues: QueueDepth[] | null): Attention[] {
  if (queues === null) return [item('redis_unavailable')];
  return queues.flatMap(({ queue: subject, isPaused, waiting: count, oldestWaitingMs, foreignKeys }) => {
    if (foreignKeys.length > 0) return [item('queue_unusable', { subject, count: foreignKeys.length })];
    const ageS = (oldestWaitingMs ?? 0) / 1000;
    if (isPaused) return [item('queue_paused', { subject, count })];
    return ageS > maxQueueAgeS ? [item('queue_stuck', { subject, count, age_s: ageS })] : [];
  });
}

function ofBacklog(backlog: Backlog): Attention[] {
  const kinds = Object.keys(maxAgeS) as (keyof typeof maxAgeS)[];
  return kinds.flatMap((kind) => {
    const { count, oldestS } = backlog[kind];
    const [code, limitS] = maxAgeS[kind] ?? [];
    if (!code || limitS === undefined || (oldestS ?? 0) <= limitS) return [];
    return [item(code, { count, age_s: oldestS })];
  });
}

function ofEndpoints({ failing, deactivated }: FailingEndpoints): Attention[] {
  return [
    ...(deactivated > 0 ? [item('endpoints_deactivated', { count: deactivated })] : []),
    ...(failing > 0 ? [item('endpoints_failing', { count: failing })] : []),
  ];
}
