// Runs a script's work for several requests of one shard in order, each as if it were alone.
// KEYS: meta, leases and other keys of the shard, then the key of each counter, then the hold of
// each request.
// ARGV: the common arguments, epoch and run id first; the number of counters and the arguments of
// each; then per request: the number of counters it uses, position and amount of each, and its own
// arguments.
// A request that fails replies ERROR with the reason and does not affect the others.
// All requests share one time and one reading of the shard's meta, except for the ledger numbers
// that they take. Counters, numbers and leases are written at the end.
export interface Frame {
  /** Keys of the shard, common arguments, arguments of a counter, arguments of a request. */
  keys: number;
  common: number;
  ofCounter: number;
  ofRequest: number;
}

// Fields of a counter that can refuse: its limit, and what one request has found.
const LIMIT = `, limit = tonumber(ARGV[a + 4]), soft = ARGV[a + 5] == '1', s = false, h = 0, roll = false,
    passed = false`;

export const batchOf = (body: string, { keys, common, ofCounter, ofRequest }: Frame): string => `
local KEYS, ARGV, time, read_meta, meta_read = KEYS, ARGV, millis(), meta_of, nil
local function millis() return time end
local function meta_of(...)
  meta_read = meta_read or read_meta(...)
  return meta_read
end
local entries, begun_leases, ended_leases = 0, {}, {}

-- uses: the arguments of each counter of a request. held: its field in the hold. own: the request's
-- own arguments.
local function one(hold_key, uses, amounts, held, own)
${body}
end

local a, said = ${String(common + 1)}, {}
for i = 1, tonumber(ARGV[a]) do
  local key = KEYS[${String(keys)} + i]
  local use = {
    ARGV[a + 1], ARGV[a + 2], ARGV[a + 3], from = tonumber(ARGV[a + 2]), to = tonumber(ARGV[a + 3]),
    key = key, held = 'h:' .. id_in(key), counter = false${ofCounter > 3 ? LIMIT : ''},
  }
  said[i] = use
  a = a + ${String(ofCounter)}
end
local out, first = {}, ${String(keys)} + #said
for k = first + 1, #KEYS do
  local uses, amounts, held = {}, {}, {}
  for i = 1, tonumber(ARGV[a + 1]) do
    local use = said[tonumber(ARGV[a + 2])]
    uses[i], amounts[i], held[i] = use, ARGV[a + 3], use.held
    a = a + 2
  end
  local own = { unpack(ARGV, a + 2, a + ${String(1 + ofRequest)}) }
  a = a + ${String(1 + ofRequest)}
  local done, reply = pcall(one, KEYS[k], uses, amounts, held, own)
  if not done then reply = { 'ERROR', type(reply) == 'table' and reply.err or tostring(reply) } end
  out[k - first] = reply
end

for _, c in pairs(by_key) do write(c) end
if entries > 0 then redis.call('HINCRBY', KEYS[1], 'seq', str(entries)) end
if #begun_leases > 0 then redis.call('ZADD', KEYS[2], unpack(begun_leases)) end
if #ended_leases > 0 then redis.call('ZREM', KEYS[2], unpack(ended_leases)) end
return out
`;
