// Which upstream connection made a response, by organisation and response id. No money is involved:
// no epoch guards it, and it is lost with the data.

/** How long a response can be continued, and a conversation since it was last used. */
export const ISSUER_KEPT_MS = 30 * 86_400_000;

/** Tokens that a conversation can come to. No model reads as many, and sums stay exact. */
export const CONVERSATION_TOKENS_MAX = 1_000_000_000;

/** Expired or surplus rows that one call removes: more than it adds. */
const CLEARED_PER_CALL = 16;

// Removes the output items of a response.
const DROP_ITEMS = `
local function drop_items(response)
  local items = redis.call('HGET', KEYS[1], response .. ':i')
  if not items then return end
  local fields = { response .. ':i' }
  for item in string.gmatch(items, '%S+') do fields[#fields + 1] = item .. ':r' end
  redis.call('HDEL', KEYS[1], unpack(fields))
end
`;

// KEYS: rows of the organisation (response → issuer; response .. ':t' → tokens that a follow-up reads
// again; response .. ':i' → its output items; item .. ':r' → its response and the tokens of its output),
// responses by expiry.
// ARGV: response, issuer, most rows, tokens, '1' if tokens that are kept already are not lowered, tokens
// of the output, items.
export const remember = `
${DROP_ITEMS}
local now, kept = millis(), ${String(ISSUER_KEPT_MS)}
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
local before = ARGV[5] == '1' and redis.call('HGET', KEYS[1], ARGV[1] .. ':t') or '0'
local tokens = math.max(tonumber(before), tonumber(ARGV[4]))
if tokens == 0 then redis.call('HDEL', KEYS[1], ARGV[1] .. ':t')
else redis.call('HSET', KEYS[1], ARGV[1] .. ':t', str(tokens)) end
redis.call('ZADD', KEYS[2], str(now + kept), ARGV[1])
if ARGV[7] then
  drop_items(ARGV[1])
  -- An item stays with the response that it was first seen in.
  local own = {}
  for i = 7, #ARGV do
    if redis.call('HSETNX', KEYS[1], ARGV[i] .. ':r', ARGV[1] .. ' ' .. ARGV[6]) == 1 then own[#own + 1] = ARGV[i] end
  end
  if #own > 0 then redis.call('HSET', KEYS[1], ARGV[1] .. ':i', table.concat(own, ' ')) end
end
local function clear(responses)
  if #responses == 0 then return end
  redis.call('HDEL', KEYS[1], unpack(responses))
  for _, response in ipairs(responses) do
    redis.call('HDEL', KEYS[1], response .. ':t')
    drop_items(response)
  end
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
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return { 'UNKNOWN' } end
local before = tonumber(redis.call('HGET', KEYS[1], ARGV[1] .. ':t') or '0')
local after = math.max(before + tonumber(ARGV[2]), tonumber(ARGV[3]))
redis.call('HSET', KEYS[1], ARGV[1] .. ':t', str(math.min(after, ${String(CONVERSATION_TOKENS_MAX)})))
return { 'GROWN' }
`;

// KEYS: as above.  ARGV: items.
// Reply: the number of responses, issuer and tokens of each, then the place of each item's response
// among them; 0: unknown.
export const recallItems = `
local now, fields = millis(), {}
for i, item in ipairs(ARGV) do fields[i] = item .. ':r' end
local found = redis.call('HMGET', KEYS[1], unpack(fields))
local responses, places, place_of, count = {}, {}, {}, 0
for i = 1, #ARGV do
  local response, tokens = string.match(found[i] or '', '^(%S+) (%d+)$')
  if response and not place_of[response] then
    place_of[response] = 0
    local ends = redis.call('ZSCORE', KEYS[2], response)
    local row = ends and tonumber(ends) > now and redis.call('HGET', KEYS[1], response)
    if row then
      count = count + 1
      place_of[response] = count
      responses[#responses + 1] = row
      responses[#responses + 1] = tokens
    end
  end
  places[i] = str(response and place_of[response] or 0)
end
local reply = { 'ITEMS', str(count) }
for _, value in ipairs(responses) do reply[#reply + 1] = value end
for _, place in ipairs(places) do reply[#reply + 1] = place end
return reply
`;

// KEYS: as above.  ARGV: response.
export const forget = `
${DROP_ITEMS}
drop_items(ARGV[1])
redis.call('HDEL', KEYS[1], ARGV[1], ARGV[1] .. ':t')
redis.call('ZREM', KEYS[2], ARGV[1])
return { 'FORGOTTEN' }
`;
