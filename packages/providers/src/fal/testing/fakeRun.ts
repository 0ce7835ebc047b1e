/** The behaviour of the fake for the next submitted runs. */
export type Plan = {
  /**
   * The response to the submit. With `accept...` the run is accepted and counted whatever the response; a response object is a
   * refusal.
   */
  submit:
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
  /** The model's own response; the status of a failed run may also have `error` and `error_type`. */
  ends: HttpResponse & { error?: string; error_type?: string };
  callsBack: boolean;
  /** The result is wrapped as `{status, logs, response}`. */
  isWrapped: boolean;
  logs: string[];
};

export type HttpResponse = { status: number; headers?: Record<string, string>; json?: unknown };

export type FakeRun = {
  id: string;
  /** As in the request: `fal-ai/flux/dev`. */
  path: string;
  input: unknown;
  webhook: string | null;
  state: 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED';
  isCancelled: boolean;
  plan: Plan;
};

export function submitResponseOf({ id, path }: FakeRun, baseUrl: string): HttpResponse {
  const url = `${baseUrl}/${path.split('/').slice(0, 2).join('/')}/requests/${id}`;
  const urls = { response_url: url, status_url: `${url}/status`, cancel_url: `${url}/cancel` };
  const json = { status: 'IN_QUEUE', request_id: id, ...urls, queue_position: 0, logs: null, metrics: {} };
  return { status: 200, json };
}

/** The queue's response to a poll: 202 until the run has ended. */
export function statusResponse(run: FakeRun, withLogs: boolean): HttpResponse {
  const { error, error_type } = run.plan.ends;
  const logs = run.plan.logs.map((message) => ({
    message,
    timestamp: '2024-12-20T15:37:17.120314',
    labels: {},
  }));
  const common = { request_id: run.id, status: run.state, ...(withLogs && { logs }) };
  if (run.state === 'COMPLETED') {
    return { status: 200, json: { ...common, metrics: { inference_time: 2.5 }, error, error_type } };
  }
  return { status: 202, json: run.state === 'IN_QUEUE' ? { ...common, queue_position: 1 } : common };
}

export function resultResponse(run: FakeRun): HttpResponse {
  if (run.state !== 'COMPLETED') return { status: 400, json: { detail: 'Request is still in progress' } };
  const { ends, isWrapped } = run.plan;
  if (!isWrapped)
    return { status: ends.status, json: ends.json, ...(ends.headers && { headers: ends.headers }) };
  return { status: ends.status, json: { status: run.state, logs: null, response: ends.json } };
}

export function cancelResponse(run: FakeRun): HttpResponse {
  if (run.state === 'COMPLETED') return { status: 400, json: { status: 'ALREADY_COMPLETED' } };
  run.isCancelled = true;
  return { status: 202, json: { status: 'CANCELLATION_REQUESTED' } };
}

/** The body of the webhook that reports its end. */
export function webhookBody({ id, plan: { ends } }: FakeRun): object {
  const common = { request_id: id, gateway_request_id: id };
  if (ends.status < 300 && ends.error === undefined) return { ...common, status: 'OK', payload: ends.json };
  const error = ends.error ?? `Invalid status code: ${ends.status}`;
  return { ...common, status: 'ERROR', error, payload: ends.json ?? null };
}
