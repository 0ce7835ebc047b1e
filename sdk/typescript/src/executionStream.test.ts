import { afterEach, describe, expect, it } from '@jest/globals';
import { AbortedError, ExecutionError, InvalidRequestError } from './errors.ts';
import type { StreamEvent } from './executionStream.ts';
import { cut, executionAs, json, refusal, type Step, startScriptedServer } from './testing/scriptedServer.ts';

let server: Awaited<ReturnType<typeof startScriptedServer>>;
const start = async (...steps: Step[]) => {
  server = await startScriptedServer(...steps);
  return server.client();
};
afterEach(() => server.close());

const created = json(202, executionAs('PENDING'));
const completed = { completed_at: '2026-03-20T10:30:08.000Z', result: { text: 'Once upon a time' } };
const ended = json(200, executionAs('COMPLETED', completed));

const sent = (id: number | null, type: string, data: object) =>
  `${id === null ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
const output = (id: number | null, delta: unknown) => sent(id, 'output', { delta });
const done = (id: number, more: object = {}) => sent(id, 'done', { status: 'COMPLETED', ...more });

function open(response: Parameters<Step>[0], text: string | Uint8Array) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(text);
}
/** Sends everything and ends. */
const streamOf =
  (...parts: string[]): Step =>
  (response) => {
    open(response, `retry: 1\n\n${parts.join('')}`);
    response.end();
  };
/** Sends so much, then breaks the connection. */
const cutAfter =
  (text: string | Uint8Array): Step =>
  (response) => {
    open(response, text);
    setTimeout(() => response.destroy(), 20);
  };

async function all<One>(many: AsyncIterable<One>): Promise<One[]> {
  const found: One[] = [];
  for await (const one of many) found.push(one);
  return found;
}

const positions = () => server.received.slice(1).map(({ headers }) => headers['last-event-id']);

describe('the stream of a run', () => {
  it('yields the output in pieces, and returns the execution at the end', async () => {
    const parts = [output(1, 'Once '), ': heartbeat\n\n', output(2, 'upon'), output(3, ' a time'), done(4)];
    const client = await start(created, streamOf(...parts), ended);
    const stream = client.stream('m', { prompt: 'x' }, { idempotencyKey: 'k', metadata: { order: 1 } });
    expect(await all(stream)).toEqual(['Once ', 'upon', ' a time']);
    const { output: whole, execution } = await stream.final();
    expect([whole, execution.status, await stream.id]).toEqual([
      { text: 'Once upon a time' },
      'COMPLETED',
      'exec_1',
    ]);
    const [create, read] = server.received;
    expect(create?.headers['idempotency-key']).toBe('k');
    const body = { model: 'm', input: { prompt: 'x' }, metadata: { order: 1 }, stream: true };
    expect(JSON.parse(create?.body ?? '')).toEqual(body);
    expect(read?.path).toBe('/v1/executions/exec_1/stream');
  });

  it('misses nothing and repeats nothing when it is cut in an event, in a character and before a response', async () => {
    const text = `${output(1, 'é')}${output(2, 'ü€')}`;
    const bytes = new TextEncoder().encode(text);
    const inCharacter = bytes.subarray(0, bytes.lastIndexOf(0xe2) + 1);
    const client = await start(
      created,
      cutAfter(inCharacter),
      cut,
      cutAfter(`${output(2, 'ü€')}id: 3\nevent: output\ndata: {"del`),
      streamOf(output(3, '!'), done(4)),
    );
    expect(await all(client.stream('m', {}))).toEqual(['é', 'ü€', '!']);
    expect(positions()).toEqual([undefined, '1', '1', '2']);
  });

  it('continues when the gateway stops between two events, and when it refuses for a while', async () => {
    const client = await start(
      created,
      streamOf(output(1, 'a')),
      refusal(503, 'SERVICE_UNAVAILABLE', true, { 'retry-after': '0' }),
      refusal(429, 'RATE_LIMITED', true, { 'retry-after': '0' }),
      streamOf(output(2, 'b'), done(3)),
    );
    expect(await all(client.stream('m', {}))).toEqual(['a', 'b']);
    expect(positions()).toEqual([undefined, '1', '1', '1']);
  });

  it('yields each piece as soon as it is sent', async () => {
    const seen = Promise.withResolvers<void>();
    const sendSlowly = async (response: Parameters<Step>[0]) => {
      open(response, output(1, 'first'));
      await seen.promise;
      response.end(`${output(2, 'second')}${done(3)}`);
    };
    const slowly: Step = (response) => void sendSlowly(response);
    const client = await start(created, slowly);
    for await (const delta of client.stream('m', {})) if (delta === 'first') seen.resolve();
  });

  it('throws the error of a failed execution after the pieces that came before', async () => {
    const error = { code: 'GENERATION_FAILED', message: 'It broke.', retryable: true };
    const failed = json(200, executionAs('FAILED', { error, partial_output: 'Once' }));
    const client = await start(created, streamOf(output(1, 'Once'), done(2, { status: 'FAILED' })), failed);
    const seen: string[] = [];
    const reading = async () => {
      for await (const delta of client.stream('m', { a: 1 }, { idempotencyKey: 'k' })) seen.push(delta);
    };
    const thrown = await reading().catch((one: unknown) => one);
    expect(seen).toEqual(['Once']);
    expect(thrown).toBeInstanceOf(ExecutionError);
    expect(thrown).toMatchObject({ ...error, idempotencyKey: 'k', input: { a: 1 } });
  });

  it('throws the error of a create that is refused where it is read, and nowhere else', async () => {
    const client = await start(refusal(400, 'INPUT_VALIDATION_ERROR', false));
    const stream = client.stream('m', {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    await expect(all(stream)).rejects.toBeInstanceOf(InvalidRequestError);
    await expect(stream.final()).rejects.toMatchObject({ code: 'INPUT_VALIDATION_ERROR' });
  });

  it.each([false, true])('closes its connection after a break, and cancels if asked: %s', async (cancels) => {
    const closed = Promise.withResolvers<void>();
    const endless: Step = (response) => {
      response.on('close', closed.resolve);
      open(response, output(1, 'a'));
    };
    const client = await start(created, endless, json(200, executionAs('CANCELLED')));
    for await (const delta of client.stream('m', {}, { cancelOnDisconnect: cancels })) {
      expect(delta).toBe('a');
      break;
    }
    await closed.promise;
    expect(server.received.slice(1).map(({ path }) => path)).toEqual(
      cancels
        ? ['/v1/executions/exec_1/stream?cancel_on_disconnect=true', '/v1/executions/exec_1/cancel']
        : ['/v1/executions/exec_1/stream'],
    );
  });

  it.each([false, true])(
    'ends with an error when it is aborted between two connections, and cancels if asked: %s',
    async (cancelOnAbort) => {
      const aborting = new AbortController();
      const abort: Step = () => aborting.abort();
      const client = await start(
        created,
        streamOf(output(1, 'a')),
        abort,
        json(200, executionAs('CANCELLED')),
      );
      const reading = all(client.stream('m', {}, { signal: aborting.signal, cancelOnAbort }));
      const thrown = await reading.catch((one: unknown) => one);
      expect(thrown).toBeInstanceOf(AbortedError);
      expect(thrown).toMatchObject({ execution: { id: 'exec_1' } });
      expect(server.received.slice(3).map(({ path }) => path)).toEqual(
        cancelOnAbort ? ['/v1/executions/exec_1/cancel'] : [],
      );
    },
  );

  it('can be cancelled', async () => {
    const cancelled = json(200, executionAs('CANCELLED'));
    const client = await start(created, cancelled, streamOf(done(1, { status: 'CANCELLED' })), cancelled);
    const stream = client.stream('m', {});
    expect((await stream.cancel()).status).toBe('CANCELLED');
    await expect(all(stream)).rejects.toMatchObject({ code: 'EXECUTION_CANCELLED' });
  });
});

