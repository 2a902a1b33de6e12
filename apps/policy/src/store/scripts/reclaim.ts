import { floatEntries } from './float-entries';
import { epochCheck } from './prelude';

// Ends a float whose policy is gone: what is in its journal becomes ordinary holds, the rest leaves
// h. The rest of a rate goes into the present bucket, because what was decided and not posted cannot
// be known. Several policies may run it at once, and stop anywhere.
// KEYS: meta, floats, leases, the float, its journal.
// ARGV: epoch, run id, float, most entries, whether the caller's own (its lease may be running), lease
// ms of the holds.
export const reclaim = `
${epochCheck('')}
local now = millis()
local leased = redis.call('HGET', KEYS[4], 'lease')
if not leased then
  redis.call('ZREM', KEYS[2], ARGV[3])
  return { 'GONE' }
end
if ARGV[5] ~= '1' and tonumber(leased) > now then return { 'ALIVE', leased } end -- guard: float lease
redis.call('HSET', KEYS[4], 'st', 'X')
${floatEntries}
local parts = {}
for field, text in pairs(hash(KEYS[4])) do
  if string.sub(field, 1, 2) == 'h:' then parts[string.sub(field, 3)] = float_part(text) end
end

local lease, most, taken, cursor = str(now + tonumber(ARGV[6])), tonumber(ARGV[4]), 0, '0'
repeat
  local page = redis.call('HSCAN', KEYS[5], cursor, 'COUNT', ARGV[4])
  cursor = page[1]
  for i = 1, #page[2], 2 do
    if taken >= most then break end
    local rid, entry = page[2][i], entry_of(page[2][i + 1])
    local key = key_at('r:', rid)
    if redis.call('HDEL', KEYS[5], rid) == 1 then
      taken = taken + 1
      if redis.call('EXISTS', key) == 0 then -- guard: taken elsewhere
        for _, c in ipairs(entry.counters) do
          local part = parts[c.id]
          if c.kind == 'R' then
            c.n = redis.call('HGET', key_at('c:', c.id), 'n')
          elseif part and part.from == c.from and part.to == c.to then
            c.n, part.amount, part.changed = part.n, part.amount - c.amount, true
            part.free = math.max(0, math.min(part.free, part.amount))
          end
        end
        hold_of(key, entry, lease)
      end
    end
  end
until cursor == '0' or taken >= most
for id, part in pairs(parts) do
  if part.changed then redis.call('HSET', KEYS[4], 'h:' .. id, float_text(part)) end
end
if redis.call('HLEN', KEYS[5]) > 0 then return { 'MORE', str(taken) } end

for id, part in pairs(parts) do
  local key = key_at('c:', id)
  if part.amount > 0 and redis.call('HGET', key, 'n') == part.n then
    if part.kind == 'R' then
      local rate = slide(key, now, rate_of(key))
      fill(rate, part.amount) -- guard: rest of a rate
      write_rate(rate)
    end
    local left = redis.call('HINCRBY', key, 'h', str(-part.amount))
    if part.kind == 'C' and left <= 0 then redis.call('DEL', key) end
  end
end
redis.call('DEL', KEYS[4], KEYS[5])
redis.call('ZREM', KEYS[2], ARGV[3])
return { 'DONE', str(taken) }
`;
