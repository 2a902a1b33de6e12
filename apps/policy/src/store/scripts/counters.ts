// The counters of a batch: each is read once, changed in memory and written once.
// kind W and P: a window; C: concurrency; R: a sliding minute.
// h, s: held and settled now; h_by, s_by: the part not written yet. there: the counter has fields.
// clock: the latest instant that the counter has seen. todo: further writes: ROLL, another window;
// N, a first incarnation; DEL, the counter is empty.

export const counters = `
local function window_of(key)
  local v = redis.call('HMGET', key, 'w', 'e', 's', 'h', 'g', 'n')
  return {
    key = key, kind = 'W', w = v[1], e = v[2], s = v[3], h = tonumber(v[4] or 0), g = v[5], n = v[6],
    there = v[4], clock = v[1] and tonumber(v[1]), h_by = 0, s_by = 0, todo = false,
  }
end

local function rate_at(key)
  local v = rate_of(key)
  return { key = key, kind = 'R', stored = v, n = v[3], clock = v[1] and start_of(tonumber(v[1])), rate = false }
end

local function concurrency_of(key)
  local v = redis.call('HMGET', key, 'h', 'n')
  return { key = key, kind = 'C', h = tonumber(v[1] or 0), n = v[2], there = v[1], h_by = 0, s_by = 0, todo = false }
end

local by_key = {}
local function counter_of(key, kind)
  local c = by_key[key]
  if c then return c end
  if kind == 'R' then c = rate_at(key) elseif kind == 'C' then c = concurrency_of(key) else c = window_of(key) end
  by_key[key] = c
  return c
end

local function write(c)
  if c.kind == 'R' then
    if c.rate then write_rate(c.rate) end
    return
  end
  if c.todo == 'ROLL' then
    redis.call('HSET', c.key, 'w', c.w, 'e', c.e, 's', '0', 'h', '0', 'g', c.g, 'n', c.n)
    keep_window(c.key, tonumber(c.e), millis())
  elseif c.todo == 'N' then
    redis.call('HSET', c.key, 'n', c.n)
  elseif c.todo == 'DEL' then
    redis.call('DEL', c.key)
  end
  if c.todo ~= 'ROLL' and c.e and (c.h_by ~= 0 or c.s_by ~= 0) and of_value(c.key) then
    keep_window(c.key, tonumber(c.e), millis())
  end
  if c.h_by ~= 0 then redis.call('HINCRBY', c.key, 'h', str(c.h_by)) end
  if c.s_by ~= 0 then redis.call('HINCRBY', c.key, 's', str(c.s_by)) end
  c.h_by, c.s_by, c.todo = 0, 0, false
end

-- Redis adds integers exactly; sums computed here must stay within a double's range.
local function within(sum) return math.abs(sum) <= 9007199254740991 end

local function add_held(c, amount)
  if not within(c.h_by + amount) then write(c) end
  c.h, c.h_by = c.h + amount, c.h_by + amount
end

local function add_settled(c, amount)
  if not within(c.s_by + amount) then write(c) end
  c.s, c.s_by = tonumber(c.s or 0) + amount, c.s_by + amount
end

-- The minute of a rate that ends now.
local function minute(c, now)
  local rate, present = c.rate, bucket_of(now)
  if rate then
    if rate.n and present < rate.last then present = rate.last end
    if present == rate.present then return rate end
    write_rate(rate)
    c.stored = rate_of(c.key)
  end
  c.rate = slide(c.key, now, c.stored)
  return c.rate
end
`;

/** How long after a refusal nothing of the counter is lent. */
const WANTED_MS = 1_000;

/** What floats have of counters that a request is refused for. A use: key, held (its field in floats), counter. */
export const lending = `
-- What floats have of a counter, one part per float.
local members
local function lent_parts(use)
  members = members or float_ids()
  local n, parts = use.counter.rate and use.counter.rate.n or use.counter.n, {}
  for _, id in ipairs(members) do
    local part = float_part(redis.call('HGET', key_at('f:', id), use.held))
    if part and part.n == n then parts[#parts + 1] = part end
  end
  return parts
end

-- Whether floats have free parts of refused counters: these are wanted back for a while, in which
-- nothing is lent.
local function wanted_back(uses, refused, now)
  local lent = false
  for _, i in ipairs(refused) do
    local use = uses[i]
    for _, part in ipairs(lent_parts(use)) do
      if part.free > 0 then
        redis.call('HSET', use.key, 'q', str(now + ${String(WANTED_MS)})) -- guard: wanted
        lent = true
      end
    end
  end
  return lent
end
`;
