import { KEPT_BY } from './float-entries';
import { epochCheck } from './prelude';

// Moves a hold's lease and raises the held amounts to given totals. What the ticket holds already
// (base) but Redis has lost is taken again without a check, because the upstream is running. Only
// the step beyond it is checked. A counter whose window has ended is skipped: the catalog owns that
// window.
// Who grants a step tells its rates of it. A hold that was adopted has no record of a rate: what it
// had before is told by its float, or is forgotten with the rate after a loss of data. A step that is
// granted here goes into the present bucket, once by its number, and stays for its minute.
// A refusal while floats have free parts of a refused counter wants them back, and its reply ends with '1'.
// KEYS: meta, hold, leases, counter…
// ARGV: epoch, run id, authorised at, lease ms, step, previous ticket, ticket, the float that the
// hold is of ('': none), then per counter: kind, soft, window start, window end, limit, base, total.
export const extend = `
${epochCheck(", 'closed'")}
local hold = hash(KEYS[2])
if hold.st and hold.st ~= 'HELD' then return { 'GONE', hold.st } end
local now, at = millis(), tonumber(hold.at or ARGV[3])
local n, counters, adopted = #KEYS - 3, {}, not hold.st
local refused, cold, soft, record, grows = {}, {}, {}, {}, false

for i = 1, n do
  local a = i * 7 + 2
  local key, kind, id = KEYS[i + 3], ARGV[a], id_in(KEYS[i + 3])
  local limit, base, total = tonumber(ARGV[a + 4]), tonumber(ARGV[a + 5]), tonumber(ARGV[a + 6])
  local c = { had = 0, missing = 0, step = 0, s = '', h = 0 }
  counters[i] = c
  local used
  if kind == 'W' or kind == 'P' then
    local stored = redis.call('HMGET', key, 'w', 'e', 's', 'h', 'g', 'n')
    local same = stored[1] == ARGV[a + 2] and stored[2] == ARGV[a + 3]
    if same or not stored[1] or tonumber(stored[2]) <= tonumber(ARGV[a + 2]) then
      c.live, c.fresh, c.n = true, not same, same and stored[6]
      c.h = same and tonumber(stored[4] or 0) or 0
      c.known = same and stored[3] and stored[5] == gen
      if c.known then
        c.s = stored[3]
        used = tonumber(c.s) + c.h
      end
    elseif not (stored[3] and stored[5] == gen) and now < tonumber(ARGV[a + 3]) then
      -- The counter dates from before data loss, in a window that may not be the limit's any more.
      -- The next seed sets the window and finds this hold then.
      c.parked = not string.find(hold['h:' .. id] or '', ' ' .. ARGV[a + 2] .. ' ' .. ARGV[a + 3], 1, true)
      if c.parked then adopted = true end
    end
  elseif kind == 'C' then
    local stored = redis.call('HMGET', key, 'h', 'n')
    c.live, c.known, c.n, c.s, c.h = true, true, stored[2], '0', tonumber(stored[1] or 0)
    used = c.h
  elseif kind == 'R' then
    c.rate = slide(key, now, rate_of(key))
    local recorded = hold['h:' .. id]
    c.unrecorded = not recorded and tonumber(ARGV[5]) > tonumber(hold.step or -1) -- guard: step without a record
    c.live = ((recorded and c.rate.n) or c.unrecorded) and counts(c.rate, at)
    c.known, c.n, used = true, c.rate.n, c.rate.sum + c.rate.h
  end
  if c.live then
    c.had = held_in(hold['h:' .. id], c.n)
    if not c.rate then c.missing = math.max(0, base - c.had) end
    c.step = math.max(0, total - math.max(base, c.had))
    if c.missing > 0 then adopted = true end
    if c.step > 0 then grows = true end
    if c.step > 0 and not c.known then
      cold[#cold + 1] = i
    elseif c.step > 0 and used + c.missing + c.step > limit then
      if ARGV[a + 1] == '1' then soft[#soft + 1] = i else refused[#refused + 1] = i end
    end
  end
end

local grant = #refused == 0 and #cold == 0
local states = {}
for i = 1, n do
  local a = i * 7 + 2
  local c, key = counters[i], KEYS[i + 3]
  local add = c.missing + (grant and c.step or 0)
  if c.live and not c.fresh and not c.rate and ARGV[a] ~= 'C' and of_value(key) then
    keep_window(key, tonumber(ARGV[a + 3]), now) -- guard: values kept while held
  end
  if add > 0 then
    if c.rate then
      if c.unrecorded then fill(c.rate, add) else correct(c.rate, at, add) end
      write_rate(c.rate)
    else
      if c.fresh then
        c.n = incarnate()
        redis.call('DEL', key)
        redis.call('HSET', key, 'w', ARGV[a + 2], 'e', ARGV[a + 3], 'n', c.n)
        keep_window(key, tonumber(ARGV[a + 3]), now)
      elseif not c.n then
        c.n = incarnate()
        redis.call('HSET', key, 'n', c.n)
      end
      redis.call('HINCRBY', key, 'h', str(add))
      c.h = c.h + add
    end
    if not c.unrecorded then
      record[#record + 1] = 'h:' .. id_in(key)
      record[#record + 1] = held_text(c.n, str(c.had + add), ARGV[a + 2], ARGV[a + 3])
    end
  elseif c.parked then
    record[#record + 1] = 'h:' .. id_in(key)
    record[#record + 1] = held_text('0', ARGV[a + 5], ARGV[a + 2], ARGV[a + 3])
  end
  if ARGV[a] == 'R' then
    states[#states + 1] = str(c.rate.sum + c.rate.h)
    states[#states + 1] = free_at(c.rate)
    states[#states + 1] = '0'
  else
    states[#states + 1] = c.s
    states[#states + 1] = str(c.h)
  end
end

-- Whoever extends a hold knows of it: nobody may cancel it as one of which nobody was told.
if hold.by == '${KEPT_BY}' then
  record[#record + 1] = 'again'
  record[#record + 1] = '1'
end
local lease = now + tonumber(ARGV[4])
if hold.lease and tonumber(hold.lease) > lease then lease = tonumber(hold.lease) end
local step, ticket = tonumber(hold.step or -1), hold.token or ARGV[6]
-- A step whose answer was lost may come again with another amount: the larger one counts.
local number = tonumber(ARGV[5])
if grant and (number > step or (number == step and grows)) then step, ticket = number, ARGV[7] end
redis.call('HSET', KEYS[2], 'st', 'HELD', 'at', str(at), 'lease', str(lease), 'token', ticket,
  'step', str(math.max(step, 0)), unpack(record))
redis.call('ZADD', KEYS[3], str(lease), id_in(KEYS[2]))
if ARGV[8] ~= '' then redis.call('HDEL', key_at('j:', ARGV[8]), id_in(KEYS[2])) end -- guard: strike at extend

if #refused > 0 then
  local uses, lent = {}, false
  for _, i in ipairs(refused) do
    uses[i] = { key = KEYS[i + 3], held = 'h:' .. id_in(KEYS[i + 3]), counter = counters[i] }
  end
  lent = wanted_back(uses, refused, now) -- guard: wanted by a step
  return { 'DENY', str(lease), refused, states, lent and '1' or nil }
end
if #cold > 0 and now < tonumber(meta[4]) then return { 'CLOSED', str(lease), meta[4], str(now) } end
if #cold > 0 then return { 'COLD', str(lease), cold } end
return { adopted and 'ADOPTED' or 'GRANTED', str(lease), soft, states }
`;
