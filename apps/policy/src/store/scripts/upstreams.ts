// Breakers, cooldowns, latencies and turns of an organisation's models at their providers, as
// routed requests report them. No money is involved: no epoch guards them, and after a loss of data
// they are learned again.

// Fields of an upstream's hash:
//   st          O open, H half open; none: closed
//   un pb co    end of the open state, of the probe, of the cooldown
//   bk n f m e  current half window: number, attempts, failures; the same two of the half before
//   ls lu       mean time to first token (streams) and to the answer (others), microseconds
//   as au       when these means were last updated
//   ks ku       number of latencies in these means, at most 200

/** How long unused upstreams and turns are kept. */
const KEPT_MS = 86_400_000;
/** A mean older than this is ignored. */
const LATENCY_KEPT_MS = 600_000;
/** Returned turn numbers kept for later requests; beyond it the oldest are dropped. */
const RETURNED_MAX = 32;
/**
 * The weight of the newest latency in the mean: that of its time since the one before in this window, within
 * bounds. So the mean is that of some seconds where requests are many, and does not swing with each of them; where
 * they are rare it follows after a few.
 */
const MEAN_OVER_MS = 10_000;
const NEWEST_MOST = 0.2;
const NEWEST_LEAST = 0.005;

/**
 * A moved conversation is a member of a sorted set. Its score is the second until which it is remembered,
 * followed by 21 bits of its model's hash: below 2^53, and the first to end has the lowest.
 */
export const MODEL_BITS = 21;

/** What a script does beside reading; a try of it writes nothing. */
const writes = (dry: boolean, lua: string): string => (dry ? '' : lua);

const load = (dry = false): string => `
local function load(key, now, forget)
  local u = redis.call('HMGET', key, 'st', 'un', 'pb', 'co', 'bk', 'n', 'f', 'm', 'e')
  local h = { st = u[1], un = tonumber(u[2] or 0), pb = tonumber(u[3] or 0), co = tonumber(u[4] or 0),
    bk = tonumber(u[5] or 0), n = tonumber(u[6] or 0), f = tonumber(u[7] or 0),
    m = tonumber(u[8] or 0), e = tonumber(u[9] or 0) }
  -- A breaker that nobody has probed this long closes by itself.
  if h.st and now >= h.un + forget then
    h.st, h.un, h.pb, h.n, h.f, h.m, h.e = false, 0, 0, 0, 0, 0, 0
    ${writes(dry, "redis.call('HDEL', key, 'st', 'un', 'pb', 'n', 'f', 'm', 'e')")}
  end
  return h
end
`;

const TAKE_TURN = `if not number then
  number = str(redis.call('HINCRBY', KEYS[1], set, '1') - 1)
elseif rest == '' then
  redis.call('HDEL', KEYS[1], back)
else
  redis.call('HSET', KEYS[1], back, rest)
end
redis.call('PEXPIRE', KEYS[1], '${String(KEPT_MS)}')`;

const NEXT_TURN = `number = number or redis.call('HGET', KEYS[1], set) or '0'`;

// Sets `first` to the candidate that the conversation was moved to, if it is remembered.
const whereMoved = (dry: boolean): string => `
local score = tonumber(redis.call('ZSCORE', KEYS[#KEYS], conversation) or 0)
if score > 0 and released then
  ${writes(dry, "redis.call('ZREM', KEYS[#KEYS], conversation)")}
elseif math.floor(score / scale) * 1000 > now then
  for i = count + 1, 2, -1 do
    if tonumber(ARGV[i + 8 + count]) == score % scale then first = i end
  end
end
`;

const remember = `
local function remember(key, conversation, bits, now, kept_ms, most)
  local scale = 2 ^ ${String(MODEL_BITS)}
  local score = math.ceil((now + kept_ms) / 1000) * scale + tonumber(bits)
  if redis.call('ZADD', key, str(score), conversation) == 1 then
    redis.call('ZREMRANGEBYSCORE', key, '-inf', str(math.floor(now / 1000) * scale))
    redis.call('ZREMRANGEBYRANK', key, '0', str(-most - 1))
  end
  redis.call('PEXPIRE', key, str(kept_ms + 1000))
end
`;

// A conversation whose first candidate rests is moved to the first one that does not, and remembered. One
// that was moved stays, and is remembered for another while, until its candidate rests too.
const REMEMBER_MOVED = `
local stays = 0
if first > 0 and words[first] == 'C' then
  stays = first
elseif words[2] ~= 'C' and words[2] ~= 'P' then
  for i = count + 1, 3, -1 do if words[i] == 'C' then stays = i end end
end
if stays > 0 then
  remember(KEYS[#KEYS], conversation, ARGV[stays + 8 + count], now, kept_ms, tonumber(ARGV[9]))
elseif first > 0 then
  redis.call('ZREM', KEYS[#KEYS], conversation)
end
first = stays
`;

