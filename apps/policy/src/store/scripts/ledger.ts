import { epochCheck } from './prelude';

// Seeds cold counters: the catalog's total at a position, plus the stream's entries after it. A
// counter that starts another window with it counts the holds of that window. Entries name their counters of
// values, so those need neither metric nor dimension.
// KEYS: meta, ledger, leases, counter…
// ARGV: epoch, run id, position, rev, most entries to scan, then per counter: window start, window
// end, total, index of the metric, index of the dimension, scope id.
export const seed = `
${epochCheck(", 'seq', 'floor', 'rev', 'closed'")}
local now, position, seq = millis(), tonumber(ARGV[3]), tonumber(meta[4])
if position > seq then return { 'EPOCH', '1', epoch } end -- guard: catalog ahead
if now < tonumber(meta[7]) then return { 'CLOSED', meta[7], str(now) } end -- guard: seed grace
if position < tonumber(meta[5]) then return { 'STALE' } end -- guard: seed floor
if tonumber(ARGV[4]) < tonumber(meta[6]) then return { 'STALE' } end -- guard: rev
if seq - position > tonumber(ARGV[5]) then return { 'LAG', str(seq - position) } end

local entries = {}
if seq > position then entries = redis.call('XRANGE', KEYS[2], str(position + 1) .. '-0', '+') end
if #entries < seq - position then return { 'EPOCH', '1', epoch } end -- guard: gap
local after = {}
for _, entry in ipairs(entries) do
  local f = {}
  for i = 1, #entry[2], 2 do f[entry[2][i]] = entry[2][i + 1] end
  -- A close after ABANDONED charges nothing until the catalog has booked the difference.
  if f.l == '0' and f.m ~= 'CANCELLED' then
    local e = { at = tonumber(f.at), u = {}, d = {}, c = f.c }
    for word in string.gmatch(f.u, '%S+') do e.u[#e.u + 1] = tonumber(word) end
    for word in string.gmatch(f.d, '%S+') do e.d[#e.d + 1] = word end
    after[#after + 1] = e
  end
end

-- Entries by a dimension's value, grouped when the first counter needs that dimension.
local by = {}
local function entries_of(dimension, value)
  if not by[dimension] then
    local lists = {}
    for _, e in ipairs(after) do
      local own = e.d[dimension] or ''
      lists[own] = lists[own] or {}
      table.insert(lists[own], e)
    end
    by[dimension] = lists
  end
  return by[dimension][value] or {}
end

-- What entries add to counters of values: each names the counters of its values itself.
local of_values
local function of_values_at(counter)
  if not of_values then
    of_values = {}
    for _, e in ipairs(after) do
      for id, start, stop, amount in string.gmatch(e.c, '([^ ,]+) (%d+) (%d+) (%d+)') do
        local place = id .. ' ' .. start .. ' ' .. stop
        of_values[place] = (of_values[place] or 0) + tonumber(amount)
      end
    end
  end
  return of_values[counter] or 0
end

local results, renewed, fields = {}, {}, { 'st' }
for i = 1, #KEYS - 3 do
  local a, key = i * 6, KEYS[i + 3]
  local from, to = tonumber(ARGV[a]), tonumber(ARGV[a + 1])
  local c = redis.call('HMGET', key, 'w', 'e', 's', 'g')
  local same = c[1] == ARGV[a] and c[2] == ARGV[a + 1]
  local present = seen(now, tonumber(c[1]))
  if present < from or present >= to then -- guard: seed clock
    results[i] = 'CLOCK'
  elseif same and c[3] and c[4] == gen then
    results[i] = 'WARM'
  else
    local rest, value = 0, of_value(key)
    if value then rest = of_values_at(id_in(key) .. ' ' .. ARGV[a] .. ' ' .. ARGV[a + 1]) end -- guard: values in the stream
    for _, e in ipairs(value and {} or entries_of(tonumber(ARGV[a + 4]), ARGV[a + 5])) do
      if e.at >= from and e.at < to then
        rest = rest + e.u[tonumber(ARGV[a + 3])] -- guard: stream remainder
      end
    end
    if not same then
      local n = incarnate()
      redis.call('HSET', key, 'w', ARGV[a], 'e', ARGV[a + 1], 'h', '0', 'n', n)
      keep_window(key, to, now)
      -- A counter of a value is kept while holds count in it, so no hold is of one that is missing.
      if c[1] or not value then
        renewed[#renewed + 1] = { key = key, n = n, from = ARGV[a], to = ARGV[a + 1] }
        fields[#fields + 1] = 'h:' .. id_in(key)
      end
    end
    redis.call('HSET', key, 's', ARGV[a + 2], 'g', gen)
    redis.call('HINCRBY', key, 's', str(rest))
    results[i] = 'SEEDED'
  end
end

local prefix = string.sub(KEYS[1], 1, -5) .. 'r:'
for _, rid in ipairs(#renewed > 0 and redis.call('ZRANGE', KEYS[3], '0', '-1') or {}) do
  local hold = redis.call('HMGET', prefix .. rid, unpack(fields))
  for i, c in ipairs(renewed) do
    local amount, from, to = string.match(hold[i + 1] or '', '^%d+ (%d+) (%d+) (%d+)$')
    if hold[1] == 'HELD' and from == c.from and to == c.to then -- guard: holds found again
      redis.call('HINCRBY', c.key, 'h', amount)
      redis.call('HSET', prefix .. rid, fields[i + 1], held_text(c.n, amount, from, to))
    end
  end
end
for _, id in ipairs(#renewed > 0 and float_ids() or {}) do
  for i, c in ipairs(renewed) do
    local float, field = key_at('f:', id), fields[i + 1]
    local part = float_part(redis.call('HGET', float, field))
    if part and part.from == c.from and part.to == c.to then -- guard: floats found again
      redis.call('HINCRBY', c.key, 'h', str(part.amount))
      part.n = c.n
      redis.call('HSET', float, field, float_text(part))
    end
  end
end
return { 'DONE', str(now), results }
`;

