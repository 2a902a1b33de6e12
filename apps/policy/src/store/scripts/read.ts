// Reads counters without changing them.
// KEYS: meta, counter…  ARGV: kind of each counter.
// Four strings per counter: window start, window end, settled ('' when cold), held. For a rate
// settled is the sum, and the first string is the instant at which the whole limit is free.
export const peek = `
local gen, now, out = redis.call('HGET', KEYS[1], 'gen'), millis(), {}
for i = 2, #KEYS do
  local kind = ARGV[i - 1]
  if kind == 'R' then
    local rate = slide(KEYS[i], now, rate_of(KEYS[i]))
    out[#out + 1] = { free_at(rate), '0', str(rate.sum), str(rate.h) }
  elseif kind == 'C' then
    out[#out + 1] = { '0', '0', '0', redis.call('HGET', KEYS[i], 'h') or '0' }
  else
    local c = redis.call('HMGET', KEYS[i], 'w', 'e', 's', 'h', 'g')
    local known = gen and c[3] and c[5] == gen
    out[#out + 1] = { c[1] or '0', c[2] or '0', known and c[3] or '', c[4] or '0' }
  end
end
return out
`;

// Holds by the end of their lease: those that ended longer ago than a grace, or all.
// KEYS: leases.  ARGV: grace ms or '', most rows.
export const leases = `
local now, limit = millis(), '+inf'
if ARGV[1] ~= '' then limit = str(now - tonumber(ARGV[1])) end
return { str(now), redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', limit, 'LIMIT', '0', ARGV[2]) }
`;

// Divides the shards among the live owners, in equal shares.
// KEYS: owners (shard → owner), members (owner by the end of its claim).
// ARGV: owner, ttl ms (0: releases all), number of shards.
// Replies the owner's shards and all members.
export const claim = `
local owner, ttl, now = ARGV[1], tonumber(ARGV[2]), millis()
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', str(now))
if ttl == 0 then
  redis.call('ZREM', KEYS[2], owner)
  return { {}, {} }
end
redis.call('ZADD', KEYS[2], str(now + ttl), owner)
local alive, members = {}, redis.call('ZRANGE', KEYS[2], '0', '-1')
for _, member in ipairs(members) do alive[member] = true end
local owners, mine, free = hash(KEYS[1]), {}, {}
for shard = 0, tonumber(ARGV[3]) - 1 do
  local present = owners[str(shard)]
  if present == owner then
    mine[#mine + 1] = str(shard)
  elseif not present or not alive[present] then
    free[#free + 1] = str(shard)
  end
end
local share = math.ceil(tonumber(ARGV[3]) / #members)
while #mine > share do redis.call('HDEL', KEYS[1], table.remove(mine)) end
for _, shard in ipairs(free) do
  if #mine < share then
    redis.call('HSET', KEYS[1], shard, owner)
    mine[#mine + 1] = shard
  end
end
return { mine, members }
`;
