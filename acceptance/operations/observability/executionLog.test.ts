import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import { create, untilEvent } from '../../stack/executions.ts';
import { stackOfTests } from '../../stack/stackOfTests.ts';

type Line = { service: string; msg: string } & Record<string, unknown>;

const lines: Line[] = [];

const stack = await stackOfTests({ LOG_LEVEL: 'info' }, [], (line) => lines.push(JSON.parse(line) as Line));

const linesOf = (executionId: string) => lines.filter((line) => line['executionId'] === executionId);

/** The first log line of a service with this message about an execution, and about `event` if one is given. */
function findLine(executionId: string, service: string, msg: string, event?: string): Line | undefined {
  return linesOf(executionId).find(
    (line) =>
      line.service === service &&
      line.msg === msg &&
      (event === undefined || line['type'] === event || line['eventId'] === event),
  );
}

describe('the log lines with the id of an execution', () => {
  it('show its whole path across the services, in order', async () => {
    const customer = await stack.newCustomer();
    await customer.api.post('/v1/webhooks/endpoints', { url: stack.receiver.url });
    const id = await create(customer.api, 'sandbox-text', { prompt: 'Once upon a time' });
    const { id: eventId } = await untilEvent(stack.receiver, id, 'execution.completed');
    await until('the delivery attempt is logged', () =>
      findLine(id, 'webhook-sender', 'webhook attempt', eventId),
    );

    const story = [
      findLine(id, 'api-gateway', 'request'),
      findLine(id, 'dispatcher', 'run started'),
      findLine(id, 'dispatcher', 'run ended'),
      findLine(id, 'ledger', 'execution ended'),
      findLine(id, 'webhook-sender', 'event fanned out', 'execution.completed'),
      findLine(id, 'webhook-sender', 'webhook attempt', eventId),
    ];
    expect(story).toEqual([
      expect.objectContaining({
        method: 'POST',
        route: '/v1/executions',
        status: 202,
        requestId: expect.any(String),
      }),
      expect.objectContaining({ attemptId: expect.any(String), connection: 'sandbox' }),
      expect.objectContaining({ attemptId: expect.any(String), state: 'succeeded' }),
      expect.objectContaining({ status: 'COMPLETED', eventId }),
      expect.objectContaining({ eventId, deliveries: 1 }),
      expect.objectContaining({ eventId, deliveryId: expect.any(String), outcome: 'delivered' }),
    ]);
    // The response is logged after it was sent, so the run may have started before.
    const [, ...after] = story.map((line) => lines.indexOf(line as Line));
    expect(after).toEqual(after.toSorted((a, b) => a - b));
    expect(story[1]?.['attemptId']).toBe(story[2]?.['attemptId']);
  });

  it('use the same field names for organizations, attempts and deliveries everywhere', () => {
    const others = lines.flatMap((line) =>
      Object.entries(line).filter(
        ([name, value]) => typeof value === 'string' && nameOf(value) !== null && nameOf(value) !== name,
      ),
    );
    expect(lines.length).toBeGreaterThan(5);
    expect(others).toEqual([]);
  });
});

/** The ids in a log line, by field name. */
function nameOf(value: string): string | null {
  const prefix = /^(exec|att|org|evt|dlv|wh|cbk|req)_[0-9a-f-]{36}$/.exec(value)?.[1];
  if (prefix === undefined) return null;
  return {
    exec: 'executionId',
    att: 'attemptId',
    org: 'organizationId',
    evt: 'eventId',
    dlv: 'deliveryId',
    wh: 'endpointId',
    cbk: 'callbackId',
    req: 'requestId',
  }[prefix] as string;
}
