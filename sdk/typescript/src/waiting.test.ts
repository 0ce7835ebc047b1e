import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  AbortedError,
  type ConnectionError,
  ExecutionError,
  type ServerError,
  WaitTimeoutError,
} from './errors.ts';
import { cut, executionAs, json, refusal, type Step, startScriptedServer } from './testing/scriptedServer.ts';
import type { ProgressEvent } from './waiting.ts';

let server: Awaited<ReturnType<typeof startScriptedServer>>;
const start = async (...steps: Step[]) => {
  server = await startScriptedServer(...steps);
  return server.client();
};
afterEach(() => server.close());

const created = json(202, executionAs('PENDING'));
const ended = executionAs('COMPLETED', {
  completed_at: '2026-03-20T10:30:08.000Z',
  result: { text: 'done' },
});
const stream =
  (...parts: string[]): Step =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(parts.join(''));
const statusEvent = (record: unknown, id = '1:::0') =>
  `id: ${id}\nevent: status\ndata: ${JSON.stringify(record)}\n\n`;

describe('a run', () => {
  it('waits by long polls and returns the output', async () => {
    const client = await start(created, json(200, executionAs('PROCESSING')), json(200, ended));
    expect((await client.run('m', {})).output).toEqual({ text: 'done' });
    expect(server.received.map(({ path }) => path)).toEqual([
      '/v1/executions',
      '/v1/executions/exec_1?wait=25',
      '/v1/executions/exec_1?wait=25',
    ]);
  });

  it('returns when an execution has ended with a status that it does not know', async () => {
    const unknown = { ...ended, status: 'ARCHIVED' };
    const client = await start(created, json(200, executionAs('SLEEPING')), json(200, unknown));
    expect((await client.run('m', {})).output).toEqual({ text: 'done' });
  });

  it('throws the error of a failed execution, with the execution', async () => {
    const error = { code: 'GENERATION_FAILED', message: 'It broke.', retryable: true };
    const client = await start(created, json(200, executionAs('FAILED', { error })));
    const thrown = await client.run('m', {}, { idempotencyKey: 'k' }).catch((one: unknown) => one);
    expect(thrown).toBeInstanceOf(ExecutionError);
    expect(thrown).toMatchObject({ ...error, idempotencyKey: 'k', execution: { id: 'exec_1' } });
  });

  it('has the input with the ids of its files in its error, so that it can be repeated with its key', async () => {
    const client = await start(
      (response, received) =>
        json(201, { file_id: 'file_1', upload_url: `${server.baseUrl}/put` })(response, received),
      json(200, {}),
      refusal(500, 'INTERNAL_ERROR', false),
    );
    const failing = client.run('m', { image: new Blob(['a']), n: 1 }, { idempotencyKey: 'k' });
    const thrown = (await failing.catch((one: unknown) => one)) as ServerError;
    expect([thrown.idempotencyKey, thrown.input]).toEqual(['k', { image: 'file_1', n: 1 }]);
    expect(Object.keys(thrown)).not.toContain('input');
  });

  it('can be repeated with the key and the input of its error, also when an upload has failed', async () => {
    const upload: Step = (response, received) =>
      json(201, { file_id: 'file_1', upload_url: `${server.baseUrl}/put` })(response, received);
    await start(cut, upload, json(200, {}), created, json(200, ended));
    const client = server.client({ maxRetries: 0 });
    const failing = client.run('m', { image: new Blob(['a']) });
    const thrown = (await failing.catch((one: unknown) => one)) as ConnectionError;
    await client.run('m', thrown.input, { idempotencyKey: thrown.idempotencyKey });
    const create = server.received.find(({ path }) => path === '/v1/executions');
    expect(JSON.parse(create?.body ?? '')).toEqual({ model: 'm', input: { image: 'file_1' } });
    expect(create?.headers['idempotency-key']).toBe(thrown.idempotencyKey);
  });

  it('sends what it was given, whatever the caller makes of it afterwards', async () => {
    const client = await start(created, json(200, ended));
    const given = { prompt: 'first', style: { name: 'old' } };
    const metadata = { order: 1 };
    const running = client.run('m', given, { metadata });
    given.style.name = 'new';
    metadata.order = 2;
    await running;
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
      model: 'm',
      input: { prompt: 'first', style: { name: 'old' } },
      metadata: { order: 1 },
    });
  });

  it('that is aborted stops reading a file that never ends', async () => {
    const client = await start(created);
    const endless = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    const signal = AbortSignal.timeout(50);
    await expect(client.run('m', { image: endless }, { signal })).rejects.toBeInstanceOf(AbortedError);
    expect(server.received).toEqual([]);
  });

  it('has the execution and the key in its error when the output cannot be read', async () => {
    const older = executionAs('COMPLETED', { completed_at: '2026-03-20T10:30:08.000Z' });
    const client = await start(created, json(200, older), refusal(403, 'FORBIDDEN', false));
    await expect(client.run('m', {}, { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      idempotencyKey: 'k',
      execution: { id: 'exec_1', status: 'COMPLETED' },
    });
  });

  it('throws the execution after its timeout, with the time since its start', async () => {
    const slowly: Step = (...request) => void setTimeout(() => created(...request), 100);
    const client = await start(slowly, () => {});
    const thrown = await client.run('m', {}, { timeout: 300 }).catch((one: unknown) => one);
    expect(thrown).toBeInstanceOf(WaitTimeoutError);
    expect(thrown).toMatchObject({ execution: { id: 'exec_1', status: 'PENDING' } });
    // @ts-expect-error -- of an execution that was not read, this may be missing
    const { metadata }: { metadata: object } = (thrown as WaitTimeoutError).execution;
    expect(metadata).toBeUndefined();
    const [, waitedMs] = /is PENDING after (\d+) ms/.exec((thrown as Error).message) ?? [];
    expect(Number(waitedMs)).toBeGreaterThan(290);
  });

  it('that was created before reads the whole record, which the response to a create is not', async () => {
    const client = await start(json(202, executionAs('COMPLETED')), json(200, { ...ended, cost: '0.01' }));
    const { output, execution } = await client.run('m', {}, { idempotencyKey: 'k' });
    expect([output, execution.cost]).toEqual([{ text: 'done' }, '0.01']);
  });

  it.each([true, false])('that is aborted stops waiting; it cancels if asked: %s', async (cancelOnAbort) => {
    const aborting = new AbortController();
    const abort: Step = () => aborting.abort();
    const client = await start(created, abort, json(200, executionAs('CANCELLED')));
    const running = client.run('m', {}, { signal: aborting.signal, cancelOnAbort });
    const thrown = await running.catch((one: unknown) => one);
    expect(thrown).toBeInstanceOf(AbortedError);
    expect(thrown).toMatchObject({ execution: { id: 'exec_1' } });
    const cancels = server.received.filter(({ path }) => path.endsWith('/cancel'));
    expect(cancels).toHaveLength(cancelOnAbort ? 1 : 0);
  });

  it('that is aborted does not wait for a cancel without a response', async () => {
    const endAfter = AbortSignal.timeout;
    const timeout = jest
      .spyOn(AbortSignal, 'timeout')
      .mockImplementation(() => endAfter.call(AbortSignal, 50));
    const aborting = new AbortController();
    const client = await start(
      created,
      () => aborting.abort(),
      () => {},
    );
    const running = client.run('m', {}, { signal: aborting.signal, cancelOnAbort: true });
    await expect(running).rejects.toBeInstanceOf(AbortedError);
    expect(timeout.mock.calls).toEqual([[5000]]);
    timeout.mockRestore();
  });

  it('that is aborted during the create does not wait for a create without a response', async () => {
    const endAfter = AbortSignal.timeout;
    const timeout = jest
      .spyOn(AbortSignal, 'timeout')
      .mockImplementation(() => endAfter.call(AbortSignal, 50));
    const aborting = new AbortController();
    const client = await start(() => aborting.abort('of the caller'));
    const running = client.run(
      'm',
      {},
      { signal: aborting.signal, cancelOnAbort: true, idempotencyKey: 'k' },
    );
    await expect(running).rejects.toMatchObject({
      name: 'AbortError',
      cause: 'of the caller',
      idempotencyKey: 'k',
    });
    expect(timeout.mock.calls).toEqual([[5000]]);
    timeout.mockRestore();
  });

  it('that is aborted during the create finds out its id to cancel it', async () => {
    const aborting = new AbortController();
    const abortThenCreate: Step = (response, received) => {
      aborting.abort();
      created(response, received);
    };
    const client = await start(abortThenCreate, json(200, executionAs('CANCELLED')));
    const running = client.run('m', {}, { signal: aborting.signal, cancelOnAbort: true });
    await expect(running).rejects.toMatchObject({ name: 'AbortError', execution: { id: 'exec_1' } });
    expect(server.received.map(({ path }) => path)).toEqual([
      '/v1/executions',
      '/v1/executions/exec_1/cancel',
    ]);
  });
});

