import { epochCheck } from './prelude';

// Takes every hold of a request, or none.
// KEYS: meta, hold, leases, counter…
// ARGV: epoch, run, not-after, lease ms, ledger max, token, attempt, then per counter:
//       kind, soft, window start, window end, limit, amount.
// A refusal of a hard limit comes before coldness: what is known to be spent needs no seed. The
// numbers go back as strings, two per counter (settled, held), three for a rate (sum, free, retry).
export const authorize = `
${epochCheck(", 'seq', 'booked', 'closed'")}
local now = millis()
if now > tonumber(ARGV[3]) then return { 'LATE', str(now) } end -- guard: late

local hold = redis.call('HMGET', KEYS[2], 'st', 'token', 'at', 'lease')
if hold[1] and hold[1] ~= 'HELD' then return { 'ENDED', hold[1] } end
local already = hold[1] == 'HELD'
if not already then
  if now < tonumber(meta[6]) then return { 'CLOSED', meta[6], str(now) } end -- guard: grace
  local undrained = tonumber(meta[4]) - tonumber(meta[5])
  if undrained > tonumber(ARGV[5]) then return { 'LEDGER_FULL', str(undrained) } end -- guard: ledger full
end

local n, counters = #KEYS - 3, {}
for i = 1, n do
  local key, kind = KEYS[i + 3], ARGV[i * 6 + 2]
  local c
  if kind == 'W' or kind == 'P' then
    c = redis.call('HMGET', key, 'w', 'e', 's', 'h', 'g', 'n')
    now = seen(now, tonumber(c[1])) -- guard: clock back
  elseif kind == 'C' then
    c = redis.call('HMGET', key, 'h', 'n')
  else
    c = rate_of(key)
    now = seen(now, c[1] and start_of(tonumber(c[1])))
  end
  counters[i] = c
end

local refused, cold, soft, states = {}, {}, {}, {}
for i = 1, n do
  local a = i * 6 + 2
  local kind, c, key = ARGV[a], counters[i], KEYS[i + 3]
  local limit, amount = tonumber(ARGV[a + 4]), tonumber(ARGV[a + 5])
  local passed = false
  if kind == 'W' or kind == 'P' then
    local from, to = tonumber(ARGV[a + 2]), tonumber(ARGV[a + 3])
    if not already and (now < from or now >= to) then return { 'CLOCK', str(now) } end -- guard: clock
    local known = c[3] and c[5] == gen -- guard: cold
    if c[1] == ARGV[a + 2] and c[2] == ARGV[a + 3] then
      c.s, c.h = c[3], tonumber(c[4] or 0)
    elseif known and tonumber(c[2]) <= from then
      c.s, c.h, c.roll = '0', 0, true
    else
      known, c.h = false, 0
    end
    if not known then
      c.s = ''
      cold[#cold + 1] = i
    elseif kind == 'P' then
      passed = tonumber(c.s) >= limit
    else
      passed = tonumber(c.s) + c.h + amount > limit
    end
  elseif kind == 'C' then
    c.s, c.h = '0', tonumber(c[1] or 0)
    passed = c.h + amount > limit
  else
    c.rate = slide(key, now, c)
    passed = c.rate.sum + amount > limit
  end
  if passed then
    if ARGV[a + 1] == '1' then soft[#soft + 1] = i else refused[#refused + 1] = i end
  end
  c.passed = passed
end

local grant = not already and #refused == 0 and #cold == 0
local lease = already and hold[4] or str(now + tonumber(ARGV[4]))
local record = { 'st', 'HELD', 'at', str(now), 'lease', lease, 'token', ARGV[6], 'step', '0', 'ep', epoch, 'by', ARGV[7] }
for i = 1, n do
  local a = i * 6 + 2
  local c, key, amount = counters[i], KEYS[i + 3], tonumber(ARGV[a + 5])
  if grant then
    local incarnation
    if c.rate then
      fill(c.rate, amount)
      incarnation = c.rate.n
    elseif ARGV[a] == 'C' then
      incarnation = c[2] or incarnate()
      if not c[2] then redis.call('HSET', key, 'n', incarnation) end
    elseif c.roll then
      incarnation = incarnate()
      redis.call('HSET', key, 'w', ARGV[a + 2], 'e', ARGV[a + 3], 's', '0', 'h', '0', 'g', gen, 'n', incarnation)
      keep_window(key, tonumber(ARGV[a + 3]), now)
    else
      incarnation = c[6]
    end
    if amount > 0 then
      if not c.rate then
        redis.call('HINCRBY', key, 'h', ARGV[a + 5])
        c.h = c.h + amount
      end
      record[#record + 1] = 'h:' .. id_in(key)
      record[#record + 1] = held_text(incarnation, ARGV[a + 5], ARGV[a + 2], ARGV[a + 3])
    end
  end
  if c.rate then
    states[#states + 1] = str(c.rate.sum)
    states[#states + 1] = free_at(c.rate)
    states[#states + 1] = c.passed and not grant and retry_at(c.rate, tonumber(ARGV[a + 4]), amount) or '0'
  else
    states[#states + 1] = c.s
    states[#states + 1] = str(c.h)
  end
end

if already then
  -- Whoever asks again owns the hold from here on: it is no orphan any more.
  redis.call('HSET', KEYS[2], 'again', '1')
  return { 'ALLOW', hold[3], lease, '1', hold[2], soft, states }
end
if #refused > 0 then return { 'DENY', str(now), refused, soft, cold, states } end
if #cold > 0 then return { 'COLD', cold } end
redis.call('HSET', KEYS[2], unpack(record))
redis.call('ZADD', KEYS[3], lease, id_in(KEYS[2]))
return { 'ALLOW', str(now), lease, '0', '', soft, states }
`;
