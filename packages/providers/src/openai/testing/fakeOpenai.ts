import { randomBytes } from 'node:crypto';
import {
  type Fake,
  type FakePlan,
  known,
  startWireServer,
  submitReply,
  type WireResponse,
} from '../../conformance/wireServer.ts';
import { fixture } from './fixture.ts';

type FakeResponse = { id: string; state: 'queued' | 'in_progress' | 'ended' | 'cancelled'; plan: FakePlan };

/** A server that speaks OpenAI's protocol, on a loopback port. */
export type FakeOpenai = Fake<FakePlan> & { apiKey: string; response(id: string): FakeResponse };

const calls: Record<string, string> = {
  '/v1/chat/completions': 'chatCompletion',
  '/v1/images/generations': 'image',
  '/v1/images/edits': 'image',
  '/v1/audio/transcriptions': 'transcription',
};

export async function startFakeOpenai(): Promise<FakeOpenai> {
  const apiKey = `sk-fake-${randomBytes(12).toString('hex')}`;
  const accepted: string[] = [];
  const responses = new Map<string, FakeResponse>();
  let plan: FakePlan = { submit: 'accept', endsAfterMs: 0, ends: {} };

  async function finish(id: string): Promise<number[]> {
    const response = known(responses, id);
    if (response.state !== 'cancelled') response.state = 'ended';
    return [];
  }

  function respond(): WireResponse {
    const response: FakeResponse = { id: `resp_${randomBytes(24).toString('hex')}`, state: 'queued', plan };
    responses.set(response.id, response);
    accepted.push(response.id);
    server.after(plan.endsAfterMs, () => finish(response.id));
    return { status: 200, json: responseOf(response) };
  }

  async function respondAtOnce(name: string): Promise<WireResponse> {
    accepted.push(`req_${accepted.length + 1}`);
    const { ends, endsAfterMs } = plan;
    await server.wait(endsAfterMs ?? 0);
    return { status: 200, json: { ...fixture(name), ...ends } };
  }

  const server = await startWireServer(({ method, path, headers }) => {
    if (headers.authorization !== `Bearer ${apiKey}`) return { status: 401, json: fixture('error') };
    const call = calls[path];
    if (method === 'POST' && path === '/v1/responses') return submitReply(plan.submit, respond);
    if (method === 'POST' && call) return submitReply(plan.submit, () => respondAtOnce(call));
    const [, id = '', cancel = ''] = /^\/v1\/responses\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    const response = responses.get(id);
    if (response === undefined) return { status: 404, json: { error: { message: 'Not found', code: null } } };
    if (method === 'POST' && cancel && response.state !== 'ended') response.state = 'cancelled';
    const json = responseOf(response);
    if (response.state === 'queued') response.state = 'in_progress';
    return { status: 200, json };
  });

  return {
    baseUrl: server.origin,
    apiKey,
    settings: {},
    received: server.received,
    plan(part) {
      plan = { ...plan, ...part };
    },
    accepted: () => [...accepted],
    response: (id) => known(responses, id),
    finish,
    close: server.close,
  };
}

function responseOf({ id, state, plan }: FakeResponse): Record<string, unknown> {
  if (state === 'ended') return { ...fixture('responseCompleted'), ...plan.ends, id };
  return { ...fixture('responseQueued'), status: state, id };
}
