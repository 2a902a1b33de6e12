// Runs a script of one request for several of one shard, one after another, each as if it were alone.
// KEYS: those of the shard (meta first), then per request: hold, counter…
// ARGV: how many keys are the shard's, how many arguments all have in common, these, then per request:
//       how many counters, how many arguments, these.
// One that fails answers ERROR with the reason, and the others are not touched by it.
// The time is one and the same for all, and so is what they look at of the shard's meta: no script of
// a request changes it but by giving out numbers, which HINCRBY does.
export const batchOf = (body: string): string => `
local time, read_meta, meta_read = millis(), meta_of, nil
local function millis() return time end
local function meta_of(...)
  meta_read = meta_read or read_meta(...)
  return meta_read
end
local function one(KEYS, ARGV)
${body}
end
local shared, common = tonumber(ARGV[1]), tonumber(ARGV[2])
local k, a, out = shared, common + 2, {}
while a < #ARGV do
  local counters, n = tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2])
  local keys, args = { KEYS[1], KEYS[k + 1] }, {}
  for i = 2, shared do keys[i + 1] = KEYS[i] end
  for i = 1, counters do keys[shared + 1 + i] = KEYS[k + 1 + i] end
  for i = 1, common do args[i] = ARGV[i + 2] end
  for i = 1, n do args[common + i] = ARGV[a + 2 + i] end
  k, a = k + 1 + counters, a + 2 + n
  local done, reply = pcall(one, keys, args)
  if not done then reply = { 'ERROR', type(reply) == 'table' and reply.err or tostring(reply) } end
  out[#out + 1] = reply
end
return out
`;
