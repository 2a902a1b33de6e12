import { randomBytes } from 'node:crypto';
import { emptyUsage } from '@tollgate/contracts';

import { createResponseCache } from '.';
import { createByteBudget } from '../intake';
import { decodeEntry, encodeEntry, openEntry, sealEntry, type KeptFacts } from './entry';
import { createMemoryStore } from './memory-store';
import { createRecorder } from './recorder';

const FACTS: KeptFacts = {
  storedAtMs: 1_764_000_000_000,
  candidate: { modelId: 'm', upstreamModel: 'u', providerId: 'p', connectionVersion: 3 },
  contentType: 'text/event-stream',
  usage: { ...emptyUsage(), input: 7 },
  units: { web_search: '1' },
  serviceTier: 'priority',
  model: 'u-2026',
  dropped: ['logit_bias'],
  stopReason: 'stop',
};

test.each([
  ['short', Buffer.from('hi')],
  ['long', Buffer.from('data: hello\n\n'.repeat(5_000))],
  ['incompressible', randomBytes(5_000)],
])('a %s answer comes back byte for byte', async (_, body) => {
  const entry = await encodeEntry(FACTS, body);
  expect(await decodeEntry(entry, 1_000_000)).toEqual({ ...FACTS, body });
  expect(entry.length).toBeLessThan(body.length + 1_000);
});

test('an entry that expands beyond the bound, or is damaged, is an error', async () => {
  const entry = await encodeEntry(FACTS, Buffer.alloc(100_000));
  await expect(decodeEntry(entry, 10_000)).rejects.toThrow();
  await expect(decodeEntry(entry.subarray(0, 40), 1_000_000)).rejects.toThrow();
});

test('an entry of another release is not found', async () => {
  const entry = await encodeEntry(FACTS, Buffer.from('hi'));
  entry.writeUInt8(9, 0);
  expect(await decodeEntry(entry, 1_000)).toBeUndefined();
  expect(await decodeEntry(Buffer.alloc(2), 1_000)).toBeUndefined();
});

test('a sealed entry opens with its secret and under its own name only', () => {
  const secret = randomBytes(32);
  const sealed = sealEntry(secret, 'one', Buffer.from('answer'));
  expect(openEntry(secret, 'one', sealed).toString()).toBe('answer');
  expect(sealed.includes('answer')).toBe(false);
  expect(() => openEntry(secret, 'two', sealed)).toThrow();
  expect(() => openEntry(randomBytes(32), 'one', sealed)).toThrow();
  sealed.writeUInt8(sealed.readUInt8(sealed.length - 1) ^ 1, sealed.length - 1);
  expect(() => openEntry(secret, 'one', sealed)).toThrow();
});

function memory(mostBytes: number) {
  let nowMs = 0;
  const store = createMemoryStore({ mostBytes, nowMs: () => nowMs });
  return { store, pass: (ms: number) => (nowMs += ms) };
}

test('a small answer keeps no larger buffer', async () => {
  const { store } = memory(10_000);
  const part = Buffer.alloc(8_192).subarray(0, 700);
  await store.set('a', part, 60);
  expect((await store.get('a'))?.buffer.byteLength).toBe(700);
});

test('the answer that was not used for longest makes room', async () => {
  const { store } = memory(3 * 1_256);
  for (const key of ['a', 'b', 'c']) await store.set(key, Buffer.alloc(1_000), 60);
  await store.get('a');
  await store.set('d', Buffer.alloc(1_000), 60);
  expect(await store.get('b')).toBeUndefined();
  for (const key of ['a', 'c', 'd']) expect(await store.get(key)).toBeDefined();
  expect(store.bytes()).toBe(3 * 1_256);
});

test('an answer beyond the whole budget removes no other', async () => {
  const { store } = memory(2_000);
  await store.set('a', Buffer.alloc(1_000), 60);
  await store.set('b', Buffer.alloc(5_000), 60);
  expect(await store.get('a')).toBeDefined();
  expect(await store.get('b')).toBeUndefined();
  // It replaces an older answer of its name.
  await store.set('a', Buffer.alloc(5_000), 60);
  expect([await store.get('a'), store.bytes()]).toEqual([undefined, 0]);
});

test('an answer ends with its time', async () => {
  const { pass, store } = memory(10_000);
  await store.set('a', Buffer.from('answer'), 60);
  pass(59_999);
  expect(await store.get('a')).toBeDefined();
  pass(1);
  expect(await store.get('a')).toBeUndefined();
  expect(store.bytes()).toBe(0);
});

test('a recorder copies what passes, and gives up beyond its bound or without room', () => {
  const chunk = Buffer.from('one');
  const whole = createRecorder(100, () => true);
  whole.keep([chunk, Buffer.from('two')]);
  chunk.fill(0);
  expect(whole.body()?.toString()).toBe('onetwo');
  const long = createRecorder(5, () => true);
  long.keep([Buffer.from('one'), Buffer.from('two'), Buffer.from('3')]);
  expect(long.body()).toBeUndefined();
  const crowded = createRecorder(100, () => false);
  crowded.keepWhole('answer');
  expect(crowded.body()).toBeUndefined();
});

test('answers that wait to be stored have a bound, and are free again afterwards', async () => {
  const stored: string[] = [];
  const failed: string[] = [];
  const first = Promise.withResolvers<undefined>();
  const store = {
    get: () => Promise.resolve(undefined),
    set: async (key: string) => {
      stored.push(key);
      await first.promise;
    },
    bytes: () => 0,
    stop: () => undefined,
  };
  const cache = createResponseCache({
    store,
    secrets: { name: Buffer.alloc(32) },
    mostBytes: 1_000,
    room: createByteBudget({ totalBytes: 1_000 }),
    metrics: { cacheStored: () => undefined, cacheFailed: (operation) => failed.push(operation) },
    log: { debug: () => undefined },
  });
  const large = Buffer.alloc(20 * 1024 * 1024);
  const waiting = cache.keep('a', FACTS, large, 60);
  await cache.keep('b', FACTS, large, 60);
  expect(failed).toEqual(['set']);
  first.resolve(undefined);
  await waiting;
  await cache.keep('c', FACTS, large, 60);
  expect(stored).toEqual(['a', 'c']);
});