// KEYS: rotation of a key and policy, then one upstream per candidate, in the order to try, then, for a
// conversation, the moved ones of that key and policy.
// ARGV: strict, rotates, stream, probe ms, forget ms; the conversation (empty: none), how long a moved one
// is remembered, whether this one is released, how many are remembered; then per candidate its number in the
// policy; then per candidate the bits of its model.
// Strict: a breaker is probed only when no closed candidate precedes it.
const routeOf = (dry: boolean): string => `
${load(dry)}
${writes(dry, remember)}
local now, strict, rotates = millis(), ARGV[1] == '1', ARGV[2] == '1'
local stream, probe_ms, forget = ARGV[3] == '1', tonumber(ARGV[4]), tonumber(ARGV[5])
local conversation, kept_ms, released = ARGV[6], tonumber(ARGV[7]), ARGV[8] == '1'
local scale = 2 ^ ${String(MODEL_BITS)}
local count = #KEYS - (conversation == '' and 1 or 2)
local found, words, closed, mask, granted, first = {}, {}, 0, 0, false, 0
if conversation ~= '' then
  ${whereMoved(dry)}
end
local function visit(i)
  local h = load(KEYS[i], now, forget)
  local word, till = 'C', 0
  if h.co > now then
    word, till = 'W', h.co
  elseif h.st and (now < h.un or (strict and closed > 0)) then
    word, till = 'O', now < h.un and h.un or h.un + forget
  elseif h.st and (granted or h.pb > now) then
    word, till = 'B', h.pb > now and h.pb or now + probe_ms
  elseif h.st then
    word, till, granted = 'P', now + probe_ms, true
    ${writes(dry, "redis.call('HSET', KEYS[i], 'st', 'H', 'pb', str(till))")}
  else
    closed, mask = closed + 1, mask + 2 ^ tonumber(ARGV[i + 8])
  end
  local mean = redis.call('HMGET', KEYS[i], stream and 'ls' or 'lu', stream and 'as' or 'au', stream and 'ks' or 'ku')
  local fresh = mean[1] and now - tonumber(mean[2]) < ${String(LATENCY_KEPT_MS)}
  local at = (i - 2) * 4
  words[i], found[at + 1], found[at + 2], found[at + 3] = word, word, str(till), fresh and mean[1] or '-1'
  found[at + 4] = mean[3] or '0'
end
-- Where the conversation is comes first, so that it probes no breaker of its former place.
if first > 0 then visit(first) end
for i = 2, count + 1 do if i ~= first then visit(i) end end
if conversation ~= '' then
  ${writes(dry, REMEMBER_MOVED)}
end
local moved = str(first - 2)
if not rotates or granted or closed < 2 then return { 'ROUTED', str(now), '', '-1', found, moved } end
-- Each set of candidates has its own turn counter, so that every member gets its share.
local set, back = str(mask), 'r' .. str(mask)
local number, rest = string.match(redis.call('HGET', KEYS[1], back) or '', '^(%d+),?(.*)$')
${dry ? NEXT_TURN : TAKE_TURN}
return { 'ROUTED', str(now), set, number, found, moved }
`;

export const route = routeOf(false);

/** Routes like route, and takes neither a turn nor a probe; Redis refuses any write of it. */
export const tryRoute = routeOf(true);

// A routed request did not go ahead: its turn and its probe become available to others.
// KEYS: rotation, if it has a turn; the upstream that it was to probe, if any.
// ARGV: set, number (both empty: no turn), end of the probe (empty: none).
export const unroute = `
if ARGV[2] ~= '' then
  local back = 'r' .. ARGV[1]
  local kept = redis.call('HGET', KEYS[1], back)
  local list = kept and (kept .. ',' .. ARGV[2]) or ARGV[2]
  local _, commas = string.gsub(list, ',', ',')
  if commas >= ${String(RETURNED_MAX)} then list = string.match(list, ',(.*)$') end
  redis.call('HSET', KEYS[1], back, list)
  redis.call('PEXPIRE', KEYS[1], '${String(KEPT_MS)}')
end
local probed = KEYS[#KEYS]
if ARGV[3] ~= '' and redis.call('HGET', probed, 'pb') == ARGV[3] then redis.call('HDEL', probed, 'pb') end
return { 'RETURNED' }
`;

