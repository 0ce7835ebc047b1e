import {
  type AlertMessage,
  addressTest,
  allReceivers,
  claimAlertMessages,
  dropOldAlerts,
  recordAlertMessage,
  updateAlerts,
} from '@holdfast/db/alerts';
import { readLastAudit } from '@holdfast/db/audit/audit';
import { readBacklog } from '@holdfast/db/backlog';
import type { Database } from '@holdfast/db/client';
import { countFailingEndpoints } from '@holdfast/db/overview';
import { attentionOf, codesOfRedis, type Findings, watchedBacklog } from '@holdfast/domain/attention';
import type { Logger } from '@holdfast/kit/logger';
import { type Sweep, startSweep, type TurnOf } from '@holdfast/kit/sweep';
import type { QueueControls } from '@holdfast/queues/controls';
import type { AlertConfig } from './config.ts';
import { type Content, contentOf } from './content.ts';
import type { Receivers } from './receivers.ts';

const lookEveryMs = 15_000;
const sendEveryMs = 2000;
const dayMs = 86_400_000;
const keptDays = 30;
const maxCounted = 10_000;
/** Longer than any attempt takes. */
const leaseS = 120;
/** After the first attempt, and so on; then the message is given up. */
const retryAfterS = [10, 60, 300, 1800, 7200, 21_600];

export type Alerting = {
  db: Database;
  queues: Pick<QueueControls, 'depths' | 'openCircuits'>;
  receivers: Receivers;
  config: AlertConfig & { PUBLIC_URL?: string | undefined };
  log: Logger;
};

/** Looks for what needs an operator, and sends what is to be sent. None without receivers. */
export function alertSweeps(alerting: Alerting & { turnOf: TurnOf }): Sweep[] {
  const { db, receivers, turnOf, log } = alerting;
  if (receivers.size === 0) return [];
  const sweep = (name: string, intervalMs: number, work: () => Promise<unknown>) =>
    startSweep({ name, intervalMs, log, work, isTurn: turnOf(name, intervalMs) });
  return [
    sweep('alerts', lookEveryMs, () => lookForAlerts(alerting)),
    sweep('alerts to send', sendEveryMs, () => sendAlerts(alerting)),
    sweep('old alerts', dayMs, () => dropOldAlerts(db, keptDays)),
  ];
}

export async function lookForAlerts({ db, queues, receivers, config, log }: Alerting): Promise<void> {
  const findings = await readFindings(db, queues);
  const all = attentionOf(findings, Date.now());
  const { raised, resolved } = await updateAlerts(
    db,
    config.ALERT_SEVERITY === 'page' ? all.filter(({ severity }) => severity === 'page') : all,
    {
      raiseAfterS: config.ALERT_AFTER_S,
      resolveAfterS: config.ALERT_RESOLVED_AFTER_S,
      unknown: findings.queues === null ? codesOfRedis : [],
    },
    [...receivers.keys()],
    (changes) => contentOf(changes, config.PUBLIC_URL),
  );
  for (const { id, code, subject } of raised) log.warn({ alertId: id, code, subject }, 'alert raised');
  for (const { id, code, subject } of resolved) log.info({ alertId: id, code, subject }, 'alert resolved');
}

async function readFindings(db: Database, queues: Alerting['queues']): Promise<Findings> {
  const [audit, backlog, endpoints, redis] = await Promise.all([
    readLastAudit(db),
    readBacklog(db, { atMost: maxCounted, of: watchedBacklog }),
    countFailingEndpoints(db, maxCounted),
    Promise.all([queues.depths(), queues.openCircuits()]).catch(() => null),
  ]);
  const [depths, circuits] = redis ?? [null, new Map<string, Date>()];
  return { audit, backlog, endpoints, queues: depths, circuits };
}

/** A process that dies after it has sent a message, and before that is recorded, sends it again with the same id. */
export async function sendAlerts(alerting: Alerting): Promise<void> {
  const { db, receivers, log } = alerting;
  const due = await claimAlertMessages<Content>(db, leaseS);
  const isTest = ({ receiver }: { receiver: string }) => receiver === allReceivers;
  const tests = due.filter(isTest);
  await Promise.all([
    ...tests.map((test) => addressTest(db, test, [...receivers.keys()])),
    ...due.filter((message) => !isTest(message)).map((message) => deliver(db, receivers, message, log)),
  ]);
  if (tests.length > 0) await sendAlerts(alerting);
}

async function deliver(
  db: Database,
  receivers: Receivers,
  message: AlertMessage<Content>,
  log: Logger,
): Promise<void> {
  const { id, receiver, attempts, testId } = message;
  const send = receivers.get(receiver);
  const error = send ? await send(message) : 'the receiver is no longer configured';
  const isFinal = !send || testId !== null;
  const failure =
    error === null ? null : { error, retryAfterS: isFinal ? null : (retryAfterS[attempts - 1] ?? null) };
  await recordAlertMessage(db, message, failure);
  const facts = { alertMessageId: id, receiver, attempts };
  if (failure === null) log.info(facts, 'alert sent');
  else log.error({ ...facts, ...failure }, 'alert not sent');
}
