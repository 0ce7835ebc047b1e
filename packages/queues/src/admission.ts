import { within } from '@holdfast/kit/within';
import type { Redis } from './connection.ts';

// Redis's clock: those of dispatchers may differ.
const clock = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local p = KEYS[1]
local day = 90000000
local capacities = p .. ':capacity'
local function runs(name) return p .. ':runs:' .. name end
local function capacityOf(name)
  local known = name and redis.call('HGET', capacities, name)
  return known and cjson.decode(known)
end
local function keep(name, capacity) redis.call('HSET', capacities, name, cjson.encode(capacity)) end
local function begun(name) return p .. ':begun:' .. name end
local function counted(name, id, since)
  redis.call('SADD', p .. ':names', name)
  redis.call('ZADD', runs(name), since, id)
  redis.call('PEXPIRE', runs(name), day)
end`;

// For each name the set of its runs by start time; for each rate the starts of the last minute; the learned
// capacities. After a refusal, one run at a time is sent to that provider.
const admitScript = `${clock}
local function taken(id, limits)
  for _, s in ipairs(limits.scopes) do if redis.call('ZSCORE', runs(s.name), id) then return true end end
  return false
end
local function blocked(limits)
  for _, s in ipairs(limits.scopes) do
    if redis.call('ZCARD', runs(s.name)) >= s.most then return s.name, 100 end
  end
  for _, r in ipairs(limits.rates) do
    redis.call('ZREMRANGEBYSCORE', begun(r.name), '-inf', now - 60000)
    if redis.call('ZCARD', begun(r.name)) >= r.perMinute then
      local first = redis.call('ZRANGE', begun(r.name), 0, 0, 'WITHSCORES')
      return r.name, math.max(1, first[2] + 60000 - now)
    end
  end
end
local function count(a, limits)
  for _, s in ipairs(limits.scopes) do counted(s.name, a.executionId, now) end
  for _, r in ipairs(limits.rates) do
    redis.call('ZADD', begun(r.name), now, a.mark)
    redis.call('PEXPIRE', begun(r.name), 60000)
  end
end
local function alone(connection)
  local till = tonumber(redis.call('HGET', p .. ':breakers', connection) or 0)
  if till == 0 then return 0 end
  if till > now then return till - now end
  local probe = tonumber(redis.call('HGET', p .. ':probes', connection) or 0)
  if probe > now then return math.min(500, probe - now) end
  return -1
end
local function crowded(name)
  local c = capacityOf(name)
  if not c then return end
  if c.untilMs > now then return c.untilMs - now end
  if redis.call('ZCARD', runs(name)) < c.most then return end
  c.wanted, c.seenMs = true, now
  keep(name, c)
  return 100
end
local function occupy(name, a)
  local c = capacityOf(name)
  if not c then return end
  counted(name, a.executionId, now)
  if c.refusals == 0 then return end
  c.untilMs, c.probe = now + ARGV[3], a.mark
  keep(name, c)
end
local function ask(a)
  if taken(a.executionId, a.limits) then return { 'taken', '' } end
  for _, route in ipairs(a.routes) do
    if taken(a.executionId, route.limits) then return { 'taken', '' } end
    if route.capacity and redis.call('ZSCORE', runs(route.capacity), a.executionId) then return { 'taken', '' } end
  end
  local name, wait = blocked(a.limits)
  if name then return { 'full', name, wait } end
  local least = 60000
  for i, route in ipairs(a.routes) do
    local left = alone(route.connection)
    local full, later = nil, left
    if left <= 0 then full, later = blocked(route.limits) end
    if left <= 0 and not full then
      local wait = crowded(route.capacity)
      if wait then full, later = true, wait end
    end
    if left <= 0 and not full then
      if left < 0 then
        redis.call('HSET', p .. ':probes', route.connection, now + ARGV[2])
        redis.call('HSET', p .. ':probed', route.connection, a.mark)
      end
      count(a, a.limits)
      count(a, route.limits)
      if route.capacity then occupy(route.capacity, a) end
      return { 'admitted', i - 1 }
    end
    least = math.min(least, later)
    if full and a.stays then return { 'closed', later } end
  end
  return { 'closed', least }
