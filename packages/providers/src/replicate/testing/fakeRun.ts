import { fixture } from './fixtures.ts';

/** The behaviour of the fake for the next created runs. */
export type Plan = {
  /**
   * The response to the create. With `accept...` the run is accepted and counted whatever the response; a response object is a
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
  /** Milliseconds until a run ends and its callback is sent; null: at `finish`. */
  endsAfterMs: number | null;
  /** Fields of the final prediction: `status`, `output`, `error`, `logs`, `metrics`. */
  ends: Record<string, unknown>;
  callsBack: boolean;
  /** The log while it runs. */
  logs: string;
};

export type HttpResponse = { status: number; headers?: Record<string, string>; json?: unknown };

export type FakeRun = {
  id: string;
  /** The path of the create: an official model's, or `/predictions`. */
  path: string;
  body: { version?: string; input?: unknown; webhook?: string; webhook_events_filter?: string[] };
  createdAt: Date;
  cancelAfter: string | null;
  state: 'starting' | 'processing' | 'ended' | 'canceled';
  plan: Plan;
};

/** A run as the API returns it; with its webhook only if the create had one. */
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
