// A float is a hold with many counters that a policy process has taken in advance, to decide
// requests from it in memory. Requests leave it in one of two ways: they end (their spend moves to
// s), or they are kept (they become ordinary holds, and h does not change).
// At every instant h of a counter = its ordinary holds + its floats.
//   {s}:f:<float>   b: the last batch applied; ans: its answer; lease; st: X while it is reclaimed;
//                   h:<limit>: incarnation, amount, window, free part, kind (float_text)
//   {s}:j:<float>   by request: an entry (see entry_of)
// A window's amounts belong to the float whose window is the same. Once a counter has another
// window, the float is void: its amounts no longer count in h, and a seed that finds the window
// again finds them again.

/** The field `by` of holds that come out of a float; in others it names the call that took them. */
export const KEPT_BY = 'kept';

// KEYS[3]: leases.
export const floatEntries = `
-- An entry: 'at step', then per counter 'limit kind amount start end', a line feed, the ticket.
local function entry_of(text)
  local cut = string.find(text, '\\n', 1, true)
  local words, counters = {}, {}
  for word in string.gmatch(string.sub(text, 1, cut - 1), '%S+') do words[#words + 1] = word end
  for i = 3, #words, 5 do
    counters[#counters + 1] = {
      id = words[i], kind = words[i + 1], amount = tonumber(words[i + 2]), text = words[i + 2],
      from = words[i + 3], to = words[i + 4],
    }
    if not counters[#counters].amount or not words[i + 4] then error('an entry is not readable') end
  end
  return { at = words[1], step = words[2], counters = counters, ticket = string.sub(text, cut + 1) }
end

-- Writes an entry as an ordinary hold. Each of its counters bears the incarnation.
local function hold_of(key, entry, lease)
  local record = { 'st', 'HELD', 'at', entry.at, 'lease', lease, 'token', entry.ticket, 'step', entry.step,
    'ep', epoch, 'by', '${KEPT_BY}' }
  for _, c in ipairs(entry.counters) do
    if c.amount > 0 then
      record[#record + 1] = 'h:' .. c.id
      record[#record + 1] = held_text(c.n or '0', c.text, c.from, c.to)
    end
  end
  redis.call('HSET', key, unpack(record))
  redis.call('ZADD', KEYS[3], lease, id_in(key))
end
`;