describe('a wait for an execution by its id', () => {
  it('reports the present status at once where there is no event stream', async () => {
    const seen: ProgressEvent[] = [];
    const reported = Promise.withResolvers<void>();
    const held: Step = (...request) => void reported.promise.then(() => json(200, ended)(...request));
    const client = await start(json(200, executionAs('PENDING')), json(404, {}), held);
    const onProgress = (event: ProgressEvent) => {
      seen.push(event);
      reported.resolve();
    };
    await client.executions.wait('exec_1', { onProgress });
    expect(seen).toMatchObject([
      { execution: { status: 'PENDING' } },
      { execution: { status: 'COMPLETED' } },
    ]);
  });

  it('reports the status of an execution that has ended before', async () => {
    const seen: ProgressEvent[] = [];
    const client = await start(json(200, ended));
    await client.executions.wait('exec_1', { onProgress: (event) => seen.push(event) });
    expect(seen).toMatchObject([{ execution: { status: 'COMPLETED' } }]);
  });

  it('that is aborted during its first read cancels it if asked', async () => {
    const aborting = new AbortController();
    const abort: Step = () => aborting.abort();
    const client = await start(abort, json(200, executionAs('CANCELLED')));
    const waiting = client.executions.wait('exec_1', { signal: aborting.signal, cancelOnAbort: true });
    await expect(waiting).rejects.toBeInstanceOf(AbortedError);
    expect(server.received.at(-1)?.path).toBe('/v1/executions/exec_1/cancel');
  });
});