// Records the end of one attempt.  KEYS: the upstream; the moved conversations of a key and policy, if the
// attempt moves one.
// ARGV: verdict (S success, F failure, N neither), probe, wait ms, stream, latency in microseconds
// (-1: none), then the breaker's figures: window ms, least failures, percent, open ms, forget ms,
// most wait ms; whether the attempt was counted before; the conversation that it moves (empty: none), how long
// that is remembered (0: it is forgotten), how many are, the bits of the model.
export const attempted = `
${load()}
${remember}
local now, verdict, probe = millis(), ARGV[1], ARGV[2] == '1'
local wait, stream, latency = tonumber(ARGV[3]), ARGV[4] == '1', tonumber(ARGV[5])
local half, least, percent = tonumber(ARGV[6]) / 2, tonumber(ARGV[7]), tonumber(ARGV[8])
local h = load(KEYS[1], now, tonumber(ARGV[10]))
local changed = false

local bucket = math.floor(now / half)
if bucket == h.bk + 1 then
  h.bk, h.m, h.e, h.n, h.f = bucket, h.n, h.f, 0, 0
elseif bucket > h.bk then
  h.bk, h.m, h.e, h.n, h.f = bucket, 0, 0, 0, 0
end
if verdict ~= 'N' and ARGV[12] == '0' then h.n = h.n + 1 end
if verdict == 'F' then h.f = h.f + 1 end

-- What comes back is measured anew: its mean is from before it failed.
if h.st and probe and verdict == 'S' then
  redis.call('HDEL', KEYS[1], 'ls', 'lu', 'as', 'au', 'ks', 'ku')
end
if latency >= 0 and verdict == 'S' then
  local mean_field, at_field = stream and 'ls' or 'lu', stream and 'as' or 'au'
  local count_field = stream and 'ks' or 'ku'
  local mean = redis.call('HMGET', KEYS[1], mean_field, at_field, count_field)
  local old, since, count = tonumber(mean[1] or 0), now - tonumber(mean[2] or 0), tonumber(mean[3] or 0)
  if not mean[1] or since >= ${String(LATENCY_KEPT_MS)} then old, count = latency, 0 end
  local weight = math.min(${String(NEWEST_MOST)}, since / ${String(MEAN_OVER_MS)})
  -- The first ones weigh alike: one slow answer of a new candidate does not keep requests away from it.
  weight = math.max(weight, ${String(NEWEST_LEAST)}, 1 / (count + 1))
  redis.call('HSET', KEYS[1], mean_field, str(old + (latency - old) * weight), at_field, str(now),
    count_field, str(math.min(count + 1, ${String(1 / NEWEST_LEAST)})))
end

if wait > 0 then
  local till = now + math.min(wait, tonumber(ARGV[11]))
  if h.co <= now then changed = true end
  if till > h.co then h.co = till end
end

if h.st then
  -- Attempts that began before it opened are ignored; only the probe counts.
  if probe and verdict == 'S' then
    h.st, h.un, h.pb, h.n, h.f, h.m, h.e, changed = false, 0, 0, 0, 0, 0, 0, true
  elseif probe and verdict == 'F' then
    h.st, h.un, h.pb, changed = 'O', now + tonumber(ARGV[9]), 0, true
  elseif probe then
    h.pb = 0
  end
elseif verdict == 'F' and h.f + h.e >= least and (h.f + h.e) * 100 >= percent * (h.n + h.m) then
  h.st, h.un, h.pb, changed = 'O', now + tonumber(ARGV[9]), 0, true
end

redis.call('HSET', KEYS[1], 'un', str(h.un), 'pb', str(h.pb), 'co', str(h.co), 'bk', str(h.bk),
  'n', str(h.n), 'f', str(h.f), 'm', str(h.m), 'e', str(h.e))
if h.st then redis.call('HSET', KEYS[1], 'st', h.st) else redis.call('HDEL', KEYS[1], 'st') end
redis.call('PEXPIRE', KEYS[1], '${String(KEPT_MS)}')
if ARGV[13] ~= '' and ARGV[14] == '0' then
  redis.call('ZREM', KEYS[2], ARGV[13])
elseif ARGV[13] ~= '' and verdict == 'S' then
  remember(KEYS[2], ARGV[13], ARGV[16], now, tonumber(ARGV[14]), tonumber(ARGV[15]))
end
return { 'NOTED', changed and '1' or '0', h.st or 'C', str(now), str(h.un), h.co > now and str(h.co) or '0',
  str(h.n + h.m), str(h.f + h.e) }
`;
