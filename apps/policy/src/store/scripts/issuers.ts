// Which upstream connection made a response, by organisation and response id. No money is involved:
// no epoch guards it, and it is lost with the data.

/** How long a response can be continued, and a conversation since it was last used. */
export const ISSUER_KEPT_MS = 30 * 86_400_000;

/** Tokens that a conversation can come to. No model reads as many, and sums stay exact. */
export const CONVERSATION_TOKENS_MAX = 1_000_000_000;

/** Expired or surplus rows that one call removes: more than it adds. */
const CLEARED_PER_CALL = 16;

// KEYS: rows of the organisation (response → issuer; response .. ':t' → tokens that a follow-up reads
// again), responses by expiry.
// ARGV: response, issuer, most rows, tokens, '1' if tokens that are kept already are not lowered.
export const remember = `
local now, kept = millis(), ${String(ISSUER_KEPT_MS)}
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
local before = ARGV[5] == '1' and redis.call('HGET', KEYS[1], ARGV[1] .. ':t') or '0'
local tokens = math.max(tonumber(before), tonumber(ARGV[4]))
if tokens == 0 then redis.call('HDEL', KEYS[1], ARGV[1] .. ':t')
else redis.call('HSET', KEYS[1], ARGV[1] .. ':t', str(tokens)) end
redis.call('ZADD', KEYS[2], str(now + kept), ARGV[1])
local function clear(responses)
  if #responses == 0 then return end
  redis.call('HDEL', KEYS[1], unpack(responses))
  for _, response in ipairs(responses) do redis.call('HDEL', KEYS[1], response .. ':t') end
  redis.call('ZREM', KEYS[2], unpack(responses))
end
clear(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', str(now), 'LIMIT', '0', '${String(CLEARED_PER_CALL)}'))
local surplus = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[3])
if surplus > 0 then
  clear(redis.call('ZRANGE', KEYS[2], '0', str(math.min(surplus, ${String(CLEARED_PER_CALL)}) - 1)))
end
redis.call('PEXPIRE', KEYS[1], str(kept))
redis.call('PEXPIRE', KEYS[2], str(kept))
return { 'REMEMBERED' }
`;

// KEYS: as above.  ARGV: response, '1' if this use renews it.
export const recall = `
local now, kept = millis(), ${String(ISSUER_KEPT_MS)}
local ends = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not ends or tonumber(ends) <= now then return { 'UNKNOWN' } end
if ARGV[2] == '1' then
  redis.call('ZADD', KEYS[2], str(now + kept), ARGV[1])
  redis.call('PEXPIRE', KEYS[1], str(kept))
  redis.call('PEXPIRE', KEYS[2], str(kept))
end
local row = redis.call('HMGET', KEYS[1], ARGV[1], ARGV[1] .. ':t')
return { 'KNOWN', row[1], row[2] or '0' }
`;

// KEYS: as above.  ARGV: conversation, tokens that a turn adds (or corrects), tokens that it read and
// wrote.
export const grow = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  local before = tonumber(redis.call('HGET', KEYS[1], ARGV[1] .. ':t') or '0')
  local after = math.max(before + tonumber(ARGV[2]), tonumber(ARGV[3]))
  redis.call('HSET', KEYS[1], ARGV[1] .. ':t', str(math.min(after, ${String(CONVERSATION_TOKENS_MAX)})))
end
return { 'GROWN' }
`;

// KEYS: as above.  ARGV: response.
export const forget = `
redis.call('HDEL', KEYS[1], ARGV[1], ARGV[1] .. ':t')
redis.call('ZREM', KEYS[2], ARGV[1])
return { 'FORGOTTEN' }
`;
