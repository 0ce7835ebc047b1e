/** What needs an operator: on the console's overview, and in the alerts that are sent. */
export const attentionCodes = [
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
export type AttentionCode = (typeof attentionCodes)[number];

/** `page`: look now; `warn`: look today. */
export const severities = ['page', 'warn'] as const;
export type Severity = (typeof severities)[number];

export type Attention = {
  code: AttentionCode;
  severity: Severity;
  /** The queue, connection or invariant. */
  subject: string | null;
  count: number | null;
  ageS: number | null;
};

/** What is said of a finding: `things(3)` is "3 things", `age` is such as "5 minutes". */
type Say = (facts: { subject: string; count: number; age: string }) => string;

type Rule = { severity: Severity; runbook: string; say: Say };

const counted = (one: string, many: string) => (count: number) =>
  count === 1 ? `1 ${one}` : `${count.toLocaleString('en-US')} ${many}`;

const [executions, jobs, endpoints] = [
  counted('execution', 'executions'),
  counted('job', 'jobs'),
  counted('webhook endpoint', 'webhook endpoints'),
];

/** The severity and the runbook are those of the Prometheus alert where there is one. */
export const attentionRules: Readonly<Record<AttentionCode, Rule>> = {
  ledger_breach: {
    severity: 'page',
    runbook: 'HoldfastLedgerBreach',
    say: ({ subject, count }) =>
      `The ledger is inconsistent: ${counted('row breaks', 'rows break')(count)} “${subject}”`,
  },
  ledger_not_audited: {
    severity: 'warn',
    runbook: 'HoldfastLedgerNotAudited',
    say: ({ age }) => `The last audit of the ledger ended ${age} ago`,
  },
  redis_unavailable: {
    severity: 'page',
    runbook: 'HoldfastRedisUnreachable',
    say: () => 'Redis does not respond: work continues more slowly',
  },
  queue_paused: {
    severity: 'page',
    runbook: 'HoldfastQueueStuck',
    say: ({ subject, count }) =>
      `The queue ${subject} is paused${count > 0 ? `, and ${jobs(count)} ${count === 1 ? 'waits' : 'wait'}` : ''}`,
  },
  queue_unusable: {
    severity: 'page',
    runbook: 'HoldfastQueueUnusable',
    say: ({ subject, count }) =>
      `The queue ${subject} is unusable: something else wrote to ${count} of its keys`,
  },
  queue_stuck: {
    severity: 'page',
    runbook: 'HoldfastQueueStuck',
    say: ({ subject, age }) => `The first job of ${subject} has waited for ${age}`,
  },
  circuit_open: {
    severity: 'page',
    runbook: 'HoldfastProviderCircuitOpen',
    say: ({ subject }) => `${subject} accepts no runs: its circuit is open`,
  },
  executions_waiting: {
    severity: 'warn',
    runbook: 'HoldfastExecutionsWaiting',
    say: ({ count, age }) =>
      `${executions(count)} ${count === 1 ? 'waits' : 'wait'} to start, the oldest for ${age}`,
  },
  executions_overdue: {
    severity: 'page',
    runbook: 'HoldfastExecutionsOverdue',
    say: ({ count, age }) => `${executions(count)} should have expired, the oldest ${age} ago`,
  },
  runs_abandoned: {
    severity: 'warn',
    runbook: 'HoldfastRunsAbandoned',
    say: ({ count, age }) =>
      `${counted('run has', 'runs have')(count)} had no dispatcher, the oldest for ${age}`,
  },
  callbacks_unread: {
    severity: 'warn',
    runbook: 'HoldfastCallbacksUnread',
    say: ({ count, age }) =>
      `${counted('callback', 'callbacks')(count)} of providers not processed, the oldest for ${age}`,
  },
  outcomes_unsettled: {
    severity: 'page',
    runbook: 'HoldfastOutcomesUnsettled',
    say: ({ count, age }) => `${counted('outcome', 'outcomes')(count)} not settled, the oldest for ${age}`,
  },
  events_not_fanned_out: {
    severity: 'page',
    runbook: 'HoldfastEventsNotFannedOut',
    say: ({ count, age }) => `${counted('event', 'events')(count)} not fanned out, the oldest for ${age}`,
  },
  provider_busy: {
    severity: 'warn',
    runbook: 'HoldfastProviderBusy',
    say: ({ count, age }) =>
      `${executions(count)} ${count === 1 ? 'waits' : 'wait'} for busy providers, the oldest for ${age}`,
  },
  endpoints_deactivated: {
    severity: 'warn',
    runbook: 'HoldfastWebhooksFailing',
    say: ({ count }) => `${endpoints(count)} ${count === 1 ? 'was' : 'were'} deactivated after failures`,
  },
  endpoints_failing: {
    severity: 'warn',
    runbook: 'HoldfastWebhooksFailing',
    say: ({ count }) => `${endpoints(count)} ${count === 1 ? 'is' : 'are'} failing`,
  },
  costs_in_review: {
    severity: 'warn',
    runbook: 'HoldfastCostsInReview',
    say: ({ count, age }) =>
      `${counted('cost waits', 'costs wait')(count)} for your decision, the oldest for ${age}`,
  },
};

/** The sentence that a person reads. */
export function attentionMessage({ code, subject, count, ageS }: Omit<Attention, 'severity'>): string {
  return attentionRules[code].say({ subject: subject ?? '', count: count ?? 0, age: shownAge(ageS ?? 0) });
}

const units = [
  [86_400, 'day', 'days'],
  [3600, 'hour', 'hours'],
  [60, 'minute', 'minutes'],
] as const;

function shownAge(seconds: number): string {
  for (const [size, one, many] of units)
    if (seconds >= size) return counted(one, many)(Math.floor(seconds / size));
  return counted('second', 'seconds')(Math.floor(seconds));
}

type Waiting = { count: number; oldestS: number | null };

/** From which age pending work needs an operator, in seconds: as in `deploy/observability/rules/alerts.yml`. */
const maxAgeS = {
  pending: ['executions_waiting', 120],
  overdue: ['executions_overdue', 60],
  abandoned: ['runs_abandoned', 120],
  callbacks: ['callbacks_unread', 120],
  unsettled: ['outcomes_unsettled', 60],
  events: ['events_not_fanned_out', 60],
  busy: ['provider_busy', 600],
  reviews: ['costs_in_review', 0],
} as const satisfies Record<string, readonly [AttentionCode, number]>;
export type WatchedBacklog = keyof typeof maxAgeS;
export const watchedBacklog = Object.keys(maxAgeS) as WatchedBacklog[];

const maxQueueAgeS = 60;
const maxAuditAgeS = 10_800;

export type Findings = {
  /** `breaches` counts rows by invariant. Null: no audit has ended. */
  audit: { finishedAtS: number; breaches: Record<string, number> } | null;
  /** Null: Redis does not respond. */
  queues:
    | {
        queue: string;
        waiting: number;
        isPaused: boolean;
        oldestWaitingMs: number | null;
        foreignKeys: readonly unknown[];
      }[]
    | null;
  /** Open circuits by connection. */
  circuits: ReadonlyMap<string, Date>;
  backlog: Record<WatchedBacklog, Waiting>;
  endpoints: { failing: number; deactivated: number };
};

/** What cannot be seen without Redis: whether it has ended is unknown then. */
export const codesOfRedis: readonly AttentionCode[] = [
  'queue_paused',
  'queue_unusable',
  'queue_stuck',
  'circuit_open',
];

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

function item(
  code: AttentionCode,
  facts: Partial<Pick<Attention, 'subject' | 'count' | 'ageS'>> = {},
): Attention {
  return { code, severity: attentionRules[code].severity, subject: null, count: null, ageS: null, ...facts };
}

function ofAudit(last: Findings['audit'], nowMs: number): Attention[] {
  if (!last) return [];
  const ageS = nowMs / 1000 - last.finishedAtS;
  const broken = Object.entries(last.breaches).filter(([, rows]) => rows > 0);
  return [
    ...broken.map(([subject, count]) => item('ledger_breach', { subject, count })),
    ...(ageS > maxAuditAgeS ? [item('ledger_not_audited', { ageS })] : []),
  ];
}

function ofQueues(queues: Findings['queues']): Attention[] {
  if (queues === null) return [item('redis_unavailable')];
  return queues.flatMap(({ queue: subject, isPaused, waiting: count, oldestWaitingMs, foreignKeys }) => {
    if (foreignKeys.length > 0) return [item('queue_unusable', { subject, count: foreignKeys.length })];
    const ageS = (oldestWaitingMs ?? 0) / 1000;
    if (isPaused) return [item('queue_paused', { subject, count })];
    return ageS > maxQueueAgeS ? [item('queue_stuck', { subject, count, ageS })] : [];
  });
}

function ofBacklog(backlog: Findings['backlog']): Attention[] {
  return watchedBacklog.flatMap((kind) => {
    const { count, oldestS } = backlog[kind];
    const [code, limitS] = maxAgeS[kind];
    return (oldestS ?? 0) <= limitS ? [] : [item(code, { count, ageS: oldestS })];
  });
}

function ofEndpoints({ failing, deactivated }: Findings['endpoints']): Attention[] {
  return [
    ...(deactivated > 0 ? [item('endpoints_deactivated', { count: deactivated })] : []),
    ...(failing > 0 ? [item('endpoints_failing', { count: failing })] : []),
  ];
}
