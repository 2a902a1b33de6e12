import { epochCheck } from './prelude';

// Ends a hold once: releases what the hold itself records, charges the usage, writes the ledger
// entry. It may charge a counter but never create one: a cold counter stays cold, and its next seed
// finds the entry in the stream or in the catalog's total.
// An orphan is a hold whose caller never learned of it. Its close cancels the hold, unless a
// repeated request owns it, or another call took it: then the unanswered call never reached Redis.
// KEYS: meta, leases, ledger, ended.  ARGV: epoch, run id.
// Per counter: kind, window start, window end.
// Per request: mode, authorised at, the lease end in the hold token, payload, usage, dimensions,
// counters as text for the entry, attempt ('': any), whether the reply has the counters' states, the
// float that the hold is of ('': none).
export const close = `
${epochCheck(", 'seq'")}
local mode, now, told = own[1], millis(), own[9] == '1'
-- The ticket (field 'token') is not read here: it is most of a hold's bytes.
local v = redis.call('HMGET', hold_key, 'st', 'at', 'lease', 'seq', 'ep', 'by', 'again', 'step', 'end', unpack(held))
local rid, state, by, again = id_in(hold_key), v[1], v[6], v[7]
if mode == 'ORPHANED' then
  if not state or again then return { 'KEPT' } end -- guard: owned again
  if own[8] ~= '' and by ~= own[8] then return { 'KEPT' } end -- guard: taken by another call
  mode = 'CANCELLED'
end
if state == 'SETTLED' or state == 'CANCELLED' or (state and state == mode) then -- guard: ends once
  return { 'DUP', state, v[4] or '0' }
end
if mode == 'ABANDONED' then
  if not state then
    ended_leases[#ended_leases + 1] = rid
    return { 'UNKNOWN' }
  end
  if tonumber(v[3]) > now then return { 'ALIVE', v[3] } end -- guard: lease
end
local late = state == 'ABANDONED'
local at_text = v[2] or own[2]
local at, states, s, touched = tonumber(at_text), {}, 0, ''

for i = 1, #uses do
  local use, kind = uses[i], uses[i][1]
  local c, amount, had = counter_of(use.key, kind), tonumber(amounts[i]), 0
  if not late then had = held_in(v[9 + i], c.n) end
  if kind == 'R' then
    if told or (had > 0 and had ~= amount) then
      local rate = minute(c, now)
      if had > 0 and rate.n and counts(rate, at) then correct(rate, at, amount - had) end
      if told then
        states[s + 1], states[s + 2], states[s + 3], s = rate.sum + rate.h, free_at(rate), 0, s + 3
      end
    end
  elseif kind == 'C' then
    local left = c.h - had
    if c.there and left <= 0 then
      c.h, c.h_by, c.n, c.there, c.todo = 0, 0, false, false, 'DEL'
    elseif c.there then
      add_held(c, -had)
    end
    if told then
      states[s + 1], states[s + 2], s = '0', math.max(left, 0), s + 2
    end
  else
    local same = c.w == use[2] and c.e == use[3]
    local charged, settled = same, ''
    if not c.s or c.g ~= gen then charged = false end -- guard: settle creates nothing
    if had > 0 then add_held(c, -had) end
    local charge = charged and not late and mode ~= 'CANCELLED'
    if charge then add_settled(c, amount) end
    if charged then settled = c.s or '' end
    touched = touched .. (charge and '1' or '0')
    if told then
      states[s + 1], states[s + 2], s = settled, same and c.h or 0, s + 2
    end
  end
end

-- Releases counters of the hold that the caller did not name. What a rate holds is of floats alone.
local found = 1
for i = 1, 9 + #uses do
  if v[i] then found = found + 1 end
end
if state and not late and redis.call('HLEN', hold_key) ~= found then
  local named = {}
  for i = 1, #held do named[held[i]] = true end
  for field, text in pairs(hash(hold_key)) do
    if string.sub(field, 1, 2) == 'h:' and not named[field] then
      local key = string.sub(KEYS[1], 1, -5) .. 'c:' .. string.sub(field, 3)
      local c = by_key[key]
      if c then
        local had = c.there and held_in(text, c.n) or 0
        if had > 0 then add_held(c, -had) end
      else
        local stored = redis.call('HMGET', key, 'h', 'n', 'l')
        local had = stored[1] and not stored[3] and held_in(text, stored[2]) or 0
        if had > 0 then redis.call('HINCRBY', key, 'h', str(-had)) end
      end
    end
  end
end

-- The catalog may have recorded as ABANDONED a hold that is unknown here (forgotten, or not adopted
-- yet after data loss). Such a cancel must reach it; without an ABANDONED record the entry is a
-- no-op.
local forgotten = mode == 'CANCELLED' and not late
if state then forgotten = forgotten and v[5] ~= epoch else forgotten = forgotten and now > tonumber(own[3]) end
local seq, present = '0', str(now)
if mode ~= 'CANCELLED' or late or forgotten then
  entries = entries + 1
  seq = str(tonumber(meta[4]) + entries)
  redis.call('XADD', KEYS[3], seq .. '-0', 'r', rid, 'm', mode, 'l', late and '1' or '0', 'at', at_text,
    'ct', present, 'u', own[5], 'd', own[6], 'c', own[7], 'x', touched, 'p', own[4])
end
-- After a settle in time neither the ticket nor the held amounts are read again.
if state and mode == 'SETTLED' and not late then
  redis.call('DEL', hold_key)
  redis.call('HSET', hold_key, 'st', mode, 'at', at_text, 'lease', '0', 'end', present, 'seq', seq, 'by', by or '')
  if again then redis.call('HSET', hold_key, 'again', again) end
else
  redis.call('HSET', hold_key, 'st', mode, 'at', at_text, 'lease', '0', 'end', present, 'seq', seq)
end
redis.call('PEXPIRE', hold_key, str(ended_kept))
if own[10] ~= '' then redis.call('HDEL', key_at('j:', own[10]), rid) end -- guard: strike at close
ended_leases[#ended_leases + 1] = rid
if state and (mode ~= 'SETTLED' or late) then
  redis.call('ZADD', KEYS[4], present, rid)
  redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', str(now - ended_kept))
end
return { 'CLOSED', seq, present, late and '1' or '0', state and '0' or '1', states, at_text, touched }
`;
