import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { mappingOf } from '@holdfast/domain/outcome';
import { afterEach, describe, expect, it } from '@jest/globals';
import { parseModel } from '../catalogue/parseModel.ts';
import { neverAborted } from '../conformance/setup.ts';
import { submissionOf } from '../conformance/subject.ts';
import {
  startWireServer,
  type WireReply,
  type WireRequest,
  type WireServer,
} from '../conformance/wireServer.ts';
import type { Progress, Provider, Submission } from '../interface.ts';
import { createHttp } from './http.ts';
import { recordingsOf } from './testing/recorded.ts';

const examples = resolve(import.meta.dirname, '../../../../models/examples');
const open: { close(): unknown }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((resource) => resource.close()));
});

/** The model of an example at a server that responses so. */
async function startExample(slug: string, response: (request: WireRequest, origin: string) => WireReply) {
  const server: WireServer = await startWireServer((request) => response(request, server.origin));
  const provider = createHttp({ baseUrl: server.origin, apiKey: null, settings: {} });
  open.push(provider, server);
  const file = join(examples, `${slug}.yaml`);
  const { definition, problems } = parseModel(file, readFileSync(file, 'utf8'));
  const route = definition?.providers[0];
  if (!definition || !route) throw new Error(problems.join('\n'));
  const { model: providerModel, mode, options } = route;
  const submission = submissionOf({
    submission: {
      providerModel,
      mode,
      options,
      mapping: mappingOf(definition, route),
      input: { prompt: 'a dog' },
    },
  });
  return { provider, submission, server };
}

/** Follows a run to its end. */
async function ended(provider: Provider, submission: Submission) {
  let progress: Progress = await provider.submit(submission, neverAborted);
  while (progress.state === 'running')
    progress = await provider.poll(submission, progress.handle, neverAborted);
  return progress;
}

async function bytesIn(progress: Progress): Promise<Buffer[]> {
  const bodies = (progress.state === 'ended' && progress.bodies) || [];
  return await Promise.all(bodies.map(async (body) => await buffer(await body.open(neverAborted))));
}

const png = expect.objectContaining({ length: 136 });

describe('bentoml-task.yaml', () => {
  const recorded = recordingsOf('bentoml');

  /** Tasks go on for one question; then they end so, and the result is what was recorded of it. */
  function bentoml(status: string, result: string) {
    const polled = new Map<string, number>();
    return ({ method, pathname, query }: WireRequest): WireReply => {
      if (method === 'POST' && pathname === '/image/submit') {
        const id = randomUUID().replaceAll('-', '');
        polled.set(id, 0);
        return recorded('submit', { id });
      }
      const id = query.get('task_id') ?? '';
      const times = polled.get(id);
      if (times === undefined) return recorded('status of an unknown task');
      if (pathname === '/image/cancel') return recorded('cancel');
      if (pathname === '/image/get') return recorded(times > 1 ? result : 'result of a running task', { id });
      polled.set(id, times + 1);
      return recorded(times > 0 ? status : 'status of a running task', { id });
    };
  }

  it('returns the image of the task', async () => {
    const { provider, submission, server } = await startExample(
      'bentoml-task',
      bentoml('status of a completed task', 'result that is a picture'),
    );
    const progress = await ended(provider, submission);
    expect(progress).toMatchObject({
      outcome: { ok: true, output: { images: [{ url: expect.any(String) }] } },
    });
    expect(await bytesIn(progress)).toEqual([png]);
    expect(server.received[0]?.json).toEqual({ text: 'a dog' });
    expect(server.received.map(({ pathname }) => pathname)).toEqual([
      '/image/submit',
      '/image/status',
      '/image/status',
      '/image/get',
    ]);
  });

  it.each([
    ['result of a task that refused its input', 'INPUT_VALIDATION_ERROR'],
    ['result of a task that broke', 'GENERATION_FAILED'],
  ])('ends with the first poll after it failed: %s', async (result, code) => {
    const { provider, submission, server } = await startExample(
      'bentoml-task',
      bentoml('status of a failed task', result),
    );
    expect(await ended(provider, submission)).toMatchObject({
      outcome: { ok: false, code, raw: expect.stringContaining('error') },
    });
    expect(server.received).toHaveLength(4);
  });

  it('fails when the task was cancelled or is unknown', async () => {
    const cancelled = await startExample(
      'bentoml-task',
      bentoml('status of a cancelled task', 'result of a running task'),
    );
    expect(await ended(cancelled.provider, cancelled.submission)).toMatchObject({ outcome: { ok: false } });
    const forgetful = await startExample('bentoml-task', ({ method }) =>
      method === 'POST' ? recorded('submit', { id: 'x' }) : recorded('status of an unknown task'),
    );
    expect(await ended(forgetful.provider, forgetful.submission)).toMatchObject({
      outcome: { message: 'The response of the model was lost.' },
    });
  });

  it('cancels the task', async () => {
    const { provider, submission, server } = await startExample(
      'bentoml-task',
      bentoml('status of a running task', 'result of a running task'),
    );
    const progress = await provider.submit(submission, neverAborted);
    if (progress.state !== 'running') throw new Error(JSON.stringify(progress));
    await provider.cancel(progress.handle, neverAborted);
    expect(server.received[1]).toMatchObject({ method: 'PUT', pathname: '/image/cancel' });
  });
});

