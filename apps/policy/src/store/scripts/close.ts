import { ENDED_KEPT_MS, epochCheck } from './prelude';

// Ends a hold, once: gives back what the hold itself says it holds, charges what was used, writes
// the ledger entry. It may charge a counter but never create one: a cold counter stays cold, its
// next seed finds the entry in the stream or in catalog's total.
// An ORPHANED hold is one whose taker never heard of it. It is cancelled, unless somebody has asked
// for the same request again meanwhile, and so owns it; or it was another call that took it, the one
// that went unanswered never having got here.
// KEYS: meta, hold, leases, ledger, ended, counter…
// ARGV: epoch, run, mode, authorised at, the token's lease end, payload, usage, dimensions,
//       counters as text for the entry, attempt ('': any), whether the counters' states are asked for,
//       then per counter: kind, window start, window end, spent.
export const close = `
${epochCheck('')}
local mode, now, told = ARGV[3], millis(), ARGV[11] == '1'
local present = str(now)
-- The token, most of what a hold is, is not looked at here: the fields that are known are read, and
-- all of them only where there are others.
local fields, hold, found = { 'st', 'at', 'lease', 'seq', 'ep', 'by', 'again', 'step', 'end' }, {}, 1
for i = 6, #KEYS do fields[i + 4] = 'h:' .. id_in(KEYS[i]) end
for i, value in ipairs(redis.call('HMGET', KEYS[2], unpack(fields))) do
  if value then
    hold[fields[i]] = value
    found = found + 1
  end
end
if hold.st and redis.call('HLEN', KEYS[2]) ~= found then hold = hash(KEYS[2]) end
local rid, state = id_in(KEYS[2]), hold.st
if mode == 'ORPHANED' then
  if not state or hold.again then return { 'KEPT' } end -- guard: owned again
  if ARGV[10] ~= '' and hold.by ~= ARGV[10] then return { 'KEPT' } end -- guard: taken by another call
  mode = 'CANCELLED'
end
if state == 'SETTLED' or state == 'CANCELLED' or (state and state == mode) then -- guard: ends once
  return { 'DUP', state, hold.seq or '0' }
end
if mode == 'ABANDONED' then
  if not state then
    redis.call('ZREM', KEYS[3], rid)
    return { 'UNKNOWN' }
  end
  if tonumber(hold.lease) > now then return { 'ALIVE', hold.lease } end -- guard: lease
end
local late = state == 'ABANDONED'
local at_text = hold.at or ARGV[4]
local at, states, touched = tonumber(at_text), {}, {}

for i = 1, #KEYS - 5 do
  local a = i * 4 + 8
  local key, kind, id = KEYS[i + 5], ARGV[a], id_in(KEYS[i + 5])
  if kind == 'R' then
    local stored, spent = rate_of(key), tonumber(ARGV[a + 3])
    local had = late and 0 or held_in(hold, id, stored[3])
    if told or (had > 0 and had ~= spent) then
      local rate = slide(key, now, stored)
      if had > 0 and rate.n and counts(rate, at) then correct(rate, at, spent - had) end
      if told then
        states[#states + 1] = str(rate.sum)
        states[#states + 1] = free_at(rate)
        states[#states + 1] = '0'
      end
    end
  elseif kind == 'C' then
    local c = redis.call('HMGET', key, 'h', 'n')
    local left = tonumber(c[1] or 0) - (late and 0 or held_in(hold, id, c[2]))
    if c[1] and left <= 0 then
      redis.call('DEL', key)
    elseif c[1] then
      redis.call('HSET', key, 'h', str(left))
    end
    if told then
      states[#states + 1] = '0'
      states[#states + 1] = str(math.max(left, 0))
    end
  else
    local c = redis.call('HMGET', key, 'w', 'e', 's', 'h', 'g', 'n')
    local same = c[1] == ARGV[a + 1] and c[2] == ARGV[a + 2]
    local s, h, charged = '', tonumber(c[4] or 0), same
    if not c[3] or c[5] ~= gen then charged = false end -- guard: settle creates nothing
    if not late then
      local had = held_in(hold, id, c[6])
      if had > 0 then h = redis.call('HINCRBY', key, 'h', str(-had)) end
    end
    if charged then s = c[3] or '' end
    local charge = charged and not late and mode ~= 'CANCELLED'
    local sum = charge and redis.call('HINCRBY', key, 's', ARGV[a + 3])
    touched[#touched + 1] = charge and '1' or '0'
    if told then
      states[#states + 1] = sum and str(sum) or s
      states[#states + 1] = same and str(h) or '0'
    end
  end
  hold['h:' .. id] = nil
end

-- A counter that the caller did not name is given back all the same.
if not late then
  local prefix = string.sub(KEYS[1], 1, -5) .. 'c:'
  for field in pairs(hold) do
    if string.sub(field, 1, 2) == 'h:' then
      local key = prefix .. string.sub(field, 3)
      local c = redis.call('HMGET', key, 'h', 'n')
      local had = c[1] and held_in(hold, string.sub(field, 3), c[2]) or 0
      if had > 0 then redis.call('HINCRBY', key, 'h', str(-had)) end
    end
  end
end

-- Catalog may hold a hold as ABANDONED that is not known here any more, or not yet again after data
-- loss: such a cancel must reach it. Where it holds nothing of the kind the entry means nothing.
local forgotten = mode == 'CANCELLED' and not late
if state then forgotten = forgotten and hold.ep ~= epoch else forgotten = forgotten and now > tonumber(ARGV[5]) end
local seq = '0'
if mode ~= 'CANCELLED' or late or forgotten then
  seq = str(redis.call('HINCRBY', KEYS[1], 'seq', '1'))
  redis.call('XADD', KEYS[4], seq .. '-0', 'r', rid, 'm', mode, 'l', late and '1' or '0', 'at', at_text,
    'ct', present, 'u', ARGV[7], 'd', ARGV[8], 'c', ARGV[9], 'x', table.concat(touched), 'p', ARGV[6])
end
redis.call('HSET', KEYS[2], 'st', mode, 'at', at_text, 'lease', '0', 'end', present, 'seq', seq)
redis.call('PEXPIRE', KEYS[2], '${String(ENDED_KEPT_MS)}')
redis.call('ZREM', KEYS[3], rid)
if state and (mode ~= 'SETTLED' or late) then
  redis.call('ZADD', KEYS[5], present, rid)
  redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', str(now - ${String(ENDED_KEPT_MS)}))
end
return { 'CLOSED', seq, present, late and '1' or '0', state and '0' or '1', states }
`;
