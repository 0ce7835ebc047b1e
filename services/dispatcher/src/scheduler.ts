import { randomUUID } from 'node:crypto';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Logger } from '@holdfast/kit/logger';
import type { Shares } from '@holdfast/kit/shares';
import type { Admission, AdmissionControl, AdmissionRequest } from '@holdfast/queues/admission';
import { createBacklog, lineName, type Waiting } from './backlog.ts';
import type { Breakers } from './breakers.ts';
import type { Capacity } from './capacity.ts';
import { areNone, type LimitsOf, together } from './limits.ts';
import type { OpenTo } from './openTo.ts';
import { routesFor } from './routesFor.ts';

/** Decides which of the waiting runs begins, and where it is sent. */
export type Scheduler = {
  add(waiting: Waiting[]): void;
  /** A run was let go of: there is room for another under these names. */
  wake(freed: readonly string[]): void;
  /** How many wait here. */
  waiting(): number;
  /** Begins no more. */
  close(): void;
};

/**
 * What may begin: null where none of the model's providers is configured. False: there was nothing to begin, for it has
 * ended, or somebody else has it.
 */
export type Begin = (waiting: Waiting, route: ProviderRoute | null) => Promise<boolean>;

type Candidate = { waiting: Waiting; routes: ProviderRoute[]; ask: AdmissionRequest | null };

const askedAtOnce = 64;
/** What was full is asked about again after so long at the latest, for another process may have made room. */
const longestWaitMs = 1000;

