import { within } from '@holdfast/kit/within';
import type { Redis } from './connection.ts';

// What the admission desk does in Redis, each in one piece.

// The clock is that of Redis, for those of the dispatchers may differ.
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

/**
 * A set of runs for each name, by when they began; a log of beginnings of the last minute for each rate; what was learned of
 * the capacity of providers. While a provider's last word is a refusal, one run after the other begins there.
 */
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

/** As of before the time of grace, for the database knows of them: one that has ended meanwhile goes at the next count. */
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

/**
 * A provider refused a run for want of capacity: it has room for those that it is at, as far as we know. It is asked again
 * when it says, or each time later; how long a limit stands before one more run is let in, too, grows while that is refused.
 */
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

/** Capacities grow while they are used up and nothing is refused, and are forgotten when nobody has met them for long. */
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

/** At most so many runs at once, counted under a name by all dispatchers together. */
export type ConcurrencyLimit = { name: string; most: number };
/** At most so many runs begun in any minute. */
export type RateLimit = { name: string; perMinute: number };

export type Limits = { scopes: ConcurrencyLimit[]; rates: RateLimit[] };

/** A run that asks to begin. */
export type AdmissionRequest = {
  executionId: string;
  /** Of this asking alone. */
  mark: string;
  /** Of its organization and model. */
  limits: Limits;
  /** Where it may go, the best first. `capacity`: the name under which something was learned of it, if anything was. */
  routes: { connection: string; limits: Limits; capacity?: string }[];
  /** Whether it waits for the first route that is not left alone, rather than go to one that has room. */
  stays: boolean;
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

/** `isDead`: it has said itself that it takes no runs, so its breaker opens at once. */
export type CallCounts = { connection: string; ok: number; failed: number; isDead?: boolean };

/** A run that a provider refused for want of capacity. */
export type CapacityRefusal = {
  /** Under which what is learned of the capacity is known. */
  name: string;
  executionId: string;
  /** How long the provider asks us to wait. */
  retryAfterMs: number;
  /** It may be at the provider all the same, and goes on being counted. */
  mayHaveRun: boolean;
  /** The runs there by the database, where nothing was known of the capacity. */
  open?: string[];
  /** What our own pauses are multiplied by, so that no two installations ask at once. */
  jitter: number;
};

/** Executions by the name under which they count. */
export type OpenRuns = ReadonlyMap<string, ReadonlySet<string>>;

export type AdmissionControl = {
  /** Who of these may begin, in order. @throws while Redis is away */
  admit(asks: AdmissionRequest[]): Promise<Admission[]>;
  /** These runs have ended, or wait again. Never throws: what is not let go of is found by `reconcile`. */
  release(runs: { executionId: string; names: string[] }[]): Promise<void>;
  /**
   * A run that was admitted to that route did not begin after all: nothing counts of it, no beginning and no probe. Never
   * throws, as `release`.
   */
  withdraw(ask: AdmissionRequest, route: number): Promise<void>;
  /**
   * Stops counting what is not under way; `open` is by name. Answers what of it is not counted, which may have ended since
   * it was looked up. @throws while Redis is away
   */
  reconcile(open: OpenRuns): Promise<OpenRuns>;
  /** Counts these runs too, by name. @throws while Redis is away */
  count(open: OpenRuns): Promise<void>;
  /** Tells of calls to providers since the last time, and learns whose breakers are open. @throws while Redis is away */
  report(calls: CallCounts[]): Promise<Breakers>;
  /**
   * Learns from a refusal: so many runs at once there is room for, and how long nobody is to be sent there. @throws while
   * Redis is away
   */
  refused(refusal: CapacityRefusal): Promise<{ most: number; waitMs: number }>;
  /**
   * Says under which names runs were accepted since the last time, and returns what is known of capacities: how many runs
   * at once by name. @throws while Redis is away
   */
  capacities(accepted: string[]): Promise<ReadonlyMap<string, number>>;
};

const prefix = '{holdfast-limits}';
const answerWithinMs = 2000;
/** What was counted lately may not be in the database yet. */
const graceMs = 15_000;

/** A breaker opens when half of at least so many calls of the last minute failed, and for so long. */
export const breaker = { calls: 10, windowMs: 60_000, openMs: 30_000, probeMs: 15_000 } as const;

/**
 * After a refusal a provider is left alone for `pauseMs`, then twice as long each time. `stepMs` after it, one more run is let
 * in (a quarter of many); twice as long each time that this was one too many.
 */
const learning = {
  pauseMs: 1000,
  longestPauseMs: 15_000,
  stepMs: 5000,
  longestStepMs: 300_000,
  /** Between two runs while the last word of a provider is a refusal. */
  probeMs: 1000,
  forgottenMs: 3_600_000,
} as const;

const runsOf = (name: string) => `${prefix}:runs:${name}`;

/** On a connection of `connectProducer`. */
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

/** Of an answer that lists names, each followed by its number. */
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

/**
 * Sends a command of one key, or `SCRIPT LOAD`, which in a cluster goes to every master: the key of the script's next
 * call may be at any of them.
 */
export async function callScripts(redis: Redis, command: string, args: string[]): Promise<unknown> {
  if (!('nodes' in redis) || command !== 'SCRIPT') return await redis.call(command, ...args);
  const answers = await Promise.all(redis.nodes('master').map((node) => node.call(command, ...args)));
  return answers[0];
}
