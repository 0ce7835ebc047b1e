import { fixture } from './fixtures.ts';

/** How the fake deals with the runs that are created from now on. */
export type Plan = {
  /**
   * What the create gets. All that begin with `accept` are accepted and counted, whatever comes back; an answer is a
   * refusal.
   */
  create:
    | 'accept'
    | 'accept, then reset'
    | 'accept, then silence'
    | 'accept, then half a body'
    | 'accept, then html'
    | 'reset'
    | 'silence'
    | HttpResponse;
  /** Milliseconds until a run ends and is called back; null: when `finish` says so. */
  endsAfterMs: number | null;
  /** What the prediction holds then: `status`, `output`, `error`, `logs`, `metrics`. */
  ends: Record<string, unknown>;
  callsBack: boolean;
  /** While it goes on. */
  logs: string;
};

export type HttpResponse = { status: number; headers?: Record<string, string>; json?: unknown };

export type FakeRun = {
  id: string;
  /** As the create said it: the path of an official model, or `/predictions`. */
  path: string;
  body: { version?: string; input?: unknown; webhook?: string; webhook_events_filter?: string[] };
  createdAt: Date;
  cancelAfter: string | null;
  state: 'starting' | 'processing' | 'ended' | 'canceled';
  plan: Plan;
};

/** A run as the API tells it; its webhook only where one was asked for. */
export function predictionOf(run: FakeRun, baseUrl: string): Record<string, unknown> {
  const { id, body, state, plan, createdAt } = run;
  const get = `${baseUrl}/predictions/${id}`;
  const common = {
    id,
    model: /^\/models\/(.+)\/predictions$/.exec(run.path)?.[1] ?? 'acme/model',
    version: body.version ?? 'hidden',
    input: body.input,
    created_at: createdAt.toISOString(),
    urls: { get, cancel: `${get}/cancel` },
    ...(body.webhook && { webhook: body.webhook, webhook_events_filter: body.webhook_events_filter }),
  };
  if (state === 'ended') return fixture('succeeded', { ...common, logs: plan.logs, ...plan.ends });
  if (state === 'canceled')
    return fixture('failed', { ...common, status: 'canceled', error: null, logs: '' });
  return fixture(state === 'starting' ? 'accepted' : 'processing', { ...common, logs: plan.logs });
}
