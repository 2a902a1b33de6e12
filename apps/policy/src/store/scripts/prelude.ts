import { VALUE_MARK } from '@tollgate/contracts';

// Lua that the shard scripts share. KEYS[1] is the shard's meta, ARGV[1] the caller's epoch,
// ARGV[2] the run id of the server that the caller is connected to.

/** Milliseconds by the server's own clock: the clocks of policies need not agree. */
export const SERVER_TIME = `local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)`;

/**
 * Buckets of a tenth of a second in a sliding minute. 60 seconds that end inside bucket B reach
 * back into bucket B − 600. With 601 buckets the count is never too low and at most a tenth of a
 * second too wide: a limit under constant load admits 60 / 60.1 of its amount.
 */
export const RATE_BUCKETS = 601;
export const RATE_BUCKET_MS = 100;
/** Buckets read at a time when looking for the one that makes room. */
const LOOK_AHEAD = 100;

/** A counter's clock that is further ahead of the server's, after a failover, is ignored. */
const SKEW_MS = 60_000;

/** How long a counter outlives its window. */
const COUNTER_KEPT_MS = 7 * 86_400_000;
/** How long a window's counter of one value outlives its end, and how long its last use: there may be very many. */
const VALUE_AFTER_MS = 3_600_000;
const VALUE_KEPT_MS = 25 * VALUE_AFTER_MS;
const VALUE_LEAST_MS = 60_000;
/**
 * A counter of a value that is missing this soon after the window's start was never there: it would have been kept
 * longer. Shorter than VALUE_KEPT_MS.
 */
const VALUE_FRESH_MS = 24 * VALUE_AFTER_MS;
/** How long an ended hold is remembered, at least. */
export const ENDED_KEPT_MS = 120_000;
/** Floats that one refusal or one seed looks at. */
const FLOATS_SEEN_MAX = 128;

