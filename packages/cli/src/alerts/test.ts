import { setTimeout as delay } from 'node:timers/promises';
import { allReceivers, dropTest, readTest, requestTest, type TestMessage } from '@holdfast/db/alerts';
import type { Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { printJson, printTable } from '../output/print.ts';

const lookEveryMs = 250;
const waitMs = 30_000;

/** 0: every receiver took the test alert; 1: one did not, or no webhook-sender sends alerts. */
export async function alertsTest(args: string[], context: Context): Promise<number> {
  const { values } = readOperands('alerts test', args, [], { json: { type: 'boolean' } });
  const db = await context.openDatabase();
  const testId = await requestTest(db);
  const until = performance.now() + waitMs;
  let messages = await readTest(db, testId);
  while (messages.some(isOpen) && performance.now() < until) {
    await delay(lookEveryMs);
    messages = await readTest(db, testId);
  }
  await dropTest(db, testId);
  const reached = messages.filter(({ receiver }) => receiver !== allReceivers);
  const rows = reached.map(({ receiver, isSent, error }) => ({ receiver, sent: isSent, error }));
  if (values.json) printJson(context, { data: rows });
  else if (rows.length > 0)
    printTable(context, rows, {
      receiver: ({ receiver }) => receiver,
      sent: ({ sent }) => (sent ? 'yes' : 'no'),
      error: ({ error }) => error ?? '',
    });
  if (rows.length === 0)
    context.report(
      'holdfast: no webhook-sender sends alerts: set ALERT_EMAIL_TO or ALERT_WEBHOOK_URLS of it',
    );
  return rows.length > 0 && rows.every(({ sent }) => sent) ? 0 : 1;
}

const isOpen = ({ receiver, isSent, error }: TestMessage) =>
  receiver === allReceivers || (!isSent && error === null);
