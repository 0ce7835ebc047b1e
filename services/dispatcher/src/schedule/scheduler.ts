import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Logger } from '@holdfast/kit/logger';
import type { Shares } from '@holdfast/kit/shares';
import type { Admission } from '@holdfast/queues/admission';
import { type Backlog, createBacklog, isOfBatch, type PendingExecution } from './backlog.ts';
import {
  type FullNames,
  free,
  fullLineName,
  isLineFull,
  isOrganizationFull,
  markFull,
  maxWaitMs,
  organizationName,
  removePassed,
} from './fullNames.ts';
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

/** All batches together are one: what they take of this process always leaves room for other executions. */
const batchShare = 'batches';
const shareOf = (pending: PendingExecution) => (isOfBatch(pending) ? batchShare : pending.organizationId);

type SchedulerServices = {
  shares: Shares;
  size: number;
  slots: Slots;
  startAttempt: StartAttempt;
  log: Logger;
};

type Schedule = { backlog: Backlog; full: FullNames; closed: AbortSignal; onEnded(): void };

export function createScheduler(services: SchedulerServices): Scheduler {
  const { slots, log } = services;
  const backlog = createBacklog();
  const full: FullNames = new Map();
  const closing = new AbortController();
  const closed = closing.signal;
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isWoken = false;
  const startAll = createStarts(services, { backlog, full, closed, onEnded: wake });

  function wake(): void {
    isWoken = true;
    if (isRunning || closed.aborted) return;
    isRunning = true;
    void run().catch((error: unknown) => log.error({ err: error }, 'could not start runs'));
  }

  async function run(): Promise<void> {
    try {
      while (isWoken && !closed.aborted) {
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
    const earliestMs = removePassed(full, nowMs);
    if (closed.aborted || backlog.size() === 0 || earliestMs === Infinity) return;
    timer = setTimeout(wake, Math.max(5, earliestMs - nowMs));
  }

  slots.onFreed((names) => {
    free(full, names);
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

/** Returns a function that starts pending executions until no more may start. */
function createStarts(
  { shares, size, slots, startAttempt, log }: SchedulerServices,
  { backlog, full, closed, onEnded }: Schedule,
): () => Promise<void> {
  const take = () => (closed.aborted ? [] : takeSome(shares, size, backlog, full));

  async function startAll(): Promise<void> {
    for (let taken = take(); taken.length > 0; taken = take()) {
      const candidates = await candidatesOf(taken);
      for (const candidate of candidates) if (candidate.request === null) start(candidate, 0);
      await admit(candidates.filter(({ request }) => request !== null));
    }
  }

  async function candidatesOf(taken: PendingExecution[]): Promise<Candidate[]> {
    try {
      return await slots.candidates(taken);
    } catch (error) {
      const names = taken.map(({ organizationId }) => organizationName(organizationId));
      for (const name of names) markFull(full, name, maxWaitMs, performance.now());
      putBack(taken);
      log.warn({ err: error }, 'could not look up pending executions');
      return [];
    }
  }

  function putBack(pending: PendingExecution[]): void {
    for (const one of pending) shares.give(shareOf(one), 1);
    backlog.putBack(pending);
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
      (candidate, index) => !leavesBacklog(candidate, admissions[index] ?? { kind: 'taken' }),
    );
    putBack(refused.map(({ pending }) => pending));
  }

  function leavesBacklog(candidate: Candidate, admission: Admission): boolean {
    const { pending } = candidate;
    if (admission.kind === 'admitted') start(candidate, admission.route);
    else if (admission.kind === 'taken') shares.give(shareOf(pending), 1);
    else {
      const name = admission.kind === 'full' ? admission.name : fullLineName(pending);
      markFull(full, name, admission.waitMs, performance.now());
      return false;
    }
    return true;
  }

  function start(candidate: Candidate, at: number): void {
    const { executionId, retry } = candidate.pending;
    void startAt(candidate, at)
      .catch((error: unknown) =>
        log.error(
          { err: error, executionId, attemptId: retry?.attemptId },
          'attempt failed with an unexpected error',
        ),
      )
      .finally(() => {
        shares.give(shareOf(candidate.pending), 1);
        onEnded();
      });
  }

  async function startAt({ pending, routes, modelVersion, request }: Candidate, at: number): Promise<void> {
    const route = routes[at] ?? null;
    const isStarted = !closed.aborted && (await startAttempt(pending, route, modelVersion));
    if (isStarted || request === null) return;
    // An execution that ended while it waited must use up no slot, no part of a rate and no probe.
    await slots.withdraw(request, at);
    for (const { name } of [...request.limits.scopes, ...request.limits.rates]) full.delete(name);
    full.delete(fullLineName(pending));
  }

  return startAll;
}

function takeSome(shares: Shares, size: number, backlog: Backlog, full: FullNames): PendingExecution[] {
  const mayStart = {
    organization: (id: string, isBatch: boolean) =>
      shares.roomOf(isBatch ? batchShare : id) > 0 && !isOrganizationFull(full, id, performance.now()),
    line: (like: PendingExecution) => !isLineFull(full, like, performance.now()),
  };
  const taken: PendingExecution[] = [];
  while (taken.length < maxCandidates && shares.taken() < size) {
    const pending = backlog.next(mayStart);
    if (pending === null) break;
    shares.take(shareOf(pending), 1);
    taken.push(pending);
  }
  return taken;
}
