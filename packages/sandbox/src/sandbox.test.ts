import { createSandbox, SandboxBusyError, SandboxError, type Sandbox } from './sandbox';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = createSandbox();
});
afterAll(() => sandbox.stop());

const PATIENT_MS = 60_000;
const run = (code: string, input: unknown = {}) => sandbox.run('acme', code, input, PATIENT_MS);

test('code gets a copy of its input, and its result comes back', async () => {
  const code =
    'function check({ texts }) { console.log("got", texts); return { n: texts.length }; }';
  expect(await run(code, { texts: ['a', 'é🙂'] })).toEqual({
    value: { n: 2 },
    logs: ['got ["a","é🙂"]'],
  });
});

test('nothing of the host is there', async () => {
  const code = `function check() {
    const names = ['process', 'require', 'fetch', 'setTimeout', 'XMLHttpRequest', 'std', 'os', 'module'];
    return names.filter((name) => typeof globalThis[name] !== 'undefined');
  }`;
  expect((await run(code)).value).toEqual([]);
});

test('nothing stays from one call to the next', async () => {
  const code =
    'function check() { globalThis.seen = (globalThis.seen ?? 0) + 1; Array.prototype.x = 1; return globalThis.seen; }';
  expect((await run(code)).value).toBe(1);
  expect((await run(code)).value).toBe(1);
  expect((await run('function check() { return [].x ?? null; }')).value).toBeNull();
});

test.each([
  ['an endless loop', 'function check() { for (;;); }', /took too long/],
  ['an endless load', 'for (;;);', /took too long/],
  [
    'an endless regular expression',
    'function check() { return /(a+)+$/.test("a".repeat(60) + "!"); }',
    /took too long/,
  ],
  [
    'too much memory',
    'function check() { const all = []; for (;;) all.push("x".repeat(1e6) + all.length); }',
    /memory|too long/,
  ],
  ['an endless recursion', 'function check() { return check(); }', /stack|recursion/i],
  ['a thrown error', 'function check() {\n  null.x;\n}', /TypeError: .*\(line 2\)/],
  ['a syntax error', 'function check( {', /SyntaxError/],
  ['a circular result', 'function check() { const a = {}; a.a = a; return a; }', /TypeError/],
])('%s is an error', async (_, code, message) => {
  await expect(run(code)).rejects.toThrow(SandboxError);
  await expect(run(code)).rejects.toThrow(message);
});

test('code is checked without being called', async () => {
  await sandbox.check('acme', 'function check() { throw new Error("never called"); }');
  await expect(sandbox.check('acme', 'const other = 1;')).rejects.toThrow(
    'defines no function check',
  );
  await expect(sandbox.check('acme', 'function check( {')).rejects.toThrow('SyntaxError');
});

test('calls wait for a thread, and a queue that is full refuses', async () => {
  const small = createSandbox({ threads: 1, waiting: 2 });
  const slow =
    'function check(n) { let x = 0; for (let i = 0; i < 1e5; i += 1) x += i; return n; }';
  const calls = [1, 2, 3].map((n) => small.run('acme', slow, n, PATIENT_MS));
  await expect(small.run('acme', slow, 4, PATIENT_MS)).rejects.toThrow('calls are waiting');
  expect((await Promise.all(calls)).map(({ value }) => value)).toEqual([1, 2, 3]);
  await small.stop();
});

test('an owner who fills its own places leaves those of others', async () => {
  const small = createSandbox({ threads: 1, cpuMs: 300, waitingOfOwner: 2, charactersOfOwner: 60 });
  const endless = 'function check() { for (;;); }';
  const calls = [1, 2, 3].map((n) => small.run('greedy', endless, n, PATIENT_MS));
  const refused = small.run('greedy', endless, 4, PATIENT_MS);
  await expect(refused).rejects.toThrow('2 calls of this organisation are waiting');
  await expect(refused).rejects.toThrow(SandboxBusyError);
  const other = (given: string) =>
    small.run('other', 'function check(x) { return x; }', given, PATIENT_MS);
  const first = other('a'.repeat(40));
  await expect(other('b'.repeat(40))).rejects.toThrow('are too large');
  expect((await first).value).toBe('a'.repeat(40));
  await Promise.all(calls.map((call) => expect(call).rejects.toThrow('took too long')));
  await small.stop();
});

test('what code writes is cut, also when it writes past console.log', async () => {
  const code = "function check() { console.lines.push('x'.repeat(2e6), 'more'); return 1; }";
  const { logs } = await run(code);
  expect(logs).toEqual(['x'.repeat(4_000)]);
});

test('a call that waits too long gives up its place', async () => {
  const small = createSandbox({ threads: 1, cpuMs: 300 });
  const busy = small.run('acme', 'function check() { for (;;); }', {}, PATIENT_MS);
  await expect(small.run('acme', 'function check() { return 1; }', {}, 20)).rejects.toThrow(
    'in time',
  );
  await expect(busy).rejects.toThrow('took too long');
  await small.stop();
});

const SLOW =
  'function check() { const end = Date.now() + 150; while (Date.now() < end); return 0; }';

test('owners have turns, whoever came first', async () => {
  const fair = createSandbox({ threads: 2, cpuMs: PATIENT_MS });
  const order: string[] = [];
  const call = async (owner: string): Promise<void> => {
    await fair.run(owner, SLOW, {}, PATIENT_MS);
    order.push(owner);
  };
  const calls = ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'b'].map(call);
  await Promise.all(calls);
  await fair.stop();
  expect(order).toHaveLength(8);
  expect(order.lastIndexOf('b')).toBeLessThan(order.lastIndexOf('a'));
});

test('an owner that is alone has all threads', async () => {
  const fair = createSandbox({ threads: 2, waiting: 1, cpuMs: PATIENT_MS });
  const first = fair.run('a', SLOW, {}, PATIENT_MS);
  const second = fair.run('a', SLOW, {}, PATIENT_MS);
  // Were the second one waiting, this would be one too many.
  const third = fair.run('a', SLOW, {}, PATIENT_MS);
  await Promise.all([first, second, third]);
  await fair.stop();
});