/** `begin` resolves when the run is no longer in hand here. */
export function createScheduler(args: {
  shares: Shares;
  size: number;
  desk: AdmissionControl;
  limits(): Promise<LimitsOf>;
  breakers: Breakers;
  capacity: Capacity;
  openTo: OpenTo;
  definitionOf(model: string): Promise<ModelDefinition | null>;
  begin: Begin;
  log: Logger;
}): Scheduler {
  const { shares, desk, breakers, capacity, log } = args;
  const backlog = createBacklog();
  /** Organizations, models and lines that are full, until when. */
  let fullUntilMs = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const closing = new AbortController();
  let isTurning = false;
  let isWoken = false;

  const isFull = (name: string) => (fullUntilMs.get(name) ?? 0) > performance.now();
  const mayGo = {
    organization: (id: string) => shares.roomOf(id) > 0 && !isFull(`organization:${id}`),
    line: (like: Waiting) => !isFull(`model:${like.model}`) && !isFull(`line:${lineName(like)}`),
  };

  function takeSome(): Waiting[] {
    const taken: Waiting[] = [];
    if (closing.signal.aborted) return taken;
    while (taken.length < askedAtOnce && shares.taken() < args.size) {
      const waiting = backlog.next(mayGo);
      if (waiting === null) break;
      shares.take(waiting.organizationId, 1);
      taken.push(waiting);
    }
    return taken;
  }

  async function candidateOf(waiting: Waiting, limits: LimitsOf): Promise<Candidate> {
    const { executionId, organizationId, model } = waiting;
    const definition = await args.definitionOf(model);
    const routes = routesFor(definition, waiting.again, await args.openTo(organizationId));
    const own = together(limits.organization(organizationId), limits.model(model, definition));
    const asked = routes.map(({ connection, model: target }) => {
      const name = capacity.nameOf({ connection, target });
      return { connection, limits: limits.connection(connection), ...(name && { capacity: name }) };
    });
    const isFree =
      areNone(own) &&
      asked.every((route) => areNone(route.limits) && !route.capacity && !breakers.isOpen(route.connection));
    // One that can be sent nowhere takes up no place: it begins only to fail.
    if (isFree || routes.length === 0) return { waiting, routes, ask: null };
    const stays = definition?.on_busy === 'wait';
    return { waiting, routes, ask: { executionId, mark: randomUUID(), limits: own, routes: asked, stays } };
  }

  async function candidatesOf(taken: Waiting[]): Promise<Candidate[]> {
    try {
      const limits = await args.limits();
      return await Promise.all(taken.map((waiting) => candidateOf(waiting, limits)));
    } catch (error) {
      for (const { organizationId } of taken) markFull(`organization:${organizationId}`, longestWaitMs);
      putBack(taken);
      log.warn({ err: error }, 'what waits could not be looked up');
      return [];
    }
  }

  function markFull(name: string, waitMs: number): void {
    fullUntilMs.set(name, performance.now() + Math.min(waitMs, longestWaitMs));
  }

  function putBack(waiting: Waiting[]): void {
    for (const { organizationId } of waiting) shares.give(organizationId, 1);
    backlog.putBack(waiting);
  }

  async function turn(): Promise<void> {
    for (let taken = takeSome(); taken.length > 0; taken = takeSome()) {
      const candidates = await candidatesOf(taken);
      for (const candidate of candidates) if (candidate.ask === null) start(candidate, 0);
      await admit(candidates.filter(({ ask }) => ask !== null));
    }
  }

  async function admit(candidates: Candidate[]): Promise<void> {
    if (candidates.length === 0) return;
    const asks = candidates.flatMap(({ ask }) => ask ?? []);
    const admissions = await desk.admit(asks).catch((error: unknown): Admission[] => {
      // Limits that can't be looked up are kept: nobody begins who has one.
      log.warn({ err: error }, 'limits could not be asked about');
      return asks.map(() => ({ kind: 'closed', waitMs: longestWaitMs }));
    });
    const back = candidates.filter(
      (candidate, index) => !begins(candidate, admissions[index] ?? { kind: 'taken' }),
    );
    putBack(back.map(({ waiting }) => waiting));
  }

  /** False for one that has to wait on. */
  function begins(candidate: Candidate, admission: Admission): boolean {
    const { waiting } = candidate;
    if (admission.kind === 'admitted') start(candidate, admission.route);
    else if (admission.kind === 'taken') shares.give(waiting.organizationId, 1);
    else {
      const name = admission.kind === 'full' ? admission.name : `line:${lineName(waiting)}`;
      markFull(name, admission.waitMs);
      return false;
    }
    return true;
  }

  function start(candidate: Candidate, at: number): void {
    const { executionId, organizationId, again } = candidate.waiting;
    const about = { executionId, attemptId: again?.attemptId };
    void beginAt(candidate, at)
      .catch((error: unknown) => log.error({ err: error, ...about }, 'a run was cut off'))
      .finally(() => {
        shares.give(organizationId, 1);
        wake();
      });
  }

  async function beginAt({ waiting, routes, ask }: Candidate, at: number): Promise<void> {
    const isBegun = !closing.signal.aborted && (await args.begin(waiting, routes[at] ?? null));
    if (isBegun || ask === null) return;
    // Its place, its part of a minute or its probe is the next one's: what has ended while it waited must use up nothing.
    await desk.withdraw(ask, at);
    for (const { name } of [...ask.limits.scopes, ...ask.limits.rates]) fullUntilMs.delete(name);
    fullUntilMs.delete(`line:${lineName(waiting)}`);
  }

  function wake(): void {
    isWoken = true;
    if (isTurning || closing.signal.aborted) return;
    isTurning = true;
    void go().catch((error: unknown) => log.error({ err: error }, 'runs could not be begun'));
  }

  async function go(): Promise<void> {
    try {
      while (isWoken && !closing.signal.aborted) {
        isWoken = false;
        await turn();
      }
    } finally {
      isTurning = false;
      wakeLater();
    }
  }

  function wakeLater(): void {
    clearTimeout(timer);
    const nowMs = performance.now();
    // Of those too whose time was over a moment ago: somebody may have been left waiting for them just before.
    const soonestMs = [...fullUntilMs.values()].reduce(
      (least, untilMs) => Math.min(least, untilMs),
      Infinity,
    );
    fullUntilMs = new Map([...fullUntilMs].filter(([, untilMs]) => untilMs > nowMs));
    if (closing.signal.aborted || backlog.size() === 0 || soonestMs === Infinity) return;
    timer = setTimeout(wake, Math.max(5, soonestMs - nowMs));
  }

  return {
    add(waiting) {
      for (const one of waiting) backlog.add(one);
      wake();
    },
    wake(freed) {
      for (const name of freed) fullUntilMs.delete(name);
      // Which lines wait for which connection is not known here: those that wait for another are put back.
      if (freed.some((name) => /^(connection|route):/.test(name))) {
        for (const name of fullUntilMs.keys()) if (name.startsWith('line:')) fullUntilMs.delete(name);
      }
      wake();
    },
    waiting: backlog.size,
    close() {
      closing.abort();
      clearTimeout(timer);
    },
  };
}
