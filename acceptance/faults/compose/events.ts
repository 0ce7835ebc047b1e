import { createHmac } from 'node:crypto';
import type { Received } from '@holdfast/testkit/webhookReceiver';
import type { EventBody } from '../../stack/executions.ts';
import { expectNone } from './checks.ts';
import type { LedgerRows } from './ledger.ts';
import type { ExecutionRecord } from './records.ts';

function isAuthentic({ headers, body }: Received, secret: string): boolean {
  const signed = `${String(headers['x-signature-timestamp'])}.${body}`;
  return createHmac('sha256', secret).update(signed).digest('hex') === headers['x-signature'];
}

/** Checks that every request was signed with the endpoint's secret. */
export function expectAuthentic(received: Received[], secret: string): void {
  expectNone(
    'requests have a wrong signature',
    received.filter((request) => !isAuthentic(request, secret)).map(({ body }) => body.slice(0, 80)),
  );
}

/** Checks that exactly the existing events arrived, one for each final status, and that repeated events had the same bytes. */
export function expectEvents(
  received: Received[],
  events: LedgerRows['events'],
  records: ExecutionRecord[],
): void {
  const bodies = received.map(({ body }) => ({ body, ...(JSON.parse(body) as EventBody) }));
  const came = new Set(bodies.map(({ id, execution_id, type }) => `${id} ${execution_id} ${type}`));
  expectNone(
    'events did not arrive',
    events.filter((event) => !came.has(event)),
  );
  const made = new Set(events);
  expectNone(
    'unknown events arrived',
    [...came].filter((event) => !made.has(event)),
  );
  const endings = new Set(bodies.map(({ execution_id, type }) => `${execution_id} ${type}`));
  const due = records.flatMap(({ id, status }) => [
    `${id} execution.${status.toLowerCase()}`,
    ...(status === 'COMPLETED' ? [`${id} execution.started`] : []),
  ]);
  expectNone(
    'starts or final statuses have no event',
    due.filter((event) => !endings.has(event)),
  );
  const variants = new Set(bodies.map(({ body }) => body)).size;
  if (variants !== came.size) throw new Error(`${came.size} events arrived in ${variants} different bodies`);
}
