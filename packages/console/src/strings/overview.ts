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
  },
} as const;
