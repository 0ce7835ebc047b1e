import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '@holdfast/testkit/apiClient';

/** With this limit a slow machine gets less load instead of a backlog. */
const maxInFlight = 3000;
/** The longest pause of a client after a refusal. */
const maxPauseMs = 2000;

export type Load = ReturnType<typeof startLoad>;

export type Work = { model: string; input: object };

/** Clients that create `perSecond` executions, and repeat each request with its key until it is accepted. */
export function startLoad(api: ApiClient, perSecond: number, work: Work) {
  const accepted = new Map<string, { requestedMs: number; acceptedMs: number }>();
  /** Responses by status; 0: there was none. */
  const responses = new Map<number, number>();
  const problems: string[] = [];
  const inFlight = new Set<Promise<void>>();
  let count = 0;

  async function request(
    body: unknown,
    key: string,
  ): Promise<{ status: number; id: string; waitMs: number }> {
    try {
      const headers = { 'idempotency-key': key };
      const response = await api.post('/v1/executions', body, headers);
      const waitMs = Number(response.headers.get('retry-after') ?? 0) * 1000;
      if (response.status === 503 && waitMs === 0) problems.push('a 503 without Retry-After');
      if (response.status !== 202 && response.status !== 503)
        problems.push(`${response.status}: ${JSON.stringify(response.body)}`);
      return { status: response.status, id: String(response.body['id']), waitMs };
    } catch {
      return { status: 0, id: '', waitMs: 500 };
    }
  }

  async function createWithRetries(index: number): Promise<void> {
    const mode = index % 2 ? 'sync' : 'callback';
    const input = { prompt: 'a word', mode, delay_ms: randomInt(100, 2500), ...work.input };
    const body = { model: work.model, input };
    const [key, requestedMs] = [randomUUID(), performance.now()];
    for (;;) {
      const { status, id, waitMs } = await request(body, key);
      responses.set(status, (responses.get(status) ?? 0) + 1);
      if (status === 202) {
        accepted.set(id, { requestedMs, acceptedMs: performance.now() });
        return;
      }
      // Not all at once, as clients on many machines do.
      await delay(Math.min(maxPauseMs, waitMs) * (0.5 + Math.random() / 2));
    }
  }

  const timer = setInterval(() => {
    if (inFlight.size >= maxInFlight) return;
    const created = createWithRetries(count).finally(() => inFlight.delete(created));
    inFlight.add(created);
    count += 1;
  }, 1000 / perSecond);

  const acceptedAtMs = () => [...accepted.values()].map(({ acceptedMs }) => acceptedMs);

  return {
    /** By id. */
    accepted,
    responses,
    problems,
    /** The longest time (seconds) without an accepted execution since `fromMs`, of performance.now(). */
    longestGapS: (fromMs: number) => longestGapS(acceptedAtMs(), fromMs, performance.now()),
    acceptedSince: (fromMs: number) => acceptedAtMs().filter((atMs) => atMs > fromMs).length,
    /** Creates no more, and resolves when every client has its response. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await Promise.all(inFlight);
    },
  };
}

export function longestGapS(atMs: readonly number[], fromMs: number, toMs: number): number {
  const within = atMs.filter((ms) => ms >= fromMs && ms <= toMs).toSorted((a, b) => a - b);
  const ends = [fromMs, ...within, toMs];
  return Math.max(...ends.slice(1).map((ms, index) => ms - (ends[index] ?? ms))) / 1000;
}
