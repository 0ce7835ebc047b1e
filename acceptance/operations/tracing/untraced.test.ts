import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { ServiceName } from '@holdfast/testkit/testDatabase';
import { until } from '@holdfast/testkit/until';
import { type Received, status } from '@holdfast/testkit/webhookReceiver';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { create, eventsOf, untilEvent } from '../../stack/executions.ts';
import { stackOfTests } from '../../stack/stackOfTests.ts';

const lines: Record<string, unknown>[] = [];
const services: ServiceName[] = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender'];

const stack = await stackOfTests({ LOG_LEVEL: 'info' }, [], (line) => lines.push(JSON.parse(line)));
const customer = await stack.newCustomer();
const { body } = await customer.api.post('/v1/webhooks/endpoints', { url: stack.receiver.url });
const endpointId = body['id'] as string;

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const given = `00-${traceId}-00f067aa0ba902b7-01`;

/** The header of every webhook of an execution that was created with this header. */
async function passedOn(traceparent: string | null): Promise<unknown[]> {
  const headers = traceparent === null ? {} : { traceparent };
  const id = await create(customer.api, 'sandbox-text', { prompt: 'a' }, {}, headers);
  await untilEvent(stack.receiver, id, 'execution.started');
  await untilEvent(stack.receiver, id, 'execution.completed');
  return eventsOf(stack.receiver, id).map(({ request }) => request.headers['traceparent']);
}

describe('with tracing off', () => {
  it('a traceparent is passed on unchanged', async () => {
    expect(new Set(await passedOn(given))).toEqual(new Set([given]));
    expect(lines.filter((line) => 'traceId' in line)).toEqual([]);
  });

  it.each([
    ['none', null],
    ['an invalid one', `00-${traceId}-01`],
    ['two of them', `${given}, ${given}`],
  ])('webhooks have no traceparent if the client sent %s', async (_what, traceparent) => {
    expect(new Set(await passedOn(traceparent))).toEqual(new Set([undefined]));
  });

  it('a test event passes its traceparent on', async () => {
    await customer.api.post(`/v1/webhooks/endpoints/${endpointId}/test`, undefined, { traceparent: given });
    const [sent] = stack.receiver.received.filter(({ body }) => body.includes('webhook.test'));
    expect(sent?.headers['traceparent']).toBe(given);
  });

  it('a retried delivery has the traceparent, which overrides a custom header of that name', async () => {
    const own = { url: `${stack.receiver.url}/own`, headers: { Traceparent: 'own' } };
    const { body } = await customer.api.post('/v1/webhooks/endpoints', {
      ...own,
      events: ['execution.completed'],
    });
    const ofOwn = ({ path }: Received) => path.endsWith('/own');
    let refused = 0;
    stack.receiver.respond = (received, response) => {
      status(ofOwn(received) && refused++ === 0 ? 500 : 200)(received, response);
    };
    await passedOn(given);
    const attempts = await until('two attempts', () => {
      const found = stack.receiver.received.filter(ofOwn);
      return found.length === 2 && found;
    });
    expect(attempts.map(({ headers }) => headers['traceparent'])).toEqual([given, given]);
    await customer.api.patch(`/v1/webhooks/endpoints/${String(body['id'])}`, { is_active: false });
  });
});

describe('with a collector that accepts connections and never responds', () => {
  let silent: Server;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    silent = createServer((socket) => void sockets.push(socket.on('error', () => {})));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    for (const name of services) {
      await stack.services.stop(name);
      await stack.services.start(name, { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    }
  });
  // Open sockets would keep this process alive.
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('executions succeed, and each service logs once that spans are lost', async () => {
    const lost = () =>
      lines.filter(({ msg }) => String(msg).startsWith('the collector does not accept spans'));
    await until(
      'every service has logged it',
      async () => {
        expect((await passedOn(given)).every((header) => String(header).includes(traceId))).toBe(true);
        return new Set(lost().map(({ service }) => service)).size === services.length;
      },
      40_000,
    );
    await passedOn(given);
    expect(lost()).toHaveLength(services.length);
  });

  it('a service stops although its collector never responds', async () => {
    await passedOn(given);
    await stack.services.stop('ledger');
    await stack.services.start('ledger');
  });
});
