import { within } from '@holdfast/kit/within';
import {
  admitScript,
  capacitiesScript,
  circuitsScript,
  countScript,
  namesScript,
  reconcileScript,
  refusedScript,
  releaseScript,
  reportScript,
  withdrawScript,
} from './admissionScripts.ts';
import type { Redis } from './connection.ts';
import { type ForeignKey, filterForeign } from './queueKeys.ts';

export type ConcurrencyLimit = { name: string; most: number };
export type RateLimit = { name: string; perMinute: number };

export type Limits = { scopes: ConcurrencyLimit[]; rates: RateLimit[] };

export type AdmissionRequest = {
  executionId: string;
  /** The order within its organization and priority: a refused execution goes before younger ones in the same queue. */
  queue: string;
  mark: string;
  limits: Limits;
  /** In order of preference. `capacity`: the name of a learned capacity, if there is one. */
  routes: { connection: string; limits: Limits; capacity?: string }[];
  /** Whether to wait for the first route that works, instead of using another one that has capacity. */
  stays: boolean;
};

/** `full`: limit of its organization or model; `closed`: every route full or circuit open; `taken`: counted before. */
export type Admission =
  | { kind: 'admitted'; route: number }
  | { kind: 'full'; name: string; waitMs: number }
  | { kind: 'closed'; waitMs: number }
  | { kind: 'taken' };

/** Open circuits by connection, each with the time until which it is open (Unix ms by Redis's clock); then it is probed. */
export type Breakers = ReadonlyMap<string, number>;

/** `isDead`: the provider reported that it accepts no runs; its circuit opens at once. */
export type CallCounts = { connection: string; ok: number; failed: number; isDead?: boolean };

export type CapacityRefusal = {
  name: string;
  executionId: string;
  /** As in the request of the execution. */
  queue: string;
  retryAfterMs: number;
  /** The run may have been accepted in spite of the refusal, and stays counted. */
  mayHaveRun: boolean;
  /** The provider's open runs in the database; only if its capacity is unknown. */
  open?: string[];
  /** Spreads the pauses of several installations over time. */
  jitter: number;
};

export type OpenRuns = ReadonlyMap<string, ReadonlySet<string>>;

/** Methods throw without Redis, except `release` and `withdraw`: `reconcile` finds what they missed. */
export type AdmissionControl = {
  admit(requests: AdmissionRequest[]): Promise<Admission[]>;
  release(runs: { executionId: string; names: string[] }[]): Promise<void>;
  /** Undoes an unused admission, including its start and probe. */
  withdraw(request: AdmissionRequest, route: number): Promise<void>;
  /** Stops counting runs that are not open. Returns open runs that are not counted; they may have ended since. */
  reconcile(open: OpenRuns): Promise<OpenRuns>;
  count(open: OpenRuns): Promise<void>;
  report(calls: CallCounts[]): Promise<Breakers>;
  refused(refusal: CapacityRefusal): Promise<{ most: number; waitMs: number }>;
  /** Takes names with accepted runs; returns learned capacities by name. */
  capacities(accepted: string[]): Promise<ReadonlyMap<string, number>>;
};

const prefix = '{holdfast-limits}';
/** The hash of open circuits: by connection, until when (Unix ms). */
export const breakersKey = `${prefix}:breakers`;
const responseWithinMs = 2000;
/** Runs that were counted less than this ago may not be in the database yet. */
const graceMs = 15_000;

/** Opens when half of at least `calls` calls in the window failed. */
export const breaker = { calls: 10, windowMs: 60_000, openMs: 30_000, probeMs: 15_000 } as const;

// A refusal pauses a provider; then one more run (or a quarter of many) is tried. Each refusal doubles both waits.
const learning = {
  pauseMs: 1000,
  longestPauseMs: 15_000,
  stepMs: 5000,
  longestStepMs: 300_000,
  probeMs: 1000,
  /** A sweep brings a refused execution within this time after the pause. */
  olderWithinMs: 1000,
  forgottenMs: 3_600_000,
} as const;

