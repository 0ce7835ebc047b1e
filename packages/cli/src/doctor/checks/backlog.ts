import { readLastAudit } from '@holdfast/db/audit/lastAudit';
import { type BacklogKind, readBacklog } from '@holdfast/db/backlog/read';
import { shownSeconds } from '../../output/times.ts';
import type { Check, Finding } from '../finding.ts';

type Late = { afterS: number; state: 'warn' | 'fail'; what: string; mend: string };

const dispatcher = 'does a dispatcher run? Read its log; holdfast queues shows what waits';
const ledger = 'does a ledger run? Read its log; holdfast queues shows what waits';
const sender = 'does a webhook-sender run? Read its log; holdfast queues shows what waits';

/** From what age on nobody does it; what may wait for a limit or an endpoint is only noticed. */
const late: Record<Exclude<BacklogKind, 'running'>, Late> = {
  pending: {
    afterS: 300,
    state: 'warn',
    what: 'executions wait to be started',
    mend: `${dispatcher}, or a limit`,
  },
  waiting_tries: {
    afterS: 120,
    state: 'warn',
    what: 'further tries wait',
    mend: `${dispatcher}, or a limit`,
  },
  abandoned: { afterS: 60, state: 'fail', what: 'runs were left by their dispatcher', mend: dispatcher },
  callbacks: { afterS: 60, state: 'fail', what: 'callbacks have not been read', mend: dispatcher },
  unsettled: { afterS: 60, state: 'fail', what: 'outcomes have not been settled', mend: ledger },
  overdue: { afterS: 60, state: 'fail', what: 'executions have not expired in time', mend: ledger },
  events: { afterS: 60, state: 'fail', what: 'events have not been fanned out', mend: sender },
  deliveries: {
    afterS: 600,
    state: 'warn',
    what: 'deliveries are due',
    mend: `${sender}, or their endpoints are inactive: holdfast webhooks list`,
  },
};

export const sweepsCheck: Check = {
  check: 'sweeps',
  mend: 'holdfast queues',
  async look(context) {
    const backlog = await readBacklog(context.openDatabase());
    const findings = Object.entries(late).flatMap(([kind, { afterS, state, what, mend }]): Finding[] => {
      const { count, oldestS } = backlog[kind as BacklogKind];
      if (oldestS === null || oldestS <= afterS) return [];
      return [
        { state, check: 'sweeps', found: `${count} ${what}, the oldest for ${shownSeconds(oldestS)}`, mend },
      ];
    });
    return findings.length > 0 ? findings : [{ state: 'ok', check: 'sweeps', found: 'nothing is late' }];
  },
};

const auditedWithinS = 7200;

export const auditCheck: Check = {
  check: 'audit of the books',
  mend: 'holdfast ledger audit',
  async look(context) {
    const check = 'audit of the books';
    const last = await readLastAudit(context.openDatabase());
    if (last === null) {
      return [
        {
          state: 'warn',
          check,
          found: 'there was none yet',
          mend: 'the ledger audits every AUDIT_INTERVAL_S; holdfast ledger audit does it now',
        },
      ];
    }
    const ageS = Math.max(0, Date.now() / 1000 - last.finishedAtS);
    const broken = Object.keys(last.breaches);
    const found = `${broken.length === 0 ? 'every invariant held' : `broken: ${broken.join(', ')}`} ${shownSeconds(ageS)} ago`;
    if (broken.length > 0)
      return [{ state: 'fail', check, found, mend: 'holdfast ledger audit names each row' }];
    const isOld = ageS > auditedWithinS;
    return [
      isOld ? { state: 'warn', check, found, mend: 'does a ledger run?' } : { state: 'ok', check, found },
    ];
  },
};
