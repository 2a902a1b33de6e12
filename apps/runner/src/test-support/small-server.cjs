// A small MCP server over stdio for tests: its methods are ways to behave. It starts much faster than one
// of the SDK, so that many can run at once.
const { spawn } = require('node:child_process');
const { readFileSync, writeFileSync } = require('node:fs');
const { createInterface } = require('node:readline');

const MEGABYTE = 1024 * 1024;
const kept = [];
const cancelled = [];
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

const METHODS = {
  initialize: ({ params }) => ({
    protocolVersion: params.protocolVersion,
    capabilities: {},
    serverInfo: { name: 'small', version: '1' },
  }),
  ping: () => ({}),
  'test/process': () => ({
    pid: process.pid,
    uid: process.getuid(),
    env: process.env,
    cwd: process.cwd(),
  }),
  'test/child': () => ({ pid: spawn('sleep', ['600'], { stdio: 'ignore' }).pid }),
  'test/daemon': () => ({ pid: spawn('sleep', ['600'], { stdio: 'ignore', detached: true }).pid }),
  // Neither its group nor its environment tells where it comes from.
  'test/hidden': () => ({
    pid: spawn('sleep', ['600'], { stdio: 'ignore', detached: true, env: {} }).pid,
  }),
  'test/read': ({ params }) => {
    try {
      return { text: readFileSync(params.path, 'latin1') };
    } catch (error) {
      return { code: error.code };
    }
  },
  'test/write': ({ params }) => {
    writeFileSync(params.path, 'left behind');
    return {};
  },
  'test/children': ({ params }) => {
    for (let n = 0; n < params.count; n += 1) {
      spawn('sleep', ['600'], { stdio: 'ignore' }).on('error', () => undefined);
    }
    return {};
  },
  'test/say': ({ params }) => {
    process.stderr.write(`${params.text}\n`);
    return {};
  },
  'test/stderr': ({ params }) => {
    process.stderr.write('e'.repeat(params.bytes));
    for (let n = 0; n < params.lines; n += 1) process.stderr.write(`line ${n}\n`);
    return {};
  },
  'test/garbage': () => {
    process.stdout.write('this is no JSON\n{"jsonrpc":"1.0"}\n[1]\n\n{"half":\n');
    return {};
  },
  'test/line': ({ params }) => ({ text: 'x'.repeat(params.bytes) }),
  'test/memory': ({ params }) => {
    for (let n = 0; n < params.megabytes; n += 1) kept.push(Buffer.alloc(MEGABYTE, 1));
    return {};
  },
  'test/silent': () => undefined,
  'test/cancelled': () => ({ ids: cancelled }),
  'test/flood': ({ params }) => {
    const text = 'x'.repeat(MEGABYTE);
    const { progressToken } = params._meta;
    for (let n = 0; n < params.megabytes; n += 1) {
      send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, text } });
    }
    return {};
  },
  'test/exit': () => process.exit(3),
  'test/number': () => ({ n: 'N' }),
};

if (process.argv.includes('--stubborn')) process.on('SIGTERM', () => {});
if (process.argv.includes('--exit-at-once')) process.exit(1);

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === 'notifications/cancelled') cancelled.push(message.params.requestId);
  if (message.id === undefined || message.method === undefined) return;
  const method = METHODS[message.method];
  if (method === undefined) {
    send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no such method' } });
    return;
  }
  const result = method(message);
  if (result === undefined) return;
  // The id as it came, with digits that a number of JavaScript does not keep.
  const [, id] = /"id":("[^"]*"|[-+.\deE]+)/.exec(line);
  const json = JSON.stringify(result).replace('"N"', '12345678901234567890');
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${json}}\n`);
});
// A stubborn server goes on without input too.
if (process.argv.includes('--stubborn')) setInterval(() => {}, 1_000);
