/** The gateway counts no further. */
export const counted = (count: number): string =>
  count >= 10_000 ? '10,000 or more' : count.toLocaleString();

/** What operators look after. */
export const systemTexts = {
  queues: {
    title: 'Queues',
    about: 'Queues carry hints about work that is in the database: losing a job costs time, never data.',
    redis: 'Queues in Redis',
    noRedis: 'Redis does not respond',
    noRedisHint: 'Start it, or check REDIS_URL. Sweeps find the work in the database meanwhile, more slowly.',
    waiting: 'Waiting',
    active: 'Active',
    delayed: 'Delayed',
    failed: 'Failed',
    oldest: 'Oldest',
    paused: 'paused',
    pause: 'Pause',
    verbs: { retry: 'Retry failed jobs', pause: 'Pause queue', resume: 'Resume queue' },
    pauseQuestion: (queue: string) =>
      `Pause ${queue}? Workers take no more of its jobs until you resume it. Nothing is lost, but work is delayed.`,
    resume: 'Resume',
    resumeQuestion: (queue: string) => `Resume ${queue}? Workers take its jobs at once.`,
    retry: 'Retry',
    retryQuestion: (count: number, queue: string) =>
      `Retry ${count === 1 ? 'the failed job' : `the ${count} failed jobs`} of ${queue}? It is safe to run a job twice.`,
    failedJobs: 'Failed jobs',
    noFailedJobs:
      'Its failed jobs are gone: they are kept for a minute. The logs of the services have them all.',
    tries: (count: number) => (count === 1 ? '1 try' : `${count} tries`),
    /** What the jobs of a queue do, by its name. */
    jobs: {
      dispatch: 'Starts executions',
      retry: 'Starts the next attempt of an execution',
      recover: 'Takes over runs that lost their dispatcher',
      callback: 'Processes callbacks of providers',
      poll: 'Asks providers for results',
      abort: 'Stops runs of cancelled executions',
      settle: 'Charges executions and releases holds',
      fanout: 'Creates the deliveries of events',
      deliver: 'Sends webhooks',
      'test-call': 'Sends test events',
      adjust: 'Writes top-ups, corrections and decisions on costs',
      'check-model': 'Checks models that operators write',
    } as Readonly<Record<string, string>>,
    backlog: 'Pending work in the database',
    backlogAbout: 'This is what remains to be done, with the age of the oldest.',
    noBacklog: 'No pending work',
    counted,
    kinds: {
      pending: 'executions to be started',
      waiting_tries: 'retries that are due',
      busy: 'attempts waiting for busy providers',
      running: 'runs at providers',
      abandoned: 'runs that lost their dispatcher',
      callbacks: 'unprocessed callbacks of providers',
      unsettled: 'outcomes to be settled',
      overdue: 'executions past their expiry',
      events: 'events to be fanned out',
      deliveries: 'due deliveries, of inactive endpoints too',
      reviews: 'costs that an operator decides about',
    },
  },
  audit: {
    title: 'Audit',
    about:
      'The audit reads every balance, transaction and execution in one snapshot, and checks that the rules of the ledger hold. It runs by itself, every hour unless configured otherwise.',
    none: 'No audit has ended yet',
    noneHint:
      'The ledger service runs the first one when it starts. If this stays, check that the service is running.',
    consistent: 'The ledger is consistent',
    inconsistent: 'The ledger is inconsistent',
    finished: 'Last audit',
    run: 'Run now',
    runQuestion: 'Audit the ledger now? It starts within 10 seconds and is safe under load.',
    requested: 'An audit is requested. This page shows its result when it has ended.',
    next: 'The log of the ledger service names the rows. What to do:',
    invariants: (count: number) => `${count} invariants`,
    holds: 'holds',
    broken: (rows: number) =>
      rows === 1 ? 'broken by 1 row' : `broken by ${rows === 100 ? '100 or more' : rows} rows`,
  },
  sessions: {
    title: 'Sessions',
    current: 'this session',
    revoke: 'End session',
    revokeQuestion: (actor: string) => `End this session of ${actor}? That browser is signed out at once.`,
    revokeCurrent: 'End the session that you are using? You are signed out at once.',
    by: { token: 'with a token', link: 'with a link', oidc: 'by OIDC' },
    from: 'From',
    until: 'Ends',
  },
} as const;
