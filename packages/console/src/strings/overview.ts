import { counted } from './system.ts';

const numbered = (count: number, one: string, many: string) =>
  count === 1 ? `1 ${one}` : `${counted(count)} ${many}`;

/** The overview, and what needs an operator. */
export const overviewTexts = {
  overview: {
    title: 'Overview',
    ranges: { hour: 'Last hour', '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days' },
    money: {
      '24h': 'Money in the last 24 hours',
      '7d': 'Money in the last 7 days',
      '30d': 'Money in the last 30 days',
    },
    completedOverTime: 'Executions by the time they completed',
    by: { model: 'Revenue by model', organization: 'Revenue by organization' },
    executions: 'Executions',
    completed: 'Completed',
    open: 'Open',
    cancelled: 'Cancelled',
    failed: 'Failed',
    share: (share: string) => `${share} of executions`,
    pending: 'Waiting to start',
    oldest: (age: string) => `oldest ${age}`,
    undelivered: 'Deliveries failed',
    notYetDelivered: (count: number) => `${count.toLocaleString()} pending`,
    endpointsFailing: (count: number) =>
      count === 1
        ? '1 endpoint is failing or deactivated'
        : `${count.toLocaleString()} endpoints are failing or deactivated`,
    perMinute: 'Executions by the minute of their creation',
    noExecutions: 'No executions in the last hour',
    countedSince: 'There are very many: executions are counted since',
    models: 'Latency by model',
    noModels: 'No model ran in the last hour',
    providers: 'Providers',
    noProviders: 'No provider is configured',
    noProvidersHint: 'Set the base URL and key of a provider, then run holdfast models apply.',
    circuit: 'Circuit',
    unknown: 'unknown',
    attempts: 'Attempts',
    errors: 'Errors',
    noErrors: 'No execution failed in the last hour',
    system: 'System',
    jobsWaiting: (count: number) => (count === 1 ? '1 job waits' : `${count.toLocaleString()} jobs wait`),
    inReview: (count: number) =>
      count === 0 ? 'None wait' : `${numbered(count, 'waits', 'wait')} for a decision`,
    deliveries: 'Deliveries',
    delivered: (delivered: number, pending: number) =>
      `${delivered.toLocaleString()} delivered, ${pending.toLocaleString()} pending`,
  },
  attention: {
    title: 'Needs attention',
    none: 'Nothing needs you. All is running.',
    look: 'Open',
    runbook: 'Runbook',
    severities: { page: 'Urgent', warn: 'Warning' },
    codes: {
      ledger_breach: (invariant: string, count: number) =>
        `The ledger is inconsistent: ${count === 1 ? '1 row breaks' : `${count} rows break`} “${invariant}”`,
      ledger_not_audited: (_: string, __: number, age: string) =>
        `The last audit of the ledger ended ${age} ago`,
      redis_unavailable: () => 'Redis does not respond: work continues more slowly',
      queue_paused: (queue: string, count: number) =>
        `The queue ${queue} is paused${count > 0 ? `, and ${count === 1 ? '1 job waits' : `${count} jobs wait`}` : ''}`,
      queue_unusable: (queue: string, count: number) =>
        `The queue ${queue} is unusable: something else wrote to ${count === 1 ? '1 of its keys' : `${count} of its keys`}`,
      queue_stuck: (queue: string, _: number, age: string) =>
        `The first job of ${queue} has waited for ${age}`,
      circuit_open: (connection: string) => `${connection} accepts no runs: its circuit is open`,
      executions_waiting: (_: string, count: number, age: string) =>
        `${numbered(count, 'execution waits', 'executions wait')} to start, the oldest for ${age}`,
      executions_overdue: (_: string, count: number, age: string) =>
        `${numbered(count, 'execution', 'executions')} should have expired, the oldest ${age} ago`,
      runs_abandoned: (_: string, count: number, age: string) =>
        `${numbered(count, 'run has', 'runs have')} had no dispatcher, the oldest for ${age}`,
      callbacks_unread: (_: string, count: number, age: string) =>
        `${numbered(count, 'callback', 'callbacks')} of providers not processed, the oldest for ${age}`,
      outcomes_unsettled: (_: string, count: number, age: string) =>
        `${numbered(count, 'outcome', 'outcomes')} not settled, the oldest for ${age}`,
      events_not_fanned_out: (_: string, count: number, age: string) =>
        `${numbered(count, 'event', 'events')} not fanned out, the oldest for ${age}`,
      provider_busy: (_: string, count: number, age: string) =>
        `${numbered(count, 'execution waits', 'executions wait')} for busy providers, the oldest for ${age}`,
      endpoints_deactivated: (_: string, count: number) =>
        `${count === 1 ? '1 webhook endpoint was' : `${count} webhook endpoints were`} deactivated after failures`,
      endpoints_failing: (_: string, count: number) =>
        count === 1 ? '1 webhook endpoint is failing' : `${count} webhook endpoints are failing`,
      costs_in_review: (_: string, count: number, age: string) =>
        `${numbered(count, 'cost waits', 'costs wait')} for your decision, the oldest for ${age}`,
    },
  },
  charts: { table: 'Show as a table', time: 'Time' },
} as const;
