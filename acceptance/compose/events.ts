import { createHmac } from 'node:crypto';
import type { Received } from '@holdfast/testkit/webhookReceiver';
import type { EventBody } from '../stack/executions.ts';
import type { Books } from './books.ts';
import { expectNone } from './checks.ts';
import type { ExecutionRecord } from './records.ts';

function isAuthentic({ headers, body }: Received, secret: string): boolean {
  const signed = `${String(headers['x-signature-timestamp'])}.${body}`;
  return createHmac('sha256', secret).update(signed).digest('hex') === headers['x-signature'];
}

/** Every request was signed with the endpoint's secret. */
export function expectAuthentic(received: Received[], secret: string): void {
  expectNone(
    'requests have a wrong signature',
    received.filter((request) => !isAuthentic(request, secret)).map(({ body }) => body.slice(0, 80)),
  );
}

/**
 * Every event there is came, and nothing else; every ending has one. An event that came twice came with the same bytes.
 */
export function expectEvents(
  received: Received[],
  events: Books['events'],
  records: ExecutionRecord[],
): void {
  const bodies = received.map(({ body }) => ({ body, ...(JSON.parse(body) as EventBody) }));
  const came = new Set(bodies.map(({ id, execution_id, type }) => `${id} ${execution_id} ${type}`));
  expectNone(
    'events did not come',
    events.filter((event) => !came.has(event)),
  );
  const made = new Set(events);
  expectNone(
    'events came that nobody made',
    [...came].filter((event) => !made.has(event)),
  );
  const endings = new Set(bodies.map(({ execution_id, type }) => `${execution_id} ${type}`));
  const due = records.flatMap(({ id, status }) => [
    `${id} execution.${status.toLowerCase()}`,
    ...(status === 'COMPLETED' ? [`${id} execution.started`] : []),
  ]);
  expectNone(
    'endings or beginnings were not told',
    due.filter((event) => !endings.has(event)),
  );
  const variants = new Set(bodies.map(({ body }) => body)).size;
  if (variants !== came.size) throw new Error(`${came.size} events came in ${variants} different bodies`);
}