// The catalog has committed every entry up to a position. Forgetting a counter resolves every
// difference between what a close charged here and the catalog's books.
// KEYS: meta, ledger, counter to forget…  ARGV: epoch, run id, position, rev, forget all.
export const book = `
${epochCheck(", 'seq', 'booked', 'floor', 'rev', 'born'")}
local position, booked = tonumber(ARGV[3]), tonumber(meta[5])
if position > tonumber(meta[4]) then return { 'EPOCH', '1', epoch } end -- guard: catalog ahead
if position > booked then
  booked = position
  redis.call('HSET', KEYS[1], 'booked', ARGV[3])
  redis.call('XTRIM', KEYS[2], 'MINID', str(position + 1) .. '-0')
end
if position > tonumber(meta[6]) then redis.call('HSET', KEYS[1], 'floor', ARGV[3]) end
if tonumber(ARGV[4]) > tonumber(meta[7]) then redis.call('HSET', KEYS[1], 'rev', ARGV[4]) end
if ARGV[5] == '1' then
  local anew = epoch .. '.' .. incarnate()
  redis.call('HSET', KEYS[1], 'gen', anew, 'born', anew .. ' ' .. str(millis())) -- guard: forgetting all
elseif gen and string.match(meta[8] or '', '^(%S+) ') ~= gen then
  -- A shard that an earlier release opened: its counters are known to be complete from now on.
  redis.call('HSET', KEYS[1], 'born', gen .. ' ' .. str(millis()))
end
for i = 3, #KEYS do
  redis.call('HDEL', KEYS[i], 's') -- guard: forgetting
end
return { 'BOOKED', str(booked), meta[4] }
`;

// Starts a new epoch after data loss: every counter is cold. Entries beyond the catalog's position
// remain to be drained, renumbered to follow that position: numbers from before an earlier loss
// would mean other entries to the catalog.
// KEYS: meta, ledger.  ARGV: new epoch, run id, position, rev, grace ms.
export const open = `
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'run', 'booked')
if meta[1] and tonumber(ARGV[1]) <= tonumber(meta[1]) then -- guard: second open
  return { 'ALREADY', meta[1], meta[2] ~= ARGV[2] and '1' or '0' }
end
local now, position = millis(), tonumber(ARGV[3])
local closed = str(now + tonumber(ARGV[5]))
local numbered = tonumber(meta[1]) == tonumber(ARGV[1]) - 1 -- guard: renumber
local from = numbered and position or tonumber(meta[3] or 0)
local entries = redis.call('XRANGE', KEYS[2], str(from + 1) .. '-0', '+')
local last = entries[#entries]
if not last or not numbered or last[1] ~= str(position + #entries) .. '-0' then
  local prefix = string.sub(KEYS[1], 1, -5) .. 'r:'
  redis.call('DEL', KEYS[2])
  for i, entry in ipairs(entries) do
    redis.call('XADD', KEYS[2], str(position + i) .. '-0', unpack(entry[2]))
    for j = 1, #entry[2], 2 do
      local hold = prefix .. entry[2][j + 1]
      if entry[2][j] == 'r' and redis.call('EXISTS', hold) == 1 then
        redis.call('HSET', hold, 'seq', str(position + i))
      end
    end
  end
end
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'run', ARGV[2], 'gen', ARGV[1], 'seq', str(position + #entries),
  'booked', ARGV[3], 'floor', ARGV[3], 'rev', ARGV[4], 'closed', closed,
  'born', ARGV[1] .. ' ' .. str(now))
redis.call('XTRIM', KEYS[2], 'MINID', str(position + 1) .. '-0')
return { 'OPENED', closed }
`;