describe('gradio-queue.yaml', () => {
  const recorded = recordingsOf('gradio');

  const gradio =
    (events: string) =>
    ({ method, pathname }: WireRequest, origin: string): WireReply => {
      if (method === 'POST' && pathname === '/gradio_api/call/image') return recorded('submit', { id: 'e1' });
      if (pathname === '/gradio_api/call/image/e1') return recorded(events, { id: 'e1', origin });
      return pathname === '/gradio_api/cancel' ? recorded('cancel') : { status: 404 };
    };

  it('reads events until the function has ended, and returns its file', async () => {
    const { provider, submission, server } = await startExample(
      'gradio-queue',
      gradio('events of a run that makes a picture'),
    );
    const progress = await provider.submit(submission, neverAborted);
    expect(progress).toMatchObject({
      state: 'ended',
      outcome: { output: { images: [{ url: expect.stringMatching(`^${server.origin}/gradio_api/file=`) }] } },
    });
    expect(server.received).toMatchObject([{ json: { data: ['a dog'] } }, { method: 'GET' }]);
  });

  it.each([
    ['events of a run that refuses its input', /the text is too long/],
    ['events of a run that breaks', /null/],
  ])('fails with the exception of the function: %s', async (events, raw) => {
    const { provider, submission } = await startExample('gradio-queue', gradio(events));
    expect(await provider.submit(submission, neverAborted)).toMatchObject({
      state: 'ended',
      outcome: { ok: false, code: 'GENERATION_FAILED', raw: expect.stringMatching(raw) },
    });
  });

  it.each([
    ['full queue', { state: 'refused', isBusy: true }],
    ['no such body', { state: 'refused', alert: expect.any(String) }],
    ['no such function', { state: 'ended', outcome: { ok: false } }],
  ])('reports a refused submit by its cause: %s', async (name, expected) => {
    const { provider, submission } = await startExample('gradio-queue', () => recorded(name));
    expect(await provider.submit(submission, neverAborted)).toMatchObject(expected);
  });

  it('is cancelled by its event id', async () => {
    const { provider, submission, server } = await startExample('gradio-queue', gradio('cancel'));
    const polled = { ...submission, mode: 'poll' as const };
    const progress = await provider.submit(polled, neverAborted);
    if (progress.state !== 'running') throw new Error(JSON.stringify(progress));
    await provider.cancel(progress.handle, neverAborted);
    expect(server.received[1]?.json).toEqual({ session_hash: 'e1', event_id: 'e1', fn_index: 0 });
  });
});

describe.each(['mlserver', 'kserve'])('%s-v2.yaml', (name) => {
  const recorded = recordingsOf(name);

  it('sends named tensors and reads one', async () => {
    const { provider, submission, server } = await startExample(`${name}-v2`, ({ pathname }) =>
      pathname === '/v2/models/txt/infer' ? recorded('text') : { status: 404 },
    );
    expect(await provider.submit(submission, neverAborted)).toMatchObject({
      state: 'ended',
      outcome: { ok: true, output: { text: 'hello a dog' } },
    });
    expect(server.received[0]?.json).toMatchObject({
      inputs: [{ name: 'prompt', shape: [1], datatype: 'BYTES', data: ['a dog'] }],
    });
  });

  it.each([
    ['refused by the model', name === 'kserve' ? 'INPUT_VALIDATION_ERROR' : 'MODEL_UNAVAILABLE'],
    ['broken', 'GENERATION_FAILED'],
    ['no such model', 'MODEL_UNAVAILABLE'],
    ['not the protocol', 'MODEL_UNAVAILABLE'],
  ])('maps the recorded response "%s" to %s', async (what, code) => {
    const { provider, submission } = await startExample(`${name}-v2`, () => recorded(what));
    expect(await provider.submit(submission, neverAborted)).toMatchObject({ outcome: { ok: false, code } });
  });
});
