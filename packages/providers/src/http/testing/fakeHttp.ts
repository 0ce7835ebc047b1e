import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import {
  callBack,
  type SubmitPlan,
  startWireServer,
  submitReply,
  type WireAnswer,
  type WireRequest,
} from '../../conformance/wireServer.ts';

/** How the fake deals with the jobs that are sent from now on. */
type Plan = {
  submit: SubmitPlan;
  /** Milliseconds until a job ends; null: when `finish` says so. */
  endsAfterMs: number | null;
  /** What the job holds then, in place of the usual. */
  ends: Record<string, unknown>;
  callsBack: boolean;
};

type FakeJob = {
  id: string;
  reference: string;
  notify: string | null;
  state: 'queued' | 'finished' | 'stopped';
  plan: Plan;
};

/** A model server of somebody's own on a loopback port: a queue of jobs, as `fakeHttpOptions` describe it. */
export type FakeHttp = {
  baseUrl: string;
  apiKey: null;
  settings: Record<string, string>;
  plan(part: Partial<Plan>): void;
  /** The ids of all jobs that it took on, also of those whose submit never got its answer. */
  accepted(): string[];
  received: WireRequest[];
  job(id: string): FakeJob;
  /** Ends a job, and calls back where that was asked for; resolves with the statuses of the callbacks. */
  finish(id: string): Promise<number[]>;
  close(): Promise<void>;
};

/** `provider.options` of a model at it. */
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

  const find = (id: string) => {
    const found = jobs.get(id);
    if (!found) throw new Error(`there is no job ${id}`);
    return found;
  };

  async function finish(id: string): Promise<number[]> {
    const job = find(id);
    if (job.state === 'queued') job.state = 'finished';
    if (job.notify === null || !job.plan.callsBack) return [];
    const body = Buffer.from(JSON.stringify(told(job)));
    const signature = createHmac('sha256', settings.CALLBACK_SECRET).update(body).digest('hex');
    return callBack(job.notify, body, { 'x-signature': `sha256=${signature}` }).then(
      (status) => [status],
      () => [],
    );
  }

  function accept({ json }: WireRequest): WireAnswer {
    const { reference = '', notify = null } = json as { reference?: string; notify?: string };
    const job: FakeJob = { id: randomUUID(), reference, notify, state: 'queued', plan };
    jobs.set(job.id, job);
    if (plan.endsAfterMs !== null) {
      void server
        .wait(plan.endsAfterMs)
        .then(() => finish(job.id))
        .catch(() => []);
    }
    return { status: 202, json: told(job) };
  }

  const server = await startWireServer((request) => {
    const { method, path, headers } = request;
    if (headers['x-token'] !== settings.TOKEN) return { status: 401 };
    if (method === 'POST' && path === '/v1/jobs') return submitReply(plan.submit, () => accept(request));
    const [, by = '', id = ''] = /^\/v1\/jobs\/(by-reference\/)?([^/]+)$/.exec(path) ?? [];
    const job = by ? [...jobs.values()].find(({ reference }) => reference === id) : jobs.get(id);
    if (job === undefined) return { status: 404 };
    if (method === 'DELETE' && job.state === 'queued') job.state = 'stopped';
    return { status: 200, json: told(job) };
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
    job: find,
    finish,
    close: server.close,
  };
}

function told({ id, reference, state, plan }: FakeJob): Record<string, unknown> {
  const job = { id, reference, state };
  return { job: state === 'finished' ? { ...job, text: 'hello', ...plan.ends } : job };
}
