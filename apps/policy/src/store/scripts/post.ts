import { floatEntries } from './float-entries';
import { epochCheck } from './prelude';

/** A float whose lease ended this long ago takes no more posts. */
const OLD_LEASE_MS = 60_000;
/** The part of a limit, 1 / n, that is never lent. */
const RESERVE = 10;

// What a policy reports of its float, and what it asks of it. All or nothing: everything is checked
// before the first write.
// KEYS: meta, floats, leases, ledger, ended, the float, its journal, counter…, then the hold of each
// end, of each new journal entry and of each hold to keep.
// ARGV: epoch, run id, not-after, float, batch number, float lease ms, lease ms of kept holds,
// ledger max, last (nothing is left); numbers of counters, ends, journal entries, holds to keep and
// entries to strike.
// Per counter: kind, window start, window end, limit, whether the policy has a float of it; spent;
// kept; need (the parts that live), keep (what the policy goes on using, at least need), want; the
// number of corrections of a rate, and of each instant and difference.
// Per end: mode, authorised at, usage, dimensions, counters as text, payload, and the places of these
// counters above. Per journal entry and per hold to keep: the entry. Per strike: the request.
// It never rolls or seeds a window. A rate's spend goes into the present bucket, which is later than
// the use and so never too early.
// Answer, as text: now, undrained; numbers of the ends; per counter: settled, held, incarnation
// ('-': none), target, wanted.
export const post = `
${epochCheck(", 'seq', 'booked', 'closed'")}
local now = millis()
if now > tonumber(ARGV[3]) then return { 'LATE', str(now) } end -- guard: post late
local batch, C, E, J, K = tonumber(ARGV[5]), tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[13])
local asked = { 'b', 'lease', 'st' }
for i = 1, C do asked[i + 3] = 'h:' .. id_in(KEYS[7 + i]) end
local record = redis.call('HMGET', KEYS[6], unpack(asked))
local last = tonumber(record[1] or 0)
if record[3] == 'X' then return { 'GONE' } end -- guard: reclaiming
if record[1] and now - tonumber(record[2]) > ${String(OLD_LEASE_MS)} then return { 'GONE' } end -- guard: old lease
if record[1] and batch == last then return { 'AGAIN', redis.call('HGET', KEYS[6], 'ans') } end -- guard: batch number
if batch < last then return { 'OLD' } end
if batch > last + 1 then return { 'GONE' } end -- guard: float gone
local holds = 7 + C
if #KEYS > holds and redis.call('EXISTS', unpack(KEYS, holds + 1)) > 0 then -- guard: elsewhere
  local ids = {}
  for k = holds + 1, #KEYS do
    if redis.call('EXISTS', KEYS[k]) == 1 then ids[#ids + 1] = id_in(KEYS[k]) end
  end
  return { 'ELSE', ids }
end

${floatEntries}
-- Everything is read and checked.
local a, uses, by_window = 15, {}, {}
for i = 1, C do
  local key = KEYS[7 + i]
  local use = {
    key = key, id = id_in(key), kind = ARGV[a], from = ARGV[a + 1], to = ARGV[a + 2], limit = tonumber(ARGV[a + 3]),
    has = ARGV[a + 4] == '1', spent = tonumber(ARGV[a + 5]), kept = tonumber(ARGV[a + 6]),
    need = tonumber(ARGV[a + 7]), keep = tonumber(ARGV[a + 8]), want = tonumber(ARGV[a + 9]), fixes = {},
  }
  for f = 1, tonumber(ARGV[a + 10]) do
    use.fixes[f] = { at = tonumber(ARGV[a + 9 + f * 2]), by = tonumber(ARGV[a + 10 + f * 2]) }
  end
  a = a + 11 + 2 * #use.fixes
  if use.kind == 'R' then
    use.rate = slide(key, now, rate_of(key))
    use.n, use.s, use.h, use.same, use.warm = use.rate.n, use.rate.sum, use.rate.h, true, true
  elseif use.kind == 'C' then
    local v = redis.call('HMGET', key, 'h', 'n')
    use.n, use.s, use.h, use.same, use.warm = v[2], 0, tonumber(v[1] or 0), true, true
  else
    local v = redis.call('HMGET', key, 'w', 'e', 's', 'h', 'g', 'n')
    use.n, use.h = v[6], tonumber(v[4] or 0)
    use.same = v[1] == use.from and v[2] == use.to
    use.warm = use.same and v[3] and v[5] == gen
    use.s = use.warm and tonumber(v[3]) or 0
  end
  use.q = tonumber(redis.call('HGET', key, 'q') or 0)
  local part = float_part(record[3 + i])
  use.other = part and (part.from ~= use.from or part.to ~= use.to) and part
  use.part = part and not use.other and part
  use.own = use.part and use.n == use.part.n -- guard: float incarnation
  use.cur = use.own and use.part.amount or 0
  if use.need > use.keep or (use.own and use.keep + use.kept > use.cur) then error('a float is smaller than its parts') end
  uses[i], by_window[use.id .. ' ' .. use.from .. ' ' .. use.to] = use, use
end
local ends, rows, keeps = {}, {}, {}
for i = 1, E do
  ends[i] = { key = KEYS[holds + i], mode = ARGV[a], at = ARGV[a + 1], usage = ARGV[a + 2], dimensions = ARGV[a + 3],
    counters = ARGV[a + 4], payload = ARGV[a + 5], places = {} }
  for place in string.gmatch(ARGV[a + 6], '%d+') do
    ends[i].places[#ends[i].places + 1] = uses[tonumber(place)] or error('an end names no counter')
  end
  a = a + 7
end
for i = 1, J do
  entry_of(ARGV[a])
  rows[2 * i - 1], rows[2 * i] = id_in(KEYS[holds + E + i]), ARGV[a]
  a = a + 1
end
for i = 1, K do
  keeps[i] = entry_of(ARGV[a])
  for _, c in ipairs(keeps[i].counters) do
    c.use = by_window[c.id .. ' ' .. c.from .. ' ' .. c.to] or error('a hold to keep names no counter')
  end
  a = a + 1
end

local undrained = tonumber(meta[4]) - tonumber(meta[5])
local lends = now >= tonumber(meta[6]) -- guard: float grace
if undrained >= tonumber(ARGV[8]) / 2 then lends = false end -- guard: half full
local told, fields, dropped = {}, {}, {}
for _, use in ipairs(uses) do
  use.charged = use.same and use.warm -- guard: post creates nothing
  if use.charged and use.kind ~= 'C' then use.s = use.s + use.spent end
  local base, target = use.has and use.keep or 0, 0
  local fresh = not use.has and not use.part
  if use.other and tonumber(use.other.to) > now then fresh = false end -- guard: one window
  if use.own or fresh then
    target = math.min(use.want, base)
    if use.want > base and lends and use.charged and use.kind ~= 'P'
      and (use.from == '0' or (now >= tonumber(use.from) and now < tonumber(use.to))) -- guard: float window
      and now >= use.q -- guard: wanted back
      and use.s + use.h + use.want - use.cur + use.kept <= use.limit - math.ceil(use.limit / ${String(RESERVE)}) -- guard: reserve
    then
      target = use.want
    end
  end
  if use.kind == 'R' then
    if use.spent > 0 or (target > 0 and not use.n) then
      fill(use.rate, use.spent)
      write_rate(use.rate)
      use.n = use.rate.n
    end
    if #use.fixes > 0 then
      local rate = slide(use.key, now, rate_of(use.key))
      for _, fix in ipairs(use.fixes) do
        if rate.n and counts(rate, fix.at) then correct(rate, fix.at, fix.by) end
      end
      write_rate(rate)
      use.s = rate.sum
    end
    if target > 0 then redis.call('PEXPIRE', use.key, '120000') end
  elseif use.kind == 'C' then
    if target > 0 and not use.n then
      use.n = incarnate()
      redis.call('HSET', use.key, 'n', use.n)
    end
  elseif use.charged and use.spent > 0 then
    redis.call('HINCRBY', use.key, 's', str(use.spent))
  end
  local by = 0
  if use.own or target > 0 then by = target - use.cur + use.kept end
  if by ~= 0 then
    redis.call('HINCRBY', use.key, 'h', str(by))
    use.h = use.h + by
    if use.kind == 'C' and use.h <= 0 then redis.call('DEL', use.key) end
  end
  local field, rest = 'h:' .. use.id, nil
  if target > 0 then
    rest = { n = use.n, amount = target, from = use.from, to = use.to, free = target - use.need, kind = use.kind }
  elseif use.part and not use.own and use.need > 0 and tonumber(use.to) > now then
    rest = { n = use.part.n, amount = use.need, from = use.from, to = use.to, free = 0, kind = use.kind }
  end
  if rest then
    fields[#fields + 1] = field
    fields[#fields + 1] = float_text(rest)
  elseif use.part then
    dropped[#dropped + 1] = field
  end
  local void = target == 0 and not use.own and use.has
  told[#told + 1] = (use.warm and str(use.s) or '-') .. ' ' .. str(use.h) .. ' '
    .. ((void or not use.n or not use.same) and '-' or use.n) .. ' ' .. str(target) .. ' ' .. (now < use.q and '1' or '0')
end

local seq, numbers, strikes, present = tonumber(meta[4]), {}, {}, str(now)
for i, e in ipairs(ends) do
  local rid, number = id_in(e.key), '0'
  if e.mode ~= 'CANCELLED' then
    seq = seq + 1
    number = str(seq)
    local touched = {}
    for p, use in ipairs(e.places) do touched[p] = use.charged and '1' or '0' end
    redis.call('XADD', KEYS[4], number .. '-0', 'r', rid, 'm', e.mode, 'l', '0', 'at', e.at, 'ct', present, 'u', e.usage,
      'd', e.dimensions, 'c', e.counters, 'x', table.concat(touched), 'p', e.payload)
  end
  redis.call('HSET', e.key, 'st', e.mode, 'at', e.at, 'lease', '0', 'end', present, 'seq', number)
  redis.call('PEXPIRE', e.key, str(ended_kept))
  if e.mode ~= 'SETTLED' then
    redis.call('ZADD', KEYS[5], present, rid)
    redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', str(now - ended_kept))
  end
  strikes[#strikes + 1], numbers[i] = rid, number
end
if seq > tonumber(meta[4]) then redis.call('HSET', KEYS[1], 'seq', str(seq)) end
local lease = str(now + tonumber(ARGV[7]))
for i, entry in ipairs(keeps) do
  local key = KEYS[holds + E + J + i]
  for _, c in ipairs(entry.counters) do
    c.n = c.use.part and c.use.part.n or (c.kind == 'R' and c.use.n) or nil
  end
  hold_of(key, entry, lease)
  strikes[#strikes + 1] = id_in(key)
end
for i = 1, tonumber(ARGV[14]) do strikes[#strikes + 1] = ARGV[a + i - 1] end
if #strikes > 0 then redis.call('HDEL', KEYS[7], unpack(strikes)) end -- guard: strikes

local answer = present .. ' ' .. str(seq - tonumber(meta[5])) .. ';' .. table.concat(numbers, ' ') .. ';' .. table.concat(told, '|')
if ARGV[9] == '1' then
  redis.call('DEL', KEYS[6], KEYS[7])
  redis.call('ZREM', KEYS[2], ARGV[4])
  return { 'POSTED', answer }
end
if #rows > 0 then redis.call('HSET', KEYS[7], unpack(rows)) end
if #dropped > 0 then redis.call('HDEL', KEYS[6], unpack(dropped)) end
local until_ms = str(now + tonumber(ARGV[6]))
redis.call('HSET', KEYS[6], 'b', ARGV[5], 'lease', until_ms, 'ans', answer, unpack(fields))
redis.call('ZADD', KEYS[2], until_ms, ARGV[4])
return { 'POSTED', answer }
`;
