import { createRenewed, type Issued } from './renewed';

const LIFETIME_MS = 3_600_000;

/** A source whose requests are answered by the test, with a clock of its own. */
function create() {
  let nowMs = 0;
  const waiting: { resolve(issued: Issued<string>): void; reject(error: Error): void }[] = [];
  let asked = 0;
  const renewed = createRenewed<string>({
    request: () => {
      asked += 1;
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    nowMs: () => nowMs,
  });
  const settled = () => new Promise(setImmediate);
  return {
    ...renewed,
    /** What a caller's request fails with. */
    failing: () =>
      Promise.resolve(renewed.get()).then(
        () => 'nothing',
        (error: unknown) => (error as Error).message,
      ),
    asked: () => asked,
    pass: (ms: number) => (nowMs += ms),
    now: () => nowMs,
    issue: async (credential: string, lifetimeMs = LIFETIME_MS) => {
      waiting.shift()?.resolve({ credential, lifetimeMs });
      await settled();
    },
    fail: async (text: string) => {
      waiting.shift()?.reject(new Error(text));
      await settled();
    },
  };
}

test('a hundred callers at once cause one request', async () => {
  const source = create();
  const callers = Array.from({ length: 100 }, async () => source.get());
  expect(source.asked()).toBe(1);
  await source.issue('one');
  expect(new Set(await Promise.all(callers))).toEqual(new Set(['one']));
});

test('nobody waits for a renewal while the credential is valid', async () => {
  const source = create();
  void source.get();
  await source.issue('one');
  source.pass(LIFETIME_MS - 300_000);
  for (let at = 0; at < 100; at += 1) expect(source.get()).toBe('one');
  expect(source.asked()).toBe(2);
  await source.issue('two');
  expect(source.get()).toBe('two');
  expect(source.known()).toEqual(['two', 'one']);
});

test('a failed renewal is tried again while the credential is valid, and told when it is not', async () => {
  const source = create();
  void source.get();
  await source.issue('one');
  source.pass(LIFETIME_MS - 300_000);
  expect(source.get()).toBe('one');
  await source.fail('down');
  source.pass(1);
  expect(source.get()).toBe('one');
  expect(source.asked()).toBe(2);
  source.pass(10_000);
  expect(source.get()).toBe('one');
  expect(source.asked()).toBe(3);
  await source.fail('still down');
  source.pass(300_000);
  expect(await Promise.all([source.failing(), source.fail('down at last')])).toContain(
    'down at last',
  );
});

test('a failure is the answer to further callers for a second', async () => {
  const source = create();
  expect(await Promise.all([source.failing(), source.fail('no')])).toContain('no');
  expect(await source.failing()).toBe('no');
  expect(source.asked()).toBe(1);
  source.pass(1_000);
  const second = source.get();
  await source.issue('two');
  expect(await second).toBe('two');
});

test('an expired credential is never given', async () => {
  const source = create();
  void source.get();
  await source.issue('one', 40_000);
  source.pass(35_000);
  const next = source.get();
  expect(next).toBeInstanceOf(Promise);
  await source.issue('two');
  expect(await next).toBe('two');
});

test('a refused credential is replaced, but not with every call', async () => {
  const source = create();
  void source.get();
  await source.issue('one');
  source.pass(1);
  const replaced = source.refused(source.now());
  // The refusal may be about one caller's own resource, so others keep what they have.
  expect(source.get()).toBe('one');
  const alsoReplaced = source.refused(source.now());
  await source.issue('two');
  expect([await replaced, await alsoReplaced]).toEqual([true, true]);
  expect(source.get()).toBe('two');
  // Calls that began before may be repeated with the new one.
  expect(await source.refused(source.now() - 1)).toBe(true);
  source.pass(1);
  expect(await source.refused(source.now())).toBe(false);
  expect(source.get()).toBe('two');
  source.pass(30_000);
  const failing = source.refused(source.now());
  await source.fail('away');
  expect(await failing).toBe(false);
  expect(source.get()).toBe('two');
  expect(source.asked()).toBe(3);
});

test('what has already expired when it is issued is a failure, and is not asked for with every call', async () => {
  const source = create();
  const first = source.failing();
  await source.issue('old', -5);
  expect(await first).not.toBe('nothing');
  expect(await source.failing()).toBe(await first);
  expect(source.asked()).toBe(1);
});

test('a change during the pause after a renewal is not lost', async () => {
  const source = create();
  void source.get();
  await source.issue('one');
  source.outdated();
  await source.issue('two');
  source.outdated();
  source.pass(10_000);
  expect(source.get()).toBe('two');
  expect(source.asked()).toBe(3);
});

test('what it is obtained with has changed: it is renewed in the background', async () => {
  const source = create();
  void source.get();
  await source.issue('one');
  source.outdated();
  expect(source.get()).toBe('one');
  expect(source.asked()).toBe(2);
  await source.issue('two');
  expect(source.get()).toBe('two');
});
