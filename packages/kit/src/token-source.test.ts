import { createTokenSource, type IssuedToken } from './token-source';

/** A source whose requests the test answers itself. */
function create(lifetimeMs = 300_000) {
  let nowMs = 1_000;
  const asked: { resolve: (token: IssuedToken) => void; reject: (error: Error) => void }[] = [];
  const source = createTokenSource({
    request: () =>
      new Promise((resolve, reject) => {
        asked.push({ resolve, reject });
      }),
    nowMs: () => nowMs,
  });
  const issue = (token: string) => asked.at(-1)?.resolve({ token, lifetimeMs });
  const fail = () => asked.at(-1)?.reject(new Error('away'));
  const first = async () => {
    const got = source.get();
    issue('t1');
    await got;
  };
  return { source, asked, issue, fail, first, pass: (ms: number) => (nowMs += ms) };
}

test('callers at the same time share one request, and later ones its token', async () => {
  const { source, asked, issue } = create();
  const both = Promise.all([source.get(), source.get()]);
  issue('t1');
  expect(await both).toEqual(['t1', 't1']);
  expect(await source.get()).toBe('t1');
  expect(asked).toHaveLength(1);
});

test.each([
  [300_000, 239_999, 240_000],
  [100_000, 79_999, 80_000],
])('a token of %i ms is renewed before it expires', async (lifetime, used, renewed) => {
  const { source, asked, first, issue, pass } = create(lifetime);
  await first();
  pass(used);
  await source.get();
  expect(asked).toHaveLength(1);
  pass(renewed - used);
  const got = source.get();
  issue('t2');
  expect(await got).toBe('t2');
});

test('the time that a slow request takes is not added to the lifetime', async () => {
  const { source, asked, issue, pass } = create();
  const got = source.get();
  pass(240_000);
  issue('t1');
  expect(await got).toBe('t1');
  void source.get();
  expect(asked).toHaveLength(2);
});

test('a refused token is replaced once for all callers that used it', async () => {
  const { source, asked, first, issue } = create();
  await first();
  expect(source.refused('t1')).toBe(true);
  const both = Promise.all([source.get(), source.get()]);
  expect(source.refused('t1')).toBe(true);
  issue('t2');
  expect(await both).toEqual(['t2', 't2']);
  expect(source.refused('t1')).toBe(true);
  expect(await source.get()).toBe('t2');
  expect(asked).toHaveLength(2);
  expect(source.known()).toEqual(['t2', 't1']);
});

test('a server that refuses every token gets no new ones for a while', async () => {
  const { source, first, issue, pass } = create();
  await first();
  source.refused('t1');
  const got = source.get();
  issue('t2');
  await got;
  pass(29_999);
  expect(source.refused('t2')).toBe(false);
  expect(await source.get()).toBe('t2');
  pass(1);
  expect(source.refused('t2')).toBe(true);
});

test('an endpoint that issues the refused token again is not asked again', async () => {
  const { source, first, issue } = create();
  await first();
  source.refused('t1');
  const got = source.get();
  issue('t1');
  expect(await got).toBe('t1');
  expect(source.refused('t1')).toBe(false);
});

test('a failure is the answer for a second, and then the endpoint is asked again', async () => {
  const { source, asked, fail, issue, pass } = create();
  const got = source.get();
  fail();
  await expect(got).rejects.toThrow('away');
  pass(999);
  await expect(source.get()).rejects.toThrow('away');
  expect(asked).toHaveLength(1);
  pass(1);
  const again = source.get();
  issue('t1');
  expect(await again).toBe('t1');
});