end
local answers = {}
for i, a in ipairs(cjson.decode(ARGV[1])) do answers[i] = ask(a) end
return answers`;

const withdrawScript = `${clock}
local a = cjson.decode(ARGV[1])
for _, name in ipairs(a.scopes) do redis.call('ZREM', runs(name), a.executionId) end
for _, name in ipairs(a.rates) do redis.call('ZREM', begun(name), a.mark) end
if redis.call('HGET', p .. ':probed', a.connection) == a.mark then
  redis.call('HDEL', p .. ':probes', a.connection)
  redis.call('HDEL', p .. ':probed', a.connection)
end
local c = capacityOf(a.capacity)
if not c then return end
redis.call('ZREM', runs(a.capacity), a.executionId)
if c.probe ~= a.mark then return end
c.untilMs = now
keep(a.capacity, c)`;

const reconcileScript = `${clock}
local key = runs(ARGV[1])
local open, missing = {}, {}
for _, id in ipairs(cjson.decode(ARGV[2])) do
  open[id] = true
  if not redis.call('ZSCORE', key, id) then table.insert(missing, id) end
end
for _, id in ipairs(redis.call('ZRANGE', key, '-inf', now - ARGV[3], 'BYSCORE')) do
  if not open[id] then redis.call('ZREM', key, id) end
end
if redis.call('ZCARD', key) == 0 then redis.call('SREM', p .. ':names', ARGV[1]) end
return missing`;

// Dated before the grace period: the database knows these runs, so the next reconciliation removes those that have
// ended.
const countScript = `${clock}
for _, id in ipairs(cjson.decode(ARGV[2])) do
  if not redis.call('ZSCORE', runs(ARGV[1]), id) then counted(ARGV[1], id, now - ARGV[3]) end
end`;

/** Calls are counted in buckets of a sixth of the window. */
const reportScript = `${clock}
local most, window, open = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local width = window / 6
local bucket = math.floor(now / width)
local function counts(connection, at) return p .. ':calls:' .. connection .. ':' .. at end
for _, c in ipairs(cjson.decode(ARGV[1])) do
  local till = tonumber(redis.call('HGET', p .. ':breakers', c.connection) or 0)
  if c.isDead and till <= now then
    redis.call('HSET', p .. ':breakers', c.connection, now + open)
    redis.call('HDEL', p .. ':probes', c.connection)
  elseif till > 0 then
    if now >= till and c.ok > 0 then
      redis.call('HDEL', p .. ':breakers', c.connection)
      for i = 0, 6 do redis.call('DEL', counts(c.connection, bucket - i)) end
    elseif now >= till and c.failed > 0 then
      redis.call('HSET', p .. ':breakers', c.connection, now + open)
    end
    if now >= till then redis.call('HDEL', p .. ':probes', c.connection) end
  else
    redis.call('HINCRBY', counts(c.connection, bucket), 'ok', c.ok)
    redis.call('HINCRBY', counts(c.connection, bucket), 'failed', c.failed)
    redis.call('PEXPIRE', counts(c.connection, bucket), window + width)
    local ok, failed = 0, 0
    for i = 0, 5 do
      local got = redis.call('HMGET', counts(c.connection, bucket - i), 'ok', 'failed')
      ok = ok + tonumber(got[1] or 0)
      failed = failed + tonumber(got[2] or 0)
    end
    if ok + failed >= most and failed * 2 >= ok + failed then
      redis.call('HSET', p .. ':breakers', c.connection, now + open)
    end
  end
end
return redis.call('HGETALL', p .. ':breakers')`;

// After a refusal a provider has room for the runs it has. It is retried when it asks for it, or after growing
// pauses; the interval until one more run is tried grows while that is refused.
const refusedScript = `${clock}
local a = cjson.decode(ARGV[1])
local c = capacityOf(a.name)
if a.open then
  for _, id in ipairs(a.open) do
    if not redis.call('ZSCORE', runs(a.name), id) then counted(a.name, id, now - a.graceMs) end
  end