describe('the events of an execution', () => {
  it('end with an error when no stream can be opened', async () => {
    const client = await start(refusal(503, 'SERVICE_UNAVAILABLE', true, { 'retry-after': '0' }));
    await expect(client.executions.events('exec_1').next()).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(server.received).toHaveLength(12);
  });
});

describe('the progress of a run', () => {
  async function runWithProgress(...steps: Step[]) {
    const client = await start(created, ...steps);
    const events: ProgressEvent[] = [];
    const { output } = await client.run('m', {}, { onProgress: (event) => events.push(event) });
    return { output, types: events.map(({ type }) => type) };
  }

  it('follows the event stream, and resumes it where it was cut', async () => {
    const first: Step = (response) =>
      void response
        .writeHead(200, { 'content-type': 'Text/Event-Stream; charset=UTF-8' })
        .end(`retry: 1\n\n${statusEvent(executionAs('PROCESSING'), 'at-1')}`);
    const rest = stream(': heartbeat\n\nevent: log\ndata: {"lines":["a"]}\n\n', statusEvent(ended, 'at-2'));
    const { output, types } = await runWithProgress(first, rest);
    expect([output, types]).toEqual([{ text: 'done' }, ['status', 'log', 'status']]);
    expect(server.received.map(({ headers }) => headers['last-event-id'])).toEqual([
      undefined,
      undefined,
      'at-1',
    ]);
  });

  it('ends the stream when onProgress throws, and throws its error', async () => {
    const closed = Promise.withResolvers<void>();
    const open: Step = (response) => {
      response.on('close', closed.resolve);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(statusEvent(executionAs('PROCESSING')));
    };
    const client = await start(created, open);
    const onProgress = () => {
      throw new RangeError('of the caller');
    };
    await expect(client.run('m', {}, { onProgress })).rejects.toBeInstanceOf(RangeError);
    await closed.promise;
    expect(server.received).toHaveLength(2);
  });

  it('waits for an asynchronous onProgress, and throws its error', async () => {
    const client = await start(created, stream(statusEvent(executionAs('PROCESSING')), statusEvent(ended)));
    const seen: string[] = [];
    const onProgress = async (event: ProgressEvent) => {
      seen.push('called');
      await new Promise((resolve) => setTimeout(resolve, 20));
      seen.push('resolved');
      if (event.type === 'status' && event.execution.status === 'COMPLETED')
        throw new RangeError('of the caller');
    };
    await expect(client.run('m', {}, { onProgress })).rejects.toBeInstanceOf(RangeError);
    expect(seen).toEqual(['called', 'resolved', 'called', 'resolved']);
  });
});
