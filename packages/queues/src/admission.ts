import { within } from '@holdfast/kit/within';
import {
  admitScript,
  countScript,
  reconcileScript,
  reportScript,
  withdrawScript,
} from './admissionScripts.ts';
import type { Redis } from './connection.ts';

/** At most so many runs at once, counted under a name by all dispatchers together. */
export type Scope = { name: string; most: number };
/** At most so many runs begun in any minute. */
export type Rate = { name: string; perMinute: number };

export type Limits = { scopes: Scope[]; rates: Rate[] };

/** A run that asks to begin. */
export type Ask = {
  executionId: string;
  /** Of this asking alone. */
  mark: string;
  /** Of its organization and model. */
  limits: Limits;
  /** Where it may go, the best first. */
  routes: { connection: string; limits: Limits }[];
};

export type Admission =
  /** Counted everywhere; to be sent to this one of its routes. */
  | { kind: 'admitted'; route: number }
  /** Its organization or model has as many as it may. */
  | { kind: 'full'; name: string; waitMs: number }
  /** None of its routes has room, or all are left alone. */
  | { kind: 'closed'; waitMs: number }
  /** It is counted already: somebody else has it. */
  | { kind: 'taken' };

/** The breaker of a connection: left alone until then (ms since 1970 by the clock of Redis), and probed afterwards. */
export type Breakers = ReadonlyMap<string, number>;

export type Calls = { connection: string; ok: number; failed: number };

/** Executions by the name under which they count. */
export type OpenRuns = ReadonlyMap<string, ReadonlySet<string>>;

export type AdmissionDesk = {
  /** Who of these may begin, in order. @throws while Redis is away */
  admit(asks: Ask[]): Promise<Admission[]>;
  /** These runs have ended, or wait again. Never throws: what is not let go of is found by `reconcile`. */
  release(runs: { executionId: string; names: string[] }[]): Promise<void>;
  /**
   * A run that was admitted to that route did not begin after all: nothing counts of it, no beginning and no probe. Never
   * throws, as `release`.
   */
  withdraw(ask: Ask, route: number): Promise<void>;
  /**
   * Stops counting what is not under way; `open` is by name. Answers what of it is not counted, which may have ended since
   * it was looked up. @throws while Redis is away
   */
  reconcile(open: OpenRuns): Promise<OpenRuns>;
  /** Counts these runs too, by name. @throws while Redis is away */
  count(open: OpenRuns): Promise<void>;
  /** Tells of calls to providers since the last time, and learns whose breakers are open. @throws while Redis is away */
  report(calls: Calls[]): Promise<Breakers>;
};

const prefix = '{holdfast-limits}';
const answerWithinMs = 2000;
/** What was counted lately may not be in the database yet. */
const graceMs = 15_000;

/** A breaker opens when half of at least so many calls of the last minute failed, and for so long. */
export const breaker = { calls: 10, windowMs: 60_000, openMs: 30_000, probeMs: 15_000 } as const;

const runsOf = (name: string) => `${prefix}:runs:${name}`;

/** On a connection of `connectProducer`. */
export function openAdmissionDesk(redis: Redis): AdmissionDesk {
  const ask = <Result>(what: string, work: Promise<unknown>) =>
    within(answerWithinMs, what, work) as Promise<Result>;
  return {
    async admit(asks) {
      type Answer = [string, number | string, number?];
      const answers = await ask<Answer[]>(
        'admitting runs',
        redis.eval(admitScript, 1, prefix, JSON.stringify(asks), breaker.probeMs),
      );
      return answers.map(toAdmission);
    },
    async release(runs) {
      const byName = new Map<string, string[]>();
      for (const { executionId, names } of runs) {
        for (const name of names) byName.set(name, [...(byName.get(name) ?? []), executionId]);
      }
      const gone = [...byName].map(([name, members]) => redis.zrem(runsOf(name), ...members));
      await within(answerWithinMs, 'letting go of runs', Promise.all(gone)).catch(() => undefined);
    },
    async withdraw({ executionId, mark, limits, routes }, route) {
      const there = routes[route];
      const all = [limits, ...(there ? [there.limits] : [])];
      const what = {
        executionId,
        mark,
        connection: there?.connection ?? '',
        scopes: all.flatMap(({ scopes }) => scopes.map(({ name }) => name)),
        rates: all.flatMap(({ rates }) => rates.map(({ name }) => name)),
      };
      const gone = redis.eval(withdrawScript, 1, prefix, JSON.stringify(what));
      await within(answerWithinMs, 'withdrawing a run', gone).catch(() => undefined);
    },
    async reconcile(open) {
      const known = await ask<string[]>('reading limits', redis.smembers(`${prefix}:names`));
      const uncounted = new Map<string, Set<string>>();
      for (const name of new Set([...known, ...open.keys()])) {
        const members = JSON.stringify([...(open.get(name) ?? [])]);
        const told = redis.eval(reconcileScript, 1, prefix, name, members, graceMs);
        const missing = await ask<string[]>('counting runs', told);
        if (missing.length > 0) uncounted.set(name, new Set(missing));
      }
      return uncounted;
    },
    async count(open) {
      for (const [name, runs] of open) {
        const counted = redis.eval(countScript, 1, prefix, name, JSON.stringify([...runs]), graceMs);
        await ask('counting runs', counted);
      }
    },
    async report(calls) {
      const settings = [breaker.calls, breaker.windowMs, breaker.openMs];
      const answer = await ask<string[]>(
        'reporting calls',
        redis.eval(reportScript, 1, prefix, JSON.stringify(calls), ...settings),
      );
      const pairs = Array.from({ length: answer.length / 2 }, (_, index) => index * 2);
      return new Map(pairs.map((at) => [answer[at] ?? '', Number(answer[at + 1])]));
    },
  };
}

function toAdmission([kind, detail, waitMs = 0]: [string, number | string, number?]): Admission {
  if (kind === 'admitted') return { kind, route: Number(detail) };
  if (kind === 'full') return { kind, name: String(detail), waitMs };
  if (kind === 'closed') return { kind, waitMs: Number(detail) };
  return { kind: 'taken' };
}
