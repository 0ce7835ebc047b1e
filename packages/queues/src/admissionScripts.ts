// The Lua scripts of admission control. Each runs atomically in Redis; `KEYS[1]` is the prefix of all keys.

// A key that something else has written (WRONGTYPE) is noted and left alone: every dispatcher uses the same other key instead.
const keys = `
local p = KEYS[1]
local function own(name, kind)
  local key = p .. ':' .. name
  local found = redis.call('TYPE', key).ok
  if found == 'none' or found == kind then return key end
  redis.pcall('HSET', p .. ':foreign', key, kind)
  return key .. ':' .. kind
end
local names, breakers = own('names', 'set'), own('breakers', 'hash')
local function runs(name) return own('runs:' .. name, 'zset') end`;

// Redis's clock: those of dispatchers may differ.
const clock = `${keys}
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local day = 90000000
local capacities, probes, probed = own('capacity', 'hash'), own('probes', 'hash'), own('probed', 'hash')
local function capacityOf(name)
  local known = name and redis.call('HGET', capacities, name)
  return known and cjson.decode(known)
end
local function keep(name, capacity) redis.call('HSET', capacities, name, cjson.encode(capacity)) end
local function begun(name) return own('begun:' .. name, 'zset') end
local function waiting(name, queue) return own('waiting:' .. name .. ':' .. queue, 'zset') end
local function counted(name, id, since)
  redis.call('SADD', names, name)
  redis.call('ZADD', runs(name), since, id)
  redis.call('PEXPIRE', runs(name), day)
end`;

// Keeps for each name its runs by start, for each rate the last minute's starts. A refused provider gets one at a time.
export const admitScript = `${clock}
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
  local till = tonumber(redis.call('HGET', breakers, connection) or 0)
  if till == 0 then return 0 end
  if till > now then return till - now end
  local probe = tonumber(redis.call('HGET', probes, connection) or 0)
  if probe > now then return math.min(500, probe - now) end
  return -1
end
local function crowded(name, a)
  local c = capacityOf(name)
  if not c then return end
  if c.untilMs > now then return c.untilMs - now end
  if redis.call('ZCARD', runs(name)) >= c.most then
    c.wanted, c.seenMs = true, now
    keep(name, c)
    return 100
  end
  local left = c.untilMs + ARGV[4] - now
  if left <= 0 then return end
  local oldest = redis.call('ZRANGE', waiting(name, a.queue), 0, 0)[1]
  if oldest and oldest < a.executionId then return left end
end
local function occupy(name, a)
  local c = capacityOf(name)
  if not c then return end
  counted(name, a.executionId, now)
  -- Older ones had their time.
  redis.call('ZREMRANGEBYLEX', waiting(name, a.queue), '-', '[' .. a.executionId)
  if c.refusals == 0 then return end
  c.untilMs, c.probe, c.probing = now + ARGV[3], a.mark, a.executionId
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
      local wait = crowded(route.capacity, a)
      if wait then full, later = true, wait end
    end
    if left <= 0 and not full then
      if left < 0 then
        redis.call('HSET', probes, route.connection, now + ARGV[2])
        redis.call('HSET', probed, route.connection, a.mark)
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
local results = {}
for i, a in ipairs(cjson.decode(ARGV[1])) do results[i] = ask(a) end
return results`;

export const releaseScript = `${keys}
for name, ids in pairs(cjson.decode(ARGV[1])) do redis.call('ZREM', runs(name), unpack(ids)) end`;

export const namesScript = `${keys}
return redis.call('SMEMBERS', names)`;

export const circuitsScript = `${keys}
return redis.call('HGETALL', breakers)`;

export const withdrawScript = `${clock}
local a = cjson.decode(ARGV[1])
for _, name in ipairs(a.scopes) do redis.call('ZREM', runs(name), a.executionId) end
for _, name in ipairs(a.rates) do redis.call('ZREM', begun(name), a.mark) end
if redis.call('HGET', probed, a.connection) == a.mark then
  redis.call('HDEL', probes, a.connection)
  redis.call('HDEL', probed, a.connection)
end
local c = capacityOf(a.capacity)
if not c then return end
redis.call('ZREM', runs(a.capacity), a.executionId)
if c.probe ~= a.mark then return end
c.untilMs = now
keep(a.capacity, c)`;

export const reconcileScript = `${clock}
local key = runs(ARGV[1])
local open, missing = {}, {}
for _, id in ipairs(cjson.decode(ARGV[2])) do
  open[id] = true
  if not redis.call('ZSCORE', key, id) then table.insert(missing, id) end
end
for _, id in ipairs(redis.call('ZRANGE', key, '-inf', now - ARGV[3], 'BYSCORE')) do
  if not open[id] then redis.call('ZREM', key, id) end
end
if redis.call('ZCARD', key) == 0 then redis.call('SREM', names, ARGV[1]) end
return missing`;

// Dated before the grace period, so that the next reconciliation removes what has ended.
export const countScript = `${clock}
for _, id in ipairs(cjson.decode(ARGV[2])) do
  if not redis.call('ZSCORE', runs(ARGV[1]), id) then counted(ARGV[1], id, now - ARGV[3]) end
end`;

export const reportScript = `${clock}
local most, window, open = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local width = window / 6
local bucket = math.floor(now / width)
local function counts(connection, at) return own('calls:' .. connection .. ':' .. at, 'hash') end
for _, c in ipairs(cjson.decode(ARGV[1])) do
  local till = tonumber(redis.call('HGET', breakers, c.connection) or 0)
  if c.isDead and till <= now then
    redis.call('HSET', breakers, c.connection, now + open)
    redis.call('HDEL', probes, c.connection)
  elseif till > 0 then
    if now >= till and c.ok > 0 then
      redis.call('HDEL', breakers, c.connection)
      for i = 0, 6 do redis.call('DEL', counts(c.connection, bucket - i)) end
    elseif now >= till and c.failed > 0 then
      redis.call('HSET', breakers, c.connection, now + open)
    end
    if now >= till then redis.call('HDEL', probes, c.connection) end
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
      redis.call('HSET', breakers, c.connection, now + open)
    end
  end
end
return redis.call('HGETALL', breakers)`;

// After a refusal a provider has room for the runs it has. It is retried when it asks for it, or after growing pauses, first
// with the oldest of the refused executions: younger ones of its organization and priority leave it some time to come.
export const refusedScript = `${clock}
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
if now >= c.untilMs or c.probing == a.executionId then c.refusals = c.refusals + 1 end
local pause = math.min(a.pauseMs * 2 ^ math.max(0, c.refusals - 1), a.longestPauseMs) * a.jitter
c.most, c.grown, c.wanted, c.probe, c.probing = math.min(c.most, others), 0, false, nil, nil
c.untilMs = math.max(c.untilMs, math.ceil(now + math.max(pause, a.retryAfterMs)))
c.growsMs, c.seenMs = now + c.stepMs, now
keep(a.name, c)
if not a.mayHaveRun then
  -- Scores are equal, so the ids are in order.
  redis.call('ZADD', waiting(a.name, a.queue), 0, a.executionId)
  redis.call('PEXPIRE', waiting(a.name, a.queue), c.untilMs - now + a.forgottenMs)
end
return { c.most, c.untilMs - now }`;

/** A capacity grows while it is used up without refusals, and is forgotten when unused for long. */
export const capacitiesScript = `${clock}
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