end
if not a.mayHaveRun then redis.call('ZREM', runs(a.name), a.executionId) end
local others = math.max(1, redis.call('ZCARD', runs(a.name)))
c = c or { most = others, untilMs = 0, refusals = 0, stepMs = a.stepMs, grown = 0 }
if c.grown == 1 then c.stepMs = math.min(c.stepMs * 2, a.longestStepMs) end
if c.grown > 1 then c.stepMs = a.stepMs end
if now >= c.untilMs then c.refusals = c.refusals + 1 end
local pause = math.min(a.pauseMs * 2 ^ math.max(0, c.refusals - 1), a.longestPauseMs) * a.jitter
c.most, c.grown, c.wanted, c.probe = math.min(c.most, others), 0, false, nil
c.untilMs = math.max(c.untilMs, math.ceil(now + math.max(pause, a.retryAfterMs)))
c.growsMs, c.seenMs = now + c.stepMs, now
keep(a.name, c)
return { c.most, c.untilMs - now }`;

/** A capacity grows while it is used up without refusals, and is forgotten when unused for long. */
const capacitiesScript = `${clock}
local accepted, stepMs, forgottenMs = cjson.decode(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
for _, name in ipairs(accepted) do
  local c = capacityOf(name)
  if c then
    c.refusals = 0
    if c.wanted and now >= c.growsMs then
      c.most = c.most + math.max(1, math.floor(c.most / 4))
      c.grown, c.wanted = c.grown + 1, false
      c.growsMs = now + stepMs
    end
    keep(name, c)
  end
end
local known = {}
local all = redis.call('HGETALL', capacities)
for i = 1, #all, 2 do
  local c = cjson.decode(all[i + 1])
  if now - c.seenMs > forgottenMs then
    redis.call('HDEL', capacities, all[i])
  else
    table.insert(known, all[i])
    table.insert(known, c.most)
  end
end
return known`;

/** Runs at once under a name, over all dispatchers. */
export type ConcurrencyLimit = { name: string; most: number };
/** Runs started in any minute. */
export type RateLimit = { name: string; perMinute: number };

export type Limits = { scopes: ConcurrencyLimit[]; rates: RateLimit[] };

export type AdmissionRequest = {
  executionId: string;
  /** Unique to this request. */
  mark: string;
  /** Of its organization and model. */
  limits: Limits;
  /** Best first. `capacity`: the name of a learned capacity, if there is one. */
  routes: { connection: string; limits: Limits; capacity?: string }[];
  /** Whether to wait for the first available route instead of taking one with room. */
  stays: boolean;
};

export type Admission =
  /** Counted everywhere; `route` is an index. */
  | { kind: 'admitted'; route: number }
  /** Its organization or model is at its limit. */
  | { kind: 'full'; name: string; waitMs: number }
  /** Every route is full or its circuit open. */
  | { kind: 'closed'; waitMs: number }
  /** Already counted: another dispatcher runs it. */
  | { kind: 'taken' };

/** Open until (Unix ms by Redis's clock), then probed. */
export type Breakers = ReadonlyMap<string, number>;

/** `isDead`: it announced that it takes no runs; its breaker opens at once. */
export type CallCounts = { connection: string; ok: number; failed: number; isDead?: boolean };

export type CapacityRefusal = {
  name: string;
  executionId: string;
  retryAfterMs: number;
  /** It may have been accepted after all, and stays counted. */
  mayHaveRun: boolean;
  /** The provider's open runs by the database; only for an unknown capacity. */
  open?: string[];
  /** Spreads the pauses of several installations. */
  jitter: number;
};

export type OpenRuns = ReadonlyMap<string, ReadonlySet<string>>;

export type AdmissionControl = {
  admit(asks: AdmissionRequest[]): Promise<Admission[]>;
  /** Never throws: `reconcile` finds what was not released. */
  release(runs: { executionId: string; names: string[] }[]): Promise<void>;
  /** Undoes an admission that was not used, including its start and probe. Never throws. */
  withdraw(ask: AdmissionRequest, route: number): Promise<void>;
  /**
   * Stops counting runs that are not open. Returns open ones that are not counted; they may have ended since. @throws
   * while Redis is unavailable
   */
  reconcile(open: OpenRuns): Promise<OpenRuns>;
  count(open: OpenRuns): Promise<void>;
  /** Reports calls since the last report and returns open breakers. @throws while Redis is unavailable */
  report(calls: CallCounts[]): Promise<Breakers>;
  /** Records a refusal; returns the learned capacity and how long to wait. @throws while Redis is unavailable */
  refused(refusal: CapacityRefusal): Promise<{ most: number; waitMs: number }>;
  /** Reports names with accepted runs; returns learned capacities by name. @throws while Redis is unavailable */
  capacities(accepted: string[]): Promise<ReadonlyMap<string, number>>;
};

const prefix = '{holdfast-limits}';
const answerWithinMs = 2000;
/** Runs counted a moment ago may not be in the database yet. */
const graceMs = 15_000;

/** Opens when half of at least `calls` calls in the window failed. */
export const breaker = { calls: 10, windowMs: 60_000, openMs: 30_000, probeMs: 15_000 } as const;

// After a refusal a provider pauses for `pauseMs`, doubling. One more run (or a quarter of many) is tried after
// `stepMs`, doubling each time it is refused.
const learning = {
  pauseMs: 1000,
  longestPauseMs: 15_000,
  stepMs: 5000,
  longestStepMs: 300_000,
  /** Between two runs after a refusal. */
  probeMs: 1000,
  forgottenMs: 3_600_000,
} as const;

const runsOf = (name: string) => `${prefix}:runs:${name}`;

export function openAdmissionControl(redis: Redis): AdmissionControl {
  const ask = <Result>(what: string, work: Promise<unknown>) =>
    within(answerWithinMs, what, work) as Promise<Result>;
  return {
    async admit(asks) {
      type Answer = [string, number | string, number?];
      const answers = await ask<Answer[]>(
        'admitting runs',
        redis.eval(admitScript, 1, prefix, JSON.stringify(asks), breaker.probeMs, learning.probeMs),
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
        capacity: there?.capacity,
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
      return numbersByName(answer);
    },
    async refused(refusal) {
      const { pauseMs, longestPauseMs, stepMs, longestStepMs } = learning;
      const what = { ...refusal, pauseMs, longestPauseMs, stepMs, longestStepMs, graceMs };
      const [most = 1, waitMs = 0] = await ask<number[]>(
        'learning from a refusal',
        redis.eval(refusedScript, 1, prefix, JSON.stringify(what)),
      );
      return { most, waitMs };
    },
    async capacities(accepted) {
      const settings = [learning.stepMs, learning.forgottenMs];
      const answer = await ask<(string | number)[]>(
        'reading capacities',
        redis.eval(capacitiesScript, 1, prefix, JSON.stringify(accepted), ...settings),
      );
      return numbersByName(answer);
    },
  };
}

function numbersByName(answer: (string | number)[]): Map<string, number> {
  const pairs = Array.from({ length: answer.length / 2 }, (_, index) => index * 2);
  return new Map(pairs.map((at) => [String(answer[at] ?? ''), Number(answer[at + 1])]));
}

function toAdmission([kind, detail, waitMs = 0]: [string, number | string, number?]): Admission {
  if (kind === 'admitted') return { kind, route: Number(detail) };
  if (kind === 'full') return { kind, name: String(detail), waitMs };
  if (kind === 'closed') return { kind, waitMs: Number(detail) };
  return { kind: 'taken' };
}

/** Runs a command for one key, or `SCRIPT LOAD` on every master of a cluster. */
export async function callScripts(redis: Redis, command: string, args: string[]): Promise<unknown> {
  if (!('nodes' in redis) || command !== 'SCRIPT') return await redis.call(command, ...args);
  const answers = await Promise.all(redis.nodes('master').map((node) => node.call(command, ...args)));
  return answers[0];
}
