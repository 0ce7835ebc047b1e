import { countTries, refusedAt, type TryCount } from '@holdfast/db/attempts/lease';
import type { Database } from '@holdfast/db/client';
import { retryTransient } from '@holdfast/db/faults';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { AttemptRecorder } from '@holdfast/executions/attemptRecorder';
import type { Logger } from '@holdfast/kit/logger';
import type { Progress } from '@holdfast/providers/interface';
import type { RouteTarget } from '../schedule/capacity.ts';
import { isAt } from '../schedule/routes.ts';
import type { Slots } from '../schedule/slots.ts';
import type { DispatcherMetrics } from './metrics.ts';
import { type Route, type Routes } from './route.ts';
import type { Attempt } from './submission.ts';

type Refused = Extract<Progress, { state: 'refused' }>;
type NextTry = RouteTarget & { afterMs: number };

type Services = {
  files: { db: Database };
  routes: Routes;
  slots: Slots;
  recorder: AttemptRecorder;
  metrics: Pick<DispatcherMetrics, 'retries' | 'busyRefusals'>;
};

/** A refusal that can't be recorded fails the attempt, so the database is read with retries for as long. */
const read = <Value>(log: Logger, query: () => Promise<Value>) => retryTransient(log, 60_000, query);

/** Schedules the next try of a run that was not accepted, or lost. Returns false and records nothing when there is none. */
export async function recordRefusal(
  { files: { db }, routes, recorder, metrics }: Omit<Services, 'slots'>,
  log: Logger,
  { definition }: Route,
  attempt: Attempt,
  { retryAfterMs, outcome, isLost }: Refused,
): Promise<boolean> {
  const { executionId, attemptId, organizationId, model, connection, target, claims, remainingMs } = attempt;
  const next = nextTry({
    definition,
    isAllowed: await read(log, () => routes.filterFor(organizationId)),
    at: { connection, target },
    retryAfterMs,
    tried: await read(log, () => countTries(db, executionId)),
    remainingMs,
  });
  if (next === null) return false;
  const { code, message, raw = null } = outcome;
  log.warn(
    { executionId, attemptId, model, code, from: connection, next },
    isLost ? 'a provider has lost a run' : 'a provider did not accept a run',
  );
  const to = next.connection === connection && next.target === target ? 'same' : 'next';
  metrics.retries.inc({ connection, to });
  await recorder.recordRefusal({
    attemptId,
    claims,
    outcome: { ok: false, code, message },
    rawError: raw,
    next,
    wasAccepted: Boolean(attempt.handle),
  });
  return true;
}

/** The same attempt waits for capacity. Returns whether it gives up its slots: a run that the provider may have keeps them. */
export async function recordBusyRefusal(
  { files: { db }, routes, slots, recorder, metrics }: Services,
  log: Logger,
  { definition }: Route,
  attempt: Attempt,
  { outcome, retryAfterMs, ...refused }: Refused,
): Promise<boolean> {
  const { executionId, attemptId, organizationId, model, connection, target, busyRefusals, claims } = attempt;
  const mayHaveRun = refused.mayHaveRun ?? false;
  const pauseMs = await slots.refused({ ...attempt, mayHaveRun }, retryAfterMs ?? 0);
  const next = mayHaveRun
    ? { connection, target, afterMs: pauseMs }
    : busyTry({
        definition,
        isAllowed: await read(log, () => routes.filterFor(organizationId)),
        at: { connection, target },
        refusedAt: await read(log, () => refusedAt(db, executionId)),
        busyRefusals,
        pauseMs,
      });
  metrics.busyRefusals.inc({ connection });
  log.info(
    { executionId, attemptId, model, code: outcome.code, connection, next },
    'run postponed by a busy provider',
  );
  const rawError = outcome.raw ?? null;
  await recorder.recordBusyRefusal({ attemptId, claims, rawError, next, mayHaveRun });
  return !mayHaveRun;
}

const maxTries = { onlyRoute: 5, withOthers: 3 };
const firstPauseMs = 1000;
const maxPauseMs = 30_000;
/** A provider that demands a longer pause is left for the next one at once. */
const maxPauseWithOthersMs = 10_000;

/** At the same provider, each time later, or at the next one that was not tried yet. Null when none, or no time, is left. */
export function nextTry(args: {
  definition: ModelDefinition;
  isAllowed(route: ProviderRoute): boolean;
  at: RouteTarget;
  /** Null: a retry here is useless. */
  retryAfterMs: number | null;
  /** This one included. */
  tried: TryCount[];
  remainingMs: number;
  chance?: number;
}): NextTry | null {
  const { definition, at, tried, remainingMs } = args;
  const other = definition.providers.find(
    (route) => args.isAllowed(route) && !tried.some((one) => isAt(one, route)),
  );
  const pauseMs =
    args.retryAfterMs === null ? null : retryPauseMs(args.retryAfterMs, triesAt(tried, at), args.chance);
  const maxHere = other ? maxTries.withOthers : maxTries.onlyRoute;
  const isWorthWaiting =
    pauseMs !== null && pauseMs < remainingMs && (!other || pauseMs <= maxPauseWithOthersMs);
  if (isWorthWaiting && triesAt(tried, at) < maxHere) {
    return { connection: at.connection, target: at.target, afterMs: pauseMs };
  }
  return other ? { connection: other.connection, target: other.model, afterMs: 0 } : null;
}

/** With `on_busy: fallback` at the model's next provider at once, and after a pause when all of them were busy in turn. */
export function busyTry(args: {
  definition: ModelDefinition;
  isAllowed(route: ProviderRoute): boolean;
  at: RouteTarget;
  /** Targets that refused the execution for another reason. */
  refusedAt: RouteTarget[];
  busyRefusals: number;
  pauseMs: number;
}): NextTry {
  const { definition, at, refusedAt, busyRefusals, pauseMs: afterMs } = args;
  const routes = definition.providers.filter(
    (route) => args.isAllowed(route) && (isAt(at, route) || !refusedAt.some((one) => isAt(one, route))),
  );
  const here = routes.findIndex((route) => isAt(at, route));
  const next = routes[(here + 1) % routes.length];
  if (definition.on_busy === 'wait' || next === undefined) return { ...at, afterMs };
  const isRoundOver = (busyRefusals + 1) % routes.length === 0;
  return { connection: next.connection, target: next.model, afterMs: isRoundOver ? afterMs : 0 };
}

function triesAt(tried: TryCount[], at: RouteTarget): number {
  return (
    tried.find(({ connection, target }) => connection === at.connection && target === at.target)?.tries ?? 0
  );
}

function retryPauseMs(retryAfterMs: number, tries: number, chance = Math.random()): number {
  const ours = Math.min(firstPauseMs * 2 ** Math.max(0, tries - 1), maxPauseMs);
  return Math.max(retryAfterMs, ours) * (0.9 + chance * 0.2);
}
