import {
  type Fake,
  type FakePlan,
  known,
  startWireServer,
  statuses,
  submitReply,
  type WireAnswer,
  type WireRequest,
} from '../../conformance/wireServer.ts';

type Plan = FakePlan & {
  callsBack: boolean;
  /** Containers don't: what has ended is made once more when its id comes again. */
  remembers: boolean;
  logs: string;
};

type FakePrediction = {
  id: string;
  model: string;
  body: { input?: unknown; webhook?: string };
  state: 'processing' | 'ended' | 'canceled';
  plan: Plan;
  ended: PromiseWithResolvers<void>;
};

/** A Cog container on a loopback port, or several behind the names of their models. */
export type FakeCog = Fake<Plan> & { apiKey: null; prediction(id: string): FakePrediction };

export async function startFakeCog(): Promise<FakeCog> {
  const accepted: string[] = [];
  const predictions = new Map<string, FakePrediction>();
  let plan: Plan = {
    submit: 'accept',
    endsAfterMs: 0,
    ends: { output: ['hel', 'lo'] },
    callsBack: true,
    remembers: false,
    logs: ' 50%|#####     | 5/10\n',
  };

  async function finish(id: string): Promise<number[]> {
    const prediction = known(predictions, id);
    if (prediction.state === 'processing') prediction.state = 'ended';
    prediction.ended.resolve();
    if (!prediction.plan.remembers) predictions.delete(id);
    const { webhook } = prediction.body;
    if (webhook === undefined || !prediction.plan.callsBack) return [];
    return statuses(server.callBack(webhook, told(prediction)));
  }

  function begin(id: string, model: string, body: FakePrediction['body']): FakePrediction {
    const ended = Promise.withResolvers<void>();
    const prediction: FakePrediction = { id, model, body, state: 'processing', plan, ended };
    predictions.set(id, prediction);
    accepted.push(id);
    server.after(plan.endsAfterMs, () => finish(id));
    return prediction;
  }

  async function put(id: string, model: string, { headers, json }: WireRequest): Promise<WireAnswer> {
    const prediction = predictions.get(id) ?? begin(id, model, json as FakePrediction['body']);
    if (headers.prefer === 'respond-async') return { status: 202, json: told(prediction) };
    await prediction.ended.promise;
    return { status: 200, json: told(prediction) };
  }

  const server = await startWireServer((request) => {
    const { method, path } = request;
    if (path === '/health-check') return { status: 200, json: { status: 'READY' } };
    const [, model = '', id = '', cancel = ''] = /^(.*)\/predictions\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    if (method === 'PUT' && id) return submitReply(plan.submit, () => put(id, model.slice(1), request));
    const prediction = predictions.get(id);
    if (method !== 'POST' || cancel === '' || prediction === undefined)
      return { status: 404, json: { detail: 'Not Found' } };
    prediction.state = 'canceled';
    void finish(id);
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
    prediction: (id) => known(predictions, id),
    finish,
    close: server.close,
  };
}

function told({ id, body, state, plan }: FakePrediction): Record<string, unknown> {
  const common = { id, input: body.input, logs: plan.logs, created_at: '2026-01-01T00:00:00.000000+00:00' };
  if (state === 'processing') return { ...common, status: 'processing', output: null };
  if (state === 'canceled') return { ...common, status: 'canceled', output: null };
  return { ...common, status: 'succeeded', metrics: { predict_time: 1.5 }, ...plan.ends };
}
