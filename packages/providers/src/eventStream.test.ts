import { Readable } from 'node:stream';
import { limits } from '@holdfast/domain/limits';
import { startTestServer } from '@holdfast/egress/testing/servers';
import { createTrustedHttp } from '@holdfast/egress/trusted';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { neverAborted } from './conformance/setup.ts';
import { brokenOff, readEvents, type StreamEvent, type StreamFormat } from './eventStream.ts';

afterEach(() => void jest.restoreAllMocks());

const streamOf = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

async function eventsIn(stream: Readable, format: StreamFormat = 'sse') {
  const events: StreamEvent[] = [];
  const keep = (event: StreamEvent) => {
    events.push(event);
    return false;
  };
  const end = await readEvents(stream, keep, format);
  return { events, end };
}

describe('events of a stream', () => {
  it('have a name, and data of several lines', async () => {
    const { events, end } = await eventsIn(streamOf('event: a\ndata: 1\ndata: 2\n\ndata: 3\n\n'));
    expect(events).toEqual([
      { name: 'a', data: '1\n2' },
      { name: 'message', data: '3' },
    ]);
    expect(end).toEqual({ by: 'end' });
  });

  it('include a last one without a blank line', async () => {
    for (const rest of ['data: 2', 'data: 2\n', 'data: 2\r\n']) {
      expect((await eventsIn(streamOf('data: 1\n\n', rest))).events.map(({ data }) => data)).toEqual([
        '1',
        '2',
      ]);
    }
  });

  it('are lines of ndjson, of which a last one needs no line end', async () => {
    const { events } = await eventsIn(streamOf('{"a":', '1}\n', '\r\n{"a":2}\r\n{"a"', ':3}'), 'ndjson');
    expect(events.map(({ data }) => JSON.parse(data))).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  });

  it.each(['sse', 'ndjson'] as const)('are limited in their size: %s', async (format) => {
    const endless = Readable.from(
      (async function* () {
        for (;;) yield Buffer.from(`data: ${'x'.repeat(1024 * 1024)}`);
      })(),
    );
    expect((await eventsIn(endless, format)).end).toMatchObject({ by: 'limit' });
    expect(endless.destroyed).toBe(true);
  });

  it('are limited in their sum', async () => {
    const bounds: { providerBodyBytes: number } = limits;
    jest.replaceProperty(bounds, 'providerBodyBytes', 3);
    const { events, end } = await eventsIn(streamOf('data: 12\n\ndata: 34\n\n'));
    expect(events).toHaveLength(1);
    expect(brokenOff(end, neverAborted)).toMatchObject({
      state: 'ended',
      outcome: { code: 'GENERATION_FAILED', message: 'The output of the model is too large.' },
    });
  });

  it('are not read any further when one could not be handled', async () => {
    const stream = streamOf('data: 1\n\n', 'data: 2\n\n');
    const reading = readEvents(stream, () => Promise.reject(new Error('not stored')));
    await expect(reading).rejects.toThrow('not stored');
    expect(stream.destroyed).toBe(true);
  });
});

it('a connection is used again after the last event of its stream', async () => {
  const ports = new Set<number | undefined>();
  const server = await startTestServer((request, response) => {
    ports.add(request.socket.remotePort);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: last\n\n');
    setImmediate(() => response.end(': after it\n\n'));
  });
  const http = createTrustedHttp({ baseUrl: server.url });
  for (let request = 0; request < 2; request += 1) {
    const response = await http.request('POST', '/', { bodyAs: () => 'stream' });
    if (!response.ok || response.stream === undefined) throw new Error('no stream');
    const { stream } = response;
    const closed = new Promise((resolve) => stream.once('close', resolve));
    expect(await readEvents(stream, ({ data }) => data === 'last')).toEqual({ by: 'stop' });
    await closed;
  }
  expect(ports.size).toBe(1);
  http.close();
  await server.close();
});