export function openAdmissionControl(redis: Redis): AdmissionControl {
  const run = <Result>(what: string, script: string, ...args: (string | number)[]) =>
    within(responseWithinMs, what, redis.eval(script, 1, prefix, ...args)) as Promise<Result>;
  const ignoreFailure = () => undefined;
  return {
    async admit(requests) {
      const settings = [breaker.probeMs, learning.probeMs, learning.olderWithinMs];
      const json = JSON.stringify(requests);
      const results = await run<AdmissionReply[]>('admitting runs', admitScript, json, ...settings);
      return results.map(toAdmission);
    },
    async release(runs) {
      const byName = new Map<string, string[]>();
      for (const { executionId, names } of runs) {
        for (const name of names) byName.set(name, [...(byName.get(name) ?? []), executionId]);
      }
      const json = JSON.stringify(Object.fromEntries(byName));
      await run('releasing runs', releaseScript, json).catch(ignoreFailure);
    },
    async withdraw({ executionId, mark, limits, routes }, route) {
      const chosen = routes[route];
      const all = [limits, ...(chosen ? [chosen.limits] : [])];
      const admitted = {
        executionId,
        mark,
        connection: chosen?.connection ?? '',
        capacity: chosen?.capacity,
        scopes: all.flatMap(({ scopes }) => scopes.map(({ name }) => name)),
        rates: all.flatMap(({ rates }) => rates.map(({ name }) => name)),
      };
      await run('withdrawing a run', withdrawScript, JSON.stringify(admitted)).catch(ignoreFailure);
    },
    async reconcile(open) {
      const known = await run<string[]>('reading limits', namesScript);
      const uncounted = new Map<string, Set<string>>();
      for (const name of new Set([...known, ...open.keys()])) {
        const members = JSON.stringify([...(open.get(name) ?? [])]);
        const missing = await run<string[]>('counting runs', reconcileScript, name, members, graceMs);
        if (missing.length > 0) uncounted.set(name, new Set(missing));
      }
      return uncounted;
    },
    async count(open) {
      for (const [name, runs] of open) {
        await run('counting runs', countScript, name, JSON.stringify([...runs]), graceMs);
      }
    },
    async report(calls) {
      const settings = [breaker.calls, breaker.windowMs, breaker.openMs];
      return numbersByName(await run('reporting calls', reportScript, JSON.stringify(calls), ...settings));
    },
    async refused(refusal) {
      const { pauseMs, longestPauseMs, stepMs, longestStepMs, forgottenMs } = learning;
      const settings = { pauseMs, longestPauseMs, stepMs, longestStepMs, forgottenMs, graceMs };
      const json = JSON.stringify({ ...refusal, ...settings });
      const [most = 1, waitMs = 0] = await run<number[]>('learning from a refusal', refusedScript, json);
      return { most, waitMs };
    },
    async capacities(accepted) {
      const settings = [learning.stepMs, learning.forgottenMs];
      const json = JSON.stringify(accepted);
      return numbersByName(await run('reading capacities', capacitiesScript, json, ...settings));
    },
  };
}

/** Open circuits by connection, each with the time until which it is open (Unix ms). */
export async function readCircuits(redis: Redis): Promise<Breakers> {
  return numbersByName((await redis.eval(circuitsScript, 1, prefix)) as string[]);
}

/** Keys of another type than admission control gives them, which it came across. It goes on without them. */
export async function readForeignLimits(redis: Redis): Promise<ForeignKey[]> {
  const noted = `${prefix}:foreign`;
  const isReadable = ['hash', 'none'].includes(await redis.type(noted));
  const found = isReadable ? await redis.hgetall(noted) : {};
  const foreign = await filterForeign(redis, [...Object.entries(found), [noted, 'hash']]);
  const gone = Object.keys(found).filter((name) => !foreign.some(({ key }) => key === name));
  if (gone.length > 0) await redis.hdel(noted, ...gone);
  return foreign;
}

function numbersByName(reply: (string | number)[]): Map<string, number> {
  const pairs = Array.from({ length: reply.length / 2 }, (_, index) => index * 2);
  return new Map(pairs.map((at) => [String(reply[at] ?? ''), Number(reply[at + 1])]));
}

type AdmissionReply = [kind: string, detail: number | string, waitMs?: number];

function toAdmission([kind, detail, waitMs = 0]: AdmissionReply): Admission {
  if (kind === 'admitted') return { kind, route: Number(detail) };
  if (kind === 'full') return { kind, name: String(detail), waitMs };
  if (kind === 'closed') return { kind, waitMs: Number(detail) };
  return { kind: 'taken' };
}
