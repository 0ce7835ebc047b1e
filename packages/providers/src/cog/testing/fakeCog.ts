import {
  type Fake,
  type FakePlan,
  known,
  startWireServer,
  submitReply,
  type WireRequest,
  type WireResponse,
  type WireServer,
} from '../../conformance/wireServer.ts';

type Plan = FakePlan & {
  callsBack: boolean;
  /** The maximum of concurrent runs; further ones are refused. */
  slots: number;
  /** Whether it has a schema and validates inputs. */
  hasSchema: boolean;
  /** The state of its setup; runs are refused until it is `done`. */
  setup: 'done' | 'under way' | 'failed';
  logs: string;
};

type FakePrediction = {
  id: string;
  model: string;
  body: { input?: unknown; webhook?: string };
  state: 'processing' | 'succeeded' | 'failed' | 'canceled';
  plan: Plan;
  ended: PromiseWithResolvers<void>;
};

/** A fake of Cog 0.23 on a loopback port: a container, or several under the names of their models. */
export type FakeCog = Fake<Plan> & {
  apiKey: null;
  /** Also for a run that it has forgotten. */
  prediction(id: string): FakePrediction;
  /** Restarts its process: current runs are lost without a callback, and its connections close. */
  restart(): void;
  /** Ends its worker: current runs fail, and it refuses runs until it is restarted. */
  killWorker(): void;
};

const atCapacity = { error: 'At capacity - all prediction slots busy', status: 'failed' };
const notReady = {
  error: 'Setup has not finished yet. Wait until it has finished, or GET /health-check for status.',
  status: 'failed',
};
/** Statuses after which it repeats a callback, up to twelve times. */
const repeatedStatuses = [429, 500, 502, 503, 504];
const maxRepeats = 12;

export async function startFakeCog(): Promise<FakeCog> {
  const accepted: string[] = [];
  const all = new Map<string, FakePrediction>();
  /** The current runs: it forgets each as it ends. */
  const running = new Map<string, FakePrediction>();
  let startedAt = new Date();
  let isWorkerDead = false;
  let plan: Plan = {
    submit: 'accept',
    endsAfterMs: 0,
    ends: { output: ['hel', 'lo'] },
    callsBack: true,
    slots: Number.POSITIVE_INFINITY,
    hasSchema: true,
    setup: 'done',
    logs: ' 50%|#####     | 5/10\n',
  };

  async function end(id: string, state: FakePrediction['state']): Promise<number[]> {
    const prediction = known(all, id);
    if (!running.delete(id)) return [];
    prediction.state = state;
    prediction.ended.resolve();
    const { webhook } = prediction.body;
    if (webhook === undefined || !prediction.plan.callsBack) return [];
    return await callBack(server, webhook, statusBody(prediction));
  }

  function startRun(id: string, model: string, body: FakePrediction['body']): FakePrediction {
    const ended = Promise.withResolvers<void>();
    const prediction: FakePrediction = { id, model, body, state: 'processing', plan, ended };
    all.set(id, prediction);
    running.set(id, prediction);
    accepted.push(id);
    server.after(plan.endsAfterMs, () => end(id, 'succeeded'));
    return prediction;
  }

  async function put(id: string, model: string, request: WireRequest): Promise<WireResponse> {
    const { headers, json, hungUp } = request;
    const underWay = running.get(id);
    if (underWay) return { status: 202, json: statusBody(underWay) };
    const refusal = refuse(json);
    if (refusal) return refusal;
    const { input } = json as FakePrediction['body'];
    if (!isObject(input)) return { status: 200, json: { id, status: 'failed', ...invalid } };
    const prediction = startRun(id, model, json as FakePrediction['body']);
    if (headers.prefer === 'respond-async') return { status: 202, json: { id, status: 'starting' } };
    hungUp.addEventListener('abort', () => void end(id, 'canceled').catch(() => undefined));
    await prediction.ended.promise;
    return { status: 200, json: statusBody(prediction) };
  }

  function refuse(json: unknown): WireResponse | null {
    if (plan.setup !== 'done') return { status: 503, json: notReady };
    if (plan.hasSchema && !isObject((json as FakePrediction['body']).input))
      return { status: 422, json: { detail: [notOfSchema] } };
    return isWorkerDead || running.size >= plan.slots ? { status: 409, json: atCapacity } : null;
  }

  const server = await startWireServer((request) => {
    const { method, path } = request;
    if (path.endsWith('/health-check'))
      return health(plan, { startedAt, isWorkerDead, isBusy: running.size >= plan.slots });
    const [, model = '', id = '', cancel = ''] = /^(.*)\/predictions\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    const isQuestion = running.has(id) || !isObject((request.json as FakePrediction['body'])?.input);
    if (method === 'PUT' && id)
      return submitReply(isQuestion ? 'accept' : plan.submit, () => put(id, model.slice(1), request));
    if (method !== 'POST' || cancel === '' || !running.has(id)) return { status: 404, json: {} };
    void end(id, 'canceled').catch(() => undefined);
    return { status: 200, json: {} };
  });

  return {
    baseUrl: server.origin,
    apiKey: null,
    settings: {},
    received: server.received,
    plan(part) {
      plan = { ...plan, ...part };
    },
    accepted: () => [...accepted],
    prediction: (id) => known(all, id),
    finish: (id) => end(id, 'succeeded'),
    restart() {
      running.clear();
      startedAt = new Date();
      isWorkerDead = false;
      server.cut();
    },
    killWorker() {
      isWorkerDead = true;
      for (const id of running.keys()) void end(id, 'failed').catch(() => undefined);
    },
    close: server.close,
  };
}

function health(
  { setup: state }: Plan,
  { startedAt, isWorkerDead, isBusy }: { startedAt: Date; isWorkerDead: boolean; isBusy: boolean },
): WireResponse {
  const statuses = { 'under way': 'STARTING', failed: 'SETUP_FAILED' };
  const setup = { started_at: startedAt.toISOString(), status: 'succeeded', logs: 'no weights' };
  const user_healthcheck_error = 'Healthcheck error: protocol error: healthcheck channel closed';
  if (state !== 'done') return { status: 200, json: { status: statuses[state], setup } };
  if (isWorkerDead) return { status: 200, json: { status: 'UNHEALTHY', setup, user_healthcheck_error } };
  return { status: 200, json: { status: isBusy ? 'BUSY' : 'READY', setup } };
}

/** Repeats a callback for as long as Cog does. Returns the statuses of the responses. */
async function callBack(server: WireServer, url: string, body: object): Promise<number[]> {
  const statuses: number[] = [];
  for (let repeat = 1; repeat <= maxRepeats; repeat++) {
    const status = await server.callBack(url, body).catch(() => null);
    if (status !== null) statuses.push(status);
    if (status !== null && !repeatedStatuses.includes(status)) break;
    await server.wait(100 * 2 ** Math.min(repeat, 10));
  }
  return statuses;
}

const invalid = { error: 'Input validation error: Input must be a JSON object', logs: '', metrics: {} };
const notOfSchema = {
  loc: ['body', 'input', '__root__'],
  msg: '[] is not of type "object"',
  type: 'value_error',
};

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function statusBody({ id, body, state, plan }: FakePrediction): Record<string, unknown> {
  const common = { id, logs: plan.logs, metrics: {}, status: state };
  if (state === 'processing') return { ...common, input: body.input };
  const metrics = { predict_time: 1.5 };
  if (state === 'failed') return { ...common, metrics, error: 'Worker crashed' };
  return state === 'canceled' ? { ...common, metrics } : { ...common, metrics, ...plan.ends };
}