export const prelude = (timeLua: string, endedKeptMs = ENDED_KEPT_MS): string => `
local ended_kept = ${String(endedKeptMs)}
local function millis()
  ${timeLua}
end

-- tostring() prints large numbers as 1e+14.
local function str(n) return string.format('%.0f', n) end

local function meta_of(...) return redis.call('HMGET', KEYS[1], ...) end

-- The part after {s<n>}:c: or {s<n>}:r: of a key; KEYS[1] is {s<n>}:meta.
local function id_in(key) return string.sub(key, #KEYS[1] - 1) end

-- Of another key of the shard.
local function key_at(kind, id) return string.sub(KEYS[1], 1, -5) .. kind .. id end

-- What a float has of a counter, as text: a hold's text, then the free part and the kind.
local function float_text(c)
  return c.n .. ' ' .. str(c.amount) .. ' ' .. c.from .. ' ' .. c.to .. ' ' .. str(c.free) .. ' ' .. c.kind
end

local function float_part(text)
  local n, amount, from, to, free, kind = string.match(text or '', '^(%d+) (%d+) (%d+) (%d+) (%d+) (%a)$')
  if not n then return nil end
  return { n = n, amount = tonumber(amount), from = from, to = to, free = tonumber(free), kind = kind }
end

local function float_ids()
  return redis.call('ZRANGE', key_at('floats', ''), '0', '${String(FLOATS_SEEN_MAX - 1)}')
end

local function rate_of(key) return redis.call('HMGET', key, 'l', 't', 'n', 'h') end

-- The bucket number of an instant, and the first instant of a bucket.
local function bucket_of(instant) return math.floor(instant / ${String(RATE_BUCKET_MS)}) end
local function start_of(bucket) return bucket * ${String(RATE_BUCKET_MS)} end

-- HGETALL as a table.
local function hash(key)
  local flat, map = redis.call('HGETALL', key), {}
  for i = 1, #flat, 2 do map[flat[i]] = flat[i + 1] end
  return map
end

-- What a hold added to a counter: the counter's incarnation at that time, the amount and the
-- window. The amount may be released only from the same incarnation.
local function held_text(incarnation, amount, from, to)
  return incarnation .. ' ' .. amount .. ' ' .. from .. ' ' .. to
end

local function held_in(text, incarnation)
  if not text or not incarnation then return 0 end
  local n, amount = string.match(text, '^(%d+) (%d+)')
  if n ~= incarnation then return 0 end -- guard: incarnation
  return tonumber(amount)
end

-- The counter starts anew: in another window, or from nothing.
local function incarnate() return str(redis.call('HINCRBY', KEYS[1], 'inc', '1')) end

-- Whether a counter is of one value of a limit: an end user, a session, a value of a tag.
local function of_value(key) return string.find(key, '${VALUE_MARK}', 1, true) ~= nil end

local function keep_window(key, window_end, now)
  if of_value(key) then
    local kept = math.min(window_end - now + ${String(VALUE_AFTER_MS)}, ${String(VALUE_KEPT_MS)})
    -- Not less: a key that expires while the script still writes to it would come back without its window.
    redis.call('PEXPIRE', key, str(math.max(kept, ${String(VALUE_LEAST_MS)})))
    return
  end
  redis.call('PEXPIRE', key, str(window_end - now + ${String(COUNTER_KEPT_MS)}))
end

-- After a failover the new server's clock may be behind the old one's decisions. Time as a counter
-- has seen it never goes back: a window that has begun stays begun.
local function seen(now, instant)
  if instant and instant > now and instant - now <= ${String(SKEW_MS)} then return instant end
  return now
end

-- Whether a missing counter of a value is zero: its window began after the shard's counters did, so that whatever counted
-- in it has created the counter, and it cannot have expired yet. The slack is for a clock that went back in between.
local function starts_at_zero(born, gen, from, now)
  local of, at = string.match(born or '', '^(%S+) (%d+)$')
  if of ~= gen then return false end -- guard: born of this generation
  if from < tonumber(at) + ${String(SKEW_MS)} then return false end -- guard: window after birth
  return now - from < ${String(VALUE_FRESH_MS)} -- guard: not expired
end

-- A sliding minute moved forward to now: its sum, what floats hold of it (h), and the buckets that
-- have left it. c holds the counter's last bucket, sum, incarnation and h. write_rate writes what is
-- added.
local function slide(key, now, c)
  local present = bucket_of(now)
  local last = tonumber(c[1] or present)
  if present < last then present = last end
  local rate = {
    key = key, n = c[3], present = present, last = last, sum = tonumber(c[2] or 0), left = {},
    h = tonumber(c[4] or 0),
    added = 0, filled = false, fresh = false, moved = false, buckets = false, deltas = false,
  }
  if present - last >= ${String(RATE_BUCKETS)} then
    rate.sum = 0
    if rate.h > 0 then
      -- Floats hold some of it: the incarnation stays, or they could not give it back.
      for s = 0, ${String(RATE_BUCKETS - 1)} do rate.left[#rate.left + 1] = 'b' .. s end
    else
      rate.n = false
    end
  elseif present > last then
    for s = last + 1, present do rate.left[#rate.left + 1] = 'b' .. (s % ${String(RATE_BUCKETS)}) end
    for _, b in ipairs(redis.call('HMGET', key, unpack(rate.left))) do
      rate.sum = rate.sum - tonumber(b or 0)
    end
  end
  return rate
end

-- When the whole limit is free again.
local function free_at(rate)
  if rate.sum <= 0 then return '0' end
  return str(start_of(rate.last + ${String(RATE_BUCKETS)}))
end

-- When the amount fits, if nothing more comes. Call after write_rate.
local function retry_at(rate, limit, amount)
  if amount > limit then return '0' end
  local sum, first = rate.sum + rate.h, rate.present - ${String(RATE_BUCKETS - 1)}
  while first <= rate.last do
    local names = {}
    for s = first, math.min(rate.last, first + ${String(LOOK_AHEAD - 1)}) do
      names[#names + 1] = 'b' .. (s % ${String(RATE_BUCKETS)})
    end
    for i, b in ipairs(redis.call('HMGET', rate.key, unpack(names))) do
      sum = sum - tonumber(b or 0)
      if sum + amount <= limit then return str(start_of(first + i - 1 + ${String(RATE_BUCKETS)})) end
    end
    first = first + ${String(LOOK_AHEAD)}
  end
  return '0'
end

-- Adds to the current bucket.
local function fill(rate, amount)
  if not rate.n then rate.n, rate.sum, rate.left, rate.fresh = incarnate(), 0, {}, true end
  rate.added, rate.sum, rate.filled = rate.added + amount, rate.sum + amount, true
  if rate.present > rate.last or rate.sum == amount then rate.moved = true end
  rate.last = rate.present
end

-- Whether a sliding minute still includes an instant.
local function counts(rate, at) return bucket_of(at) > rate.present - ${String(RATE_BUCKETS)} end

-- Corrects the bucket of an earlier instant while the minute still includes it.
local function correct(rate, at, delta)
  local of = bucket_of(at)
  if of <= rate.last - ${String(RATE_BUCKETS)} or of > rate.last or delta == 0 then return end
  rate.buckets, rate.deltas = rate.buckets or {}, rate.deltas or {}
  local present = rate.buckets[of]
  if not present then
    present = tonumber(redis.call('HGET', rate.key, 'b' .. (of % ${String(RATE_BUCKETS)})) or 0)
  end
  if present + delta < 0 then delta = -present end
  rate.buckets[of], rate.deltas[of] = present + delta, (rate.deltas[of] or 0) + delta
  rate.sum = rate.sum + delta
end

-- Of one rate either fill or correct has been called, never both.
local function write_rate(rate)
  local key = rate.key
  if rate.filled then
    if rate.fresh then
      redis.call('DEL', key)
    elseif #rate.left > 0 then
      redis.call('HDEL', key, unpack(rate.left))
    end
    redis.call('HINCRBY', key, 'b' .. (rate.present % ${String(RATE_BUCKETS)}), str(rate.added))
    redis.call('HSET', key, 'l', str(rate.present), 't', str(rate.sum), 'n', rate.n)
    if rate.moved then redis.call('PEXPIRE', key, '120000') end
    rate.left, rate.added, rate.filled, rate.fresh, rate.moved = {}, 0, false, false, false
  elseif rate.deltas then
    local sum = 0
    for of, delta in pairs(rate.deltas) do
      redis.call('HINCRBY', key, 'b' .. (of % ${String(RATE_BUCKETS)}), str(delta))
      sum = sum + delta
    end
    redis.call('HINCRBY', key, 't', str(sum))
    rate.deltas = false
  end
end
`;

/**
 * Refuses a caller of another epoch, and data other than those the shard was opened with. Leaves
 * the requested meta fields in `meta[4]` and on, and the generation of known counters in `gen`.
 */
export const epochCheck = (fields: string): string => `
local meta = meta_of('epoch', 'run', 'gen'${fields})
local epoch, gen = meta[1], meta[3]
if not epoch then return { 'EPOCH', '1', '' } end
if meta[2] ~= ARGV[2] then return { 'EPOCH', '1', epoch } end -- guard: server
if epoch ~= ARGV[1] then -- guard: epoch
  return { 'EPOCH', tonumber(ARGV[1]) > tonumber(epoch) and '1' or '0', epoch }
end
`;
