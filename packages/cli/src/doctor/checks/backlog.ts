import { readLastAudit } from '@holdfast/db/audit/audit';
import { type BacklogKind, readBacklog } from '@holdfast/db/backlog';
import { shownSeconds } from '../../output/times.ts';
import { type Check, type Finding } from '../findings.ts';

type Late = { afterS: number; state: 'warning' | 'error'; what: string; fix: string; runbook: string };

const ifRunning = (service: string) =>
  `is ${service} running? Read its log; holdfast queues shows the backlog`;
const dispatcher = ifRunning('a dispatcher');
const ledger = ifRunning('a ledger');
const sender = ifRunning('a webhook-sender');

/** The age from which work is late; a warning where a limit or an endpoint may be the reason. */
const late: Record<Exclude<BacklogKind, 'running'>, Late> = {
  pending: {
    afterS: 300,
    state: 'warning',
    what: 'executions are waiting to start',
    fix: `${dispatcher}, or a limit holds them back`,
    runbook: 'HoldfastExecutionsWaiting',
  },
  waiting_tries: {
    afterS: 120,
    state: 'warning',
    what: 'retries are due',
    fix: `${dispatcher}, or a limit holds them back`,
    runbook: 'HoldfastExecutionsWaiting',
  },
  busy: {
    afterS: 600,
    state: 'warning',
    what: 'attempts are waiting for busy providers',
    fix: 'holdfast executions show names the provider: give it more capacity, or the model another provider',
    runbook: 'HoldfastProviderBusy',
  },
  abandoned: {
    afterS: 60,
    state: 'error',
    what: 'runs have lost their dispatcher',
    fix: dispatcher,
    runbook: 'HoldfastRunsAbandoned',
  },
  callbacks: {
    afterS: 60,
    state: 'error',
    what: 'callbacks are unprocessed',
    fix: dispatcher,
    runbook: 'HoldfastCallbacksUnread',
  },
  unsettled: {
    afterS: 60,
    state: 'error',
    what: 'outcomes are not settled',
    fix: ledger,
    runbook: 'HoldfastOutcomesUnsettled',
  },
  overdue: {
    afterS: 60,
    state: 'error',
    what: 'executions are past their expiry',
    fix: ledger,
    runbook: 'HoldfastExecutionsOverdue',
  },
  events: {
    afterS: 60,
    state: 'error',
    what: 'events are not fanned out',
    fix: sender,
    runbook: 'HoldfastEventsNotFannedOut',
  },
  deliveries: {
    afterS: 600,
    state: 'warning',
    what: 'deliveries are due',
    fix: `${sender}, or their endpoints are inactive: holdfast webhooks list`,
    runbook: 'HoldfastWebhooksLate',
  },
  reviews: {
    afterS: 0,
    state: 'warning',
    what: 'costs wait for a decision',
    fix: 'holdfast review list shows them; accept or write off each',
    runbook: 'HoldfastCostsInReview',
  },
};

export const sweepsCheck: Check = {
  check: 'sweeps',
  fix: 'holdfast queues',
  runbook: 'HoldfastBacklogUnknown',
  async run(context) {
    const backlog = await readBacklog(await context.openDatabase());
    const findings = Object.entries(late).flatMap(([kind, { afterS, what, ...rest }]): Finding[] => {
      const { count, oldestS } = backlog[kind as BacklogKind];
      if (oldestS === null || oldestS <= afterS) return [];
      return [
        { ...rest, check: 'sweeps', found: `${count} ${what}, the oldest for ${shownSeconds(oldestS)}` },
      ];
    });
    return findings.length > 0 ? findings : [{ state: 'ok', check: 'sweeps', found: 'nothing is late' }];
  },
};

const auditedWithinS = 7200;

export const auditCheck: Check = {
  check: 'ledger audit',
  fix: 'holdfast ledger audit',
  runbook: 'HoldfastLedgerNotAudited',
  async run(context) {
    const check = 'ledger audit';
    const last = await readLastAudit(await context.openDatabase());
    if (last === null) {
      return [
        {
          state: 'warning',
          check,
          found: 'the ledger has not been audited yet',
          fix: 'the ledger service audits every AUDIT_INTERVAL_S; holdfast ledger audit does it now',
        },
      ];
    }
    const ageS = Math.max(0, Date.now() / 1000 - last.finishedAtS);
    const broken = Object.keys(last.breaches);
    const found = `${broken.length === 0 ? 'every invariant held' : `broken: ${broken.join(', ')}`} ${shownSeconds(ageS)} ago`;
    if (broken.length > 0)
      return [
        {
          state: 'error',
          check,
          found,
          fix: 'holdfast ledger audit lists the rows',
          runbook: 'HoldfastLedgerBreach',
        },
      ];
    const isOld = ageS > auditedWithinS;
    return [
      isOld ? { state: 'warning', check, found, fix: 'is a ledger running?' } : { state: 'ok', check, found },
    ];
  },
};
