import { epochCheck } from './prelude';

/** Whether a request does not fit beside what is used of a limit. One that needs nothing of it always fits. */
const exceeds = (used: string): string => `amount > 0 and ${used} + amount > use.limit`;

// Decides about a request, and writes nothing: leaves what it has read in `uses`, and the places of
// counters that refuse, are cold or exceed a soft limit in `refused`, `cold` and `soft`.
const decide = `
${epochCheck(", 'seq', 'booked', 'closed', 'born'")}
local now = millis()
if now > tonumber(ARGV[3]) then return { 'LATE', str(now) } end -- guard: late

local hold = redis.call('HMGET', hold_key, 'st', 'token', 'at', 'lease')
if hold[1] and hold[1] ~= 'HELD' then return { 'ENDED', hold[1] } end
local already = hold[1] == 'HELD'
if not already then
  if now < tonumber(meta[6]) then return { 'CLOSED', meta[6], str(now) } end -- guard: grace
  local undrained = tonumber(meta[4]) - tonumber(meta[5])
  if undrained > tonumber(ARGV[5]) then return { 'LEDGER_FULL', str(undrained) } end -- guard: ledger full
end

local n = #uses
for i = 1, n do
  local use = uses[i]
  local c = counter_of(use.key, use[1])
  use.counter = c
  now = seen(now, c.clock) -- guard: clock back
end

local refused, cold, soft = {}, {}, {}
for i = 1, n do
  local use = uses[i]
  local kind, c, amount = use[1], use.counter, tonumber(amounts[i])
  local passed = false
  if kind == 'W' or kind == 'P' then
    if not already and (now < use.from or now >= use.to) then return { 'CLOCK', str(now) } end -- guard: clock
    local known = c.s and c.g == gen -- guard: cold
    use.roll = false
    if c.w == use[2] and c.e == use[3] then
      use.s, use.h = c.s, c.h
    elseif known and tonumber(c.e) <= use.from then
      use.s, use.h, use.roll = '0', 0, true
    elseif not c.w and of_value(use.key) and starts_at_zero(meta[7], gen, use.from, now) then
      known, use.s, use.h, use.roll = true, '0', 0, true
    else
      known, use.h = false, 0
    end
    if not known then
      use.s = ''
      cold[#cold + 1] = i
    elseif kind == 'P' then
      passed = tonumber(use.s) >= use.limit
    else
      passed = ${exceeds('tonumber(use.s) + use.h')}
    end
  elseif kind == 'C' then
    use.s, use.h = '0', c.h
    passed = ${exceeds('c.h')}
  else
    local rate = minute(c, now)
    passed = ${exceeds('rate.sum + rate.h')}
  end
  if passed then
    if use.soft then soft[#soft + 1] = i else refused[#refused + 1] = i end
  end
  use.passed = passed
end
`;

// Takes every hold of a request, or none.
// KEYS: meta, leases.  ARGV: epoch, run id, not-after, lease ms, ledger max.
// Per counter: kind, window start, window end, limit, soft.
// Per request: ticket (stored as 'token'), attempt.
// A refusal by a hard limit precedes COLD: an exceeded limit needs no seed. The reply has two
// amounts per counter (settled, held), three for a rate (sum, free, retry). A refusal while floats
// have free parts of a refused counter wants them back, and its reply ends with '1'.
export const authorize = `${decide}local grant = not already and #refused == 0 and #cold == 0
local present = str(now)
local lease = already and hold[4] or str(now + tonumber(ARGV[4]))
local record = { 'st', 'HELD', 'at', present, 'lease', lease, 'token', own[1], 'step', '0', 'ep', epoch, 'by', own[2] }
local states, r, s = {}, #record, 0
for i = 1, n do
  local use, amount = uses[i], tonumber(amounts[i])
  local c = use.counter
  if grant then
    if c.rate then
      fill(c.rate, amount)
      c.n, c.clock = c.rate.n, start_of(c.rate.last)
    elseif use.roll then
      c.w, c.e, c.s, c.h, c.g, c.n = use[2], use[3], '0', 0, gen, incarnate()
      c.h_by, c.s_by, c.todo = 0, 0, 'ROLL'
    elseif use[1] == 'C' and not c.n then
      c.n, c.todo = incarnate(), 'N'
    end
    if amount > 0 then
      if not c.rate then
        add_held(c, amount)
        use.h = use.h + amount
      end
      record[r + 1], record[r + 2], r = use.held, held_text(c.n, amounts[i], use[2], use[3]), r + 2
    end
  end
  if c.rate then
    states[s + 1], states[s + 2] = c.rate.sum + c.rate.h, free_at(c.rate)
    states[s + 3], s = 0, s + 3
    if use.passed and not grant then
      write_rate(c.rate)
      states[s] = retry_at(c.rate, use.limit, amount)
    end
  else
    states[s + 1], states[s + 2], s = use.s, use.h, s + 2
  end
end

if already then
  -- A repeated request owns the hold from here on: it is no orphan any more.
  redis.call('HSET', hold_key, 'again', '1')
  return { 'ALLOW', hold[3], lease, '1', hold[2], soft, states }
end
if #refused > 0 then
  local lent = wanted_back(uses, refused, now)
  return { 'DENY', present, refused, soft, cold, states, lent and '1' or nil }
end
if #cold > 0 then return { 'COLD', cold } end
redis.call('HSET', hold_key, unpack(record))
local b = #begun_leases
begun_leases[b + 1], begun_leases[b + 2] = lease, id_in(hold_key)
return { 'ALLOW', present, lease, '0', '', soft, states }
`;

// Decides like authorize, and takes nothing; Redis refuses any write of it.
// KEYS, ARGV and reply are those of authorize, but for three things. The amounts in the reply are
// those before the request. A limit that only free parts of floats stand in the way of does not
// refuse, because a real request gets them back. The last value has these parts, one amount per
// counter; it is read for exceeded limits only.
export const tryAuthorize = `${decide}
local function lent_of(use)
  local sum = 0
  for _, part in ipairs(lent_parts(use)) do sum = sum + part.free end
  return sum
end

local lents, kept = {}, {}
for i = 1, n do lents[i] = '0' end
for _, i in ipairs(refused) do
  local use, amount = uses[i], tonumber(amounts[i])
  local c, lent = use.counter, lent_of(use)
  lents[i] = str(lent)
  local used = c.rate and c.rate.sum + c.rate.h or tonumber(use.s) + use.h
  if lent == 0 or ${exceeds('used - lent')} then kept[#kept + 1] = i end
end
refused = kept

local states = {}
for i = 1, n do
  local use, rate = uses[i], uses[i].counter.rate
  if rate then
    states[#states + 1], states[#states + 2] = rate.sum + rate.h, free_at(rate)
    states[#states + 1] = use.passed and retry_at(rate, use.limit, tonumber(amounts[i])) or 0
  else
    states[#states + 1] = use.s
    states[#states + 1] = use.h
  end
end

local present = str(now)
if #refused > 0 then return { 'DENY', present, refused, soft, cold, states, lents } end
if #cold > 0 then return { 'COLD', cold } end
return { 'ALLOW', present, soft, states, lents }
`;