describe('the stream of an execution', () => {
  const typesOf = (events: StreamEvent[]) =>
    events.map((event) => (event.type === 'output' ? event.delta : event.type));

  it('reports progress, logs, a reset and the end', async () => {
    const usage = { input_tokens: 3, output_tokens: 9 };
    const parts = [
      sent(1, 'progress', { progress: 0.5 }),
      sent(2, 'logs', { lines: ['loading'] }),
      output(3, 'Once'),
      sent(4, 'weather', { sun: true }),
      'event: output\ndata: {broken\n\n',
      sent(5, 'reset', { attempt: 2 }),
      output(6, 'There'),
      done(7, { usage, cost: '0.0003', finish_reason: 'budget', error: null }),
    ];
    const client = await start(streamOf(...parts));
    expect(await all(client.executions.stream('exec_1').events())).toEqual([
      { id: 1, type: 'progress', progress: 0.5 },
      { id: 2, type: 'logs', lines: ['loading'] },
      { id: 3, type: 'output', delta: 'Once' },
      { id: 5, type: 'reset', attempt: 2 },
      { id: 6, type: 'output', delta: 'There' },
      {
        id: 7,
        type: 'done',
        status: 'COMPLETED',
        usage,
        cost: '0.0003',
        finishReason: 'budget',
        error: null,
      },
    ]);
  });

  it('starts after an event, and is over where there is nothing after it', async () => {
    const nothing: Step = (response) => void response.writeHead(204).end();
    const client = await start(nothing, ended);
    expect(await all(client.executions.stream('exec_1', { startingAfter: 7 }))).toEqual([]);
    expect(server.received[0]?.headers['last-event-id']).toBe('7');
  });

  it('yields only the rest when the whole comes in place of events that are gone', async () => {
    const whole = sent(null, 'reset', {}) + output(null, 'Once upon a time') + done(9);
    const broken = cutAfter(output(1, 'Once ') + output(2, 'upon'));
    // The second connection is cut between the reset and the whole, the third after it.
    const client = await start(
      broken,
      cutAfter(sent(null, 'reset', {})),
      cutAfter(whole.slice(0, -20)),
      streamOf(whole),
    );
    const events = await all(client.executions.stream<string>('exec_1').events());
    expect(typesOf(events)).toEqual(['Once ', 'upon', ' a time', 'done']);
  });

  it('yields partial images by their ids, then the whole output', async () => {
    const images = [{ file_id: 'file_3' }];
    const partial = (id: number) => sent(id, 'output', { image: `file_${id}` });
    const client = await start(cutAfter(partial(1)), streamOf(partial(2), output(3, { images }), done(4)));
    const shown = await all(client.executions.stream('exec_1'));
    expect(shown).toEqual([{ image: 'file_1' }, { image: 'file_2' }, { images }]);
  });

  it('resets when the whole is another text than was read, or it is not known what was read', async () => {
    const whole = streamOf(sent(null, 'reset', {}), output(null, 'There was'), done(9));
    const client = await start(cutAfter(output(1, 'Once')), whole);
    const events = await all(client.executions.stream<string>('exec_1').events());
    expect(typesOf(events)).toEqual(['Once', 'reset', 'There was', 'done']);
    const later = await all(client.executions.stream<string>('exec_1', { startingAfter: 1 }).events());
    expect(typesOf(later)).toEqual(['reset', 'There was', 'done']);
  });

  it('yields values of a model that streams them', async () => {
    const client = await start(streamOf(output(1, { row: 1 }), output(2, [null]), done(3)));
    expect(await all(client.executions.stream('exec_1'))).toEqual([{ row: 1 }, [null]]);
  });

  it('is read again from the beginning by each loop', async () => {
    const client = await start(streamOf(output(1, 'a'), done(2)));
    const stream = client.executions.stream('exec_1');
    expect([await all(stream), await all(stream)]).toEqual([['a'], ['a']]);
  });
});
