import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import {
  type Fake,
  type FakePlan,
  known,
  startWireServer,
  statuses,
  submitReply,
  type WireRequest,
  type WireResponse,
} from '../../conformance/wireServer.ts';

type Plan = FakePlan & {
  callsBack: boolean;
};

type FakeJob = {
  id: string;
  reference: string;
  notify: string | null;
  state: 'queued' | 'finished' | 'stopped';
  plan: Plan;
};

/** A fake model server on a loopback port: a queue of jobs, as `fakeHttpOptions` describe it. */
export type FakeHttp = Fake<Plan> & { apiKey: null; job(id: string): FakeJob };

/** `provider.options` of a model at this server. */
export const fakeHttpOptions = {
  path: '/v1/jobs',
  headers: { 'X-Token': { from: 'TOKEN' } },
  body: { prompt: '{{input.prompt}}', notify: '{{callback_url}}', reference: '{{token}}' },
  id: '/job/id',
  status: { at: '/job/state', done: ['finished'], failed: ['error', 'stopped'] },
  output: '/job/text',
  errors: { text: '/job/error' },
  poll: { path: '/v1/jobs/{{id}}', every_s: 0.2 },
  cancel: { method: 'DELETE', path: '/v1/jobs/{{id}}' },
  callback: { signature: { header: 'X-Signature', prefix: 'sha256=' } },
  recover: { path: '/v1/jobs/by-reference/{{token}}' },
} as const;

export async function startFakeHttp(): Promise<FakeHttp> {
  const settings = {
    TOKEN: randomBytes(16).toString('hex'),
    CALLBACK_SECRET: randomBytes(32).toString('base64'),
  };
  const jobs = new Map<string, FakeJob>();
  let plan: Plan = { submit: 'accept', endsAfterMs: 0, ends: {}, callsBack: true };

  async function finish(id: string): Promise<number[]> {
    const job = known(jobs, id);
    if (job.state === 'queued') job.state = 'finished';
    if (job.notify === null || !job.plan.callsBack) return [];
    return statuses(server.callBack(job.notify, statusBody(job), signed));
  }

  function signed(body: Buffer): Record<string, string> {
    const signature = createHmac('sha256', settings.CALLBACK_SECRET).update(body).digest('hex');
    return { 'x-signature': `sha256=${signature}` };
  }

  function accept({ json }: WireRequest): WireResponse {
    const { reference = '', notify = null } = json as { reference?: string; notify?: string };
    const job: FakeJob = { id: randomUUID(), reference, notify, state: 'queued', plan };
    jobs.set(job.id, job);
    server.after(plan.endsAfterMs, () => finish(job.id));
    return { status: 202, json: statusBody(job) };
  }

  const server = await startWireServer((request) => {
    const { method, path, headers } = request;
    if (headers['x-token'] !== settings.TOKEN) return { status: 401 };
    if (method === 'POST' && path === '/v1/jobs') return submitReply(plan.submit, () => accept(request));
    const [, by = '', id = ''] = /^\/v1\/jobs\/(by-reference\/)?([^/]+)$/.exec(path) ?? [];
    const job = by ? [...jobs.values()].find(({ reference }) => reference === id) : jobs.get(id);
    if (job === undefined) return { status: 404 };
    if (method === 'DELETE' && job.state === 'queued') job.state = 'stopped';
    return { status: 200, json: statusBody(job) };
  });

  return {
    baseUrl: server.origin,
    apiKey: null,
    settings,
    received: server.received,
    plan(part) {
      plan = { ...plan, ...part };
    },
    accepted: () => [...jobs.keys()],
    job: (id) => known(jobs, id),
    finish,
    close: server.close,
  };
}

function statusBody({ id, reference, state, plan }: FakeJob): Record<string, unknown> {
  const job = { id, reference, state };
  return { job: state === 'finished' ? { ...job, text: 'hello', ...plan.ends } : job };
}
