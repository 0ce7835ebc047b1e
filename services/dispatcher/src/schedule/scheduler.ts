import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Logger } from '@holdfast/kit/logger';
import type { Shares } from '@holdfast/kit/shares';
import type { Admission } from '@holdfast/queues/admission';
import { createBacklog, lineName, type PendingExecution } from './backlog.ts';
import type { Candidate, Slots } from './slots.ts';

export type Scheduler = {
  add(pending: PendingExecution[]): void;
  waiting(): number;
  close(): void;
};

/** Resolves when this process no longer works on the attempt, to false when there was nothing to start. */
export type StartAttempt = (
  pending: PendingExecution,
  route: ProviderRoute | null,
  modelVersion: string | null,
) => Promise<boolean>;

const maxCandidates = 64;
/** Another process may free a name, so a full one is tried again after so long. */
const maxWaitMs = 1000;

export function createScheduler(args: {
  shares: Shares;
  size: number;
  slots: Slots;
  startAttempt: StartAttempt;
  log: Logger;
}): Scheduler {
  const { shares, slots, log } = args;
  const backlog = createBacklog();
  /** Organizations, models and lines that are full, until when. */
  let fullUntilMs = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const closing = new AbortController();
  let isRunning = false;
  let isWoken = false;

  const isFull = (name: string) => (fullUntilMs.get(name) ?? 0) > performance.now();
  const mayStart = {
    organization: (id: string) => shares.roomOf(id) > 0 && !isFull(`organization:${id}`),
    line: (like: PendingExecution) => !isFull(`model:${like.model}`) && !isFull(`line:${lineName(like)}`),
  };

  function takeSome(): PendingExecution[] {
    const taken: PendingExecution[] = [];
    if (closing.signal.aborted) return taken;
    while (taken.length < maxCandidates && shares.taken() < args.size) {
      const pending = backlog.next(mayStart);
      if (pending === null) break;
      shares.take(pending.organizationId, 1);
      taken.push(pending);
    }
    return taken;
  }

  async function candidatesOf(taken: PendingExecution[]): Promise<Candidate[]> {
    try {
      return await slots.candidates(taken);
    } catch (error) {
      for (const { organizationId } of taken) markFull(`organization:${organizationId}`, maxWaitMs);
      putBack(taken);
      log.warn({ err: error }, 'could not look up pending executions');
      return [];
    }
  }

  function markFull(name: string, waitMs: number): void {
    fullUntilMs.set(name, performance.now() + Math.min(waitMs, maxWaitMs));
  }

  function putBack(pending: PendingExecution[]): void {
    for (const { organizationId } of pending) shares.give(organizationId, 1);
    backlog.putBack(pending);
  }

  async function startAll(): Promise<void> {
    for (let taken = takeSome(); taken.length > 0; taken = takeSome()) {
      const candidates = await candidatesOf(taken);
      for (const candidate of candidates) if (candidate.request === null) start(candidate, 0);
      await admit(candidates.filter(({ request }) => request !== null));
    }
  }

  async function admit(candidates: Candidate[]): Promise<void> {
    if (candidates.length === 0) return;
    const requests = candidates.flatMap(({ request }) => request ?? []);
    const admissions = await slots.admit(requests).catch((error: unknown): Admission[] => {
      // Without Redis no execution that has a limit starts.
      log.warn({ err: error }, 'could not check limits');
      return requests.map(() => ({ kind: 'closed', waitMs: maxWaitMs }));
    });
    const refused = candidates.filter(
      (candidate, index) => !isSettledBy(candidate, admissions[index] ?? { kind: 'taken' }),
    );
    putBack(refused.map(({ pending }) => pending));
  }

  function isSettledBy(candidate: Candidate, admission: Admission): boolean {
    const { pending } = candidate;
    if (admission.kind === 'admitted') start(candidate, admission.route);
    else if (admission.kind === 'taken') shares.give(pending.organizationId, 1);
    else {
      const name = admission.kind === 'full' ? admission.name : `line:${lineName(pending)}`;
      markFull(name, admission.waitMs);
      return false;
    }
    return true;
  }

  function start(candidate: Candidate, at: number): void {
    const { executionId, organizationId, retry } = candidate.pending;
    void startAt(candidate, at)
      .catch((error: unknown) =>
        log.error(
          { err: error, executionId, attemptId: retry?.attemptId },
          'attempt failed with an unexpected error',
        ),
      )
      .finally(() => {
        shares.give(organizationId, 1);
        wake();
      });
  }

  async function startAt({ pending, routes, modelVersion, request }: Candidate, at: number): Promise<void> {
    const route = routes[at] ?? null;
    const isStarted = !closing.signal.aborted && (await args.startAttempt(pending, route, modelVersion));
    if (isStarted || request === null) return;
    // An execution that ended while it waited must use up no slot, no part of a rate and no probe.
    await slots.withdraw(request, at);
    for (const { name } of [...request.limits.scopes, ...request.limits.rates]) fullUntilMs.delete(name);
    fullUntilMs.delete(`line:${lineName(pending)}`);
  }

  function wake(): void {
    isWoken = true;
    if (isRunning || closing.signal.aborted) return;
    isRunning = true;
    void run().catch((error: unknown) => log.error({ err: error }, 'could not start runs'));
  }

  async function run(): Promise<void> {
    try {
      while (isWoken && !closing.signal.aborted) {
        isWoken = false;
        await startAll();
      }
    } finally {
      isRunning = false;
      wakeLater();
    }
  }

  function wakeLater(): void {
    clearTimeout(timer);
    const nowMs = performance.now();
    // Times that have just passed count too: an execution may have been put back for them a moment before.
    const soonestMs = [...fullUntilMs.values()].reduce(
      (least, untilMs) => Math.min(least, untilMs),
      Infinity,
    );
    fullUntilMs = new Map([...fullUntilMs].filter(([, untilMs]) => untilMs > nowMs));
    if (closing.signal.aborted || backlog.size() === 0 || soonestMs === Infinity) return;
    timer = setTimeout(wake, Math.max(5, soonestMs - nowMs));
  }

  slots.onFreed((names) => {
    for (const name of names) fullUntilMs.delete(name);
    // Which line waits for which connection is unknown, so all are tried.
    if (names.some((name) => /^(connection|route):/.test(name))) {
      for (const name of fullUntilMs.keys()) if (name.startsWith('line:')) fullUntilMs.delete(name);
    }
    wake();
  });

  return {
    add(pending) {
      for (const one of pending) backlog.add(one);
      wake();
    },
    waiting: backlog.size,
    close() {
      closing.abort();
      clearTimeout(timer);
    },
  };
}
