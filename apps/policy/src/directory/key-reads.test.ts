import type {
  KeyContext__Output,
  ModelGrant__Output,
  ResolveKeysReply__Output,
} from '@tollgate/contracts/node';

import { Failure } from '../failure';
import { context, limit, model, resolved, sha256, SUBJECT } from '../test-support/contexts';
import { AwayError, createKeyReads, type KeyReads, type Reading } from './key-reads';
import { limitsOf, limitWithId, modelNamed, modelsOf, type KeyPlan } from './plan';

interface Call {
  readonly keys: readonly Buffer[];
  readonly digests: readonly Buffer[];
  readonly answer: (reply: ResolveKeysReply__Output | Error) => void;
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** A catalog that answers when the test says so. */
function bench() {
  const calls: Call[] = [];
  const clock = { nowMs: 1_000_000 };
  const reads = createKeyReads({
    resolveKeys: (keys, digests) =>
      new Promise((resolve, reject) => {
        const answer: Call['answer'] = (reply) =>
          reply instanceof Error ? reject(reply) : resolve(reply);
        calls.push({ keys, digests, answer });
      }),
    changes: () => 0,
    clock: { now: () => clock.nowMs },
  });
  return { calls, clock, reads };
}

const named = (name: string, changes: Partial<KeyContext__Output> = {}): KeyContext__Output =>
  context({ subject: { ...SUBJECT, apiKeyId: name }, ...changes });
const modelOf = (plan: KeyPlan | undefined, name: string) => plan && modelNamed(plan, name);
const turn = () => new Promise((resolve) => setImmediate(resolve));
const outcome = (reading: Promise<Reading>): Promise<string> =>
  reading.then(
    ({ plan }) => plan?.subject.apiKeyId ?? 'unknown',
    (error: unknown) => (error instanceof Failure ? error.code : String(error)),
  );
const readAll = (reads: KeyReads, names: readonly string[]) =>
  names.map((name) => outcome(reads.read(sha256(name))));
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `key-${String(at)}`);

test('keys of one turn are asked for together, and each is answered as itself', async () => {
  const { calls, reads } = bench();
  const all = readAll(reads, ['a', 'nobody', 'b']);
  await turn();
  expect(calls.map(({ keys }) => keys)).toEqual([['a', 'nobody', 'b'].map(sha256)]);
  calls[0]?.answer(resolved([named('a'), undefined, named('b')]));
  expect(await Promise.all(all)).toEqual(['a', 'unknown', 'b']);
});

test('a call has 64 keys at most, and two are on their way at most', async () => {
  const { calls, reads } = bench();
  const names = numbered(150);
  const all = readAll(reads, names);
  await turn();
  expect(calls.map(({ keys }) => keys.length)).toEqual([64, 64]);
  calls[1]?.answer(resolved(names.slice(64, 128).map((name) => named(name))));
  await turn();
  expect(calls.map(({ keys }) => keys.length)).toEqual([64, 64, 22]);
  calls[0]?.answer(resolved(names.slice(0, 64).map((name) => named(name))));
  calls[2]?.answer(resolved(names.slice(128).map((name) => named(name))));
  expect(await Promise.all(all)).toEqual(names);
});

test('more than 512 that wait are too many', async () => {
  const { reads } = bench();
  const [last] = readAll(reads, numbered(513)).slice(-1);
  expect(await last).toBe('UNAVAILABLE');
});

test('what nobody waits for is kept back until somebody asks for another key', async () => {
  const { calls, reads } = bench();
  void reads.read(sha256('renewed'), { soon: true });
  await turn();
  expect(calls).toHaveLength(0);
  void reads.read(sha256('new'));
  await turn();
  expect(calls[0]?.keys).toEqual([sha256('new'), sha256('renewed')]);
});

test('what nobody waits for is asked for after 200 ms', async () => {
  const { calls, reads } = bench();
  void reads.read(sha256('renewed'), { soon: true });
  jest.advanceTimersByTime(199);
  expect(calls).toHaveLength(0);
  jest.advanceTimersByTime(1);
  expect(calls[0]?.keys).toEqual([sha256('renewed')]);
});

test('a key that somebody waits for after all is asked for at once', async () => {
  const { calls, reads } = bench();
  void reads.read(sha256('renewed'), { soon: true });
  reads.hurry(sha256('renewed'));
  reads.hurry(sha256('another'));
  await turn();
  expect(calls.map(({ keys }) => keys)).toEqual([[sha256('renewed')]]);
});

test('what the reply has no room for is asked for again', async () => {
  const { calls, reads } = bench();
  const all = readAll(reads, ['a', 'b', 'c']);
  await turn();
  calls[0]?.answer(resolved([named('a')]));
  await turn();
  expect(calls[1]?.keys).toEqual([sha256('b'), sha256('c')]);
  calls[1]?.answer(resolved([named('b'), named('c')]));
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
});

test('a reply without any key is not asked for for ever', async () => {
  const { calls, reads } = bench();
  const all = readAll(reads, ['a', 'b']);
  await turn();
  calls[0]?.answer(resolved([]));
  expect(await Promise.all(all)).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
});

test('one key that cannot be read does not keep the others from being read', async () => {
  const { calls, reads } = bench();
  const names = numbered(5);
  const all = readAll(reads, names);
  let answered = 0;
  const answerAll = async (): Promise<void> => {
    await turn();
    for (const { keys, answer } of calls.slice(answered)) {
      answered += 1;
      const asked = names.filter((name) => keys.some((key) => key.equals(sha256(name))));
      const bad = asked.includes('key-3');
      answer(bad ? new Error('13 INTERNAL') : resolved(asked.map((name) => named(name))));
    }
    await turn();
    if (answered < calls.length) await answerAll();
  };
  await answerAll();
  expect(await Promise.all(all)).toEqual(['key-0', 'key-1', 'key-2', 'UNAVAILABLE', 'key-4']);
});

test('of a catalog that is away all hear at once, and it is left alone after three calls', async () => {
  const { calls, clock, reads } = bench();
  const away = new AwayError('14 UNAVAILABLE');
  const all = readAll(reads, numbered(150));
  await turn();
  calls[0]?.answer(away);
  calls[1]?.answer(away);
  expect(new Set(await Promise.all(all))).toEqual(new Set(['UNAVAILABLE']));
  expect(calls).toHaveLength(2);
  const third = outcome(reads.read(sha256('third')));
  await turn();
  calls[2]?.answer(away);
  expect(await third).toBe('UNAVAILABLE');
  expect(await outcome(reads.read(sha256('fourth')))).toBe('UNAVAILABLE');
  expect(calls).toHaveLength(3);
  clock.nowMs += 500;
  const fifth = outcome(reads.read(sha256('fifth')));
  await turn();
  calls[3]?.answer(resolved([named('fifth')]));
  expect(await fifth).toBe('fifth');
});

test('what keys of an organisation have in common is kept once, and not asked for again', async () => {
  const { calls, reads } = bench();
  const first = reads.read(sha256('a'));
  await turn();
  const common = resolved([named('a')]);
  calls[0]?.answer(common);
  const { plan: before } = await first;
  const second = reads.read(sha256('b'));
  await turn();
  const digests = calls[1]?.digests ?? [];
  expect(digests).toEqual(common.organisations.map(({ digest }) => digest));
  calls[1]?.answer(resolved([named('b')], 0, digests));
  const { plan: after } = await second;
  expect(modelOf(after, 'small')?.entry).toBe(modelOf(before, 'small')?.entry);
});

test('what has changed of an organisation is there with the first key that is read after it', async () => {
  const { calls, reads } = bench();
  const first = reads.read(sha256('a'));
  await turn();
  calls[0]?.answer(resolved([named('a')]));
  await first;
  const second = reads.read(sha256('b'));
  await turn();
  const changed = named('b', { models: [model({ upstreamModel: 'another' })] });
  calls[1]?.answer(resolved([changed], 0, calls[1].digests));
  expect(modelOf((await second).plan, 'small')?.entry.upstreamModel).toBe('another');
});

test('a key that is read anew has its organisation named, however long ago that was read', async () => {
  const { calls, reads } = bench();
  const names = numbered(40);
  const contexts = names.map((name) => named(name, { models: [model({ name })] }));
  const all = names.map((name) => reads.read(sha256(name)));
  await turn();
  calls[0]?.answer(resolved(contexts));
  const [oldest] = await Promise.all(all);
  void reads.read(sha256('key-0'), { digest: oldest?.digest ?? '' });
  await turn();
  expect(calls[1]?.digests[0]?.toString('latin1')).toBe(oldest?.digest);
});

test('an organisation that makes no sense fails its own keys alone', async () => {
  const { calls, reads } = bench();
  const all = readAll(reads, ['a', 'b']);
  await turn();
  const nonsense = named('b', { models: [model({ type: 'nonsense' })] });
  calls[0]?.answer(resolved([named('a'), nonsense]));
  expect(await Promise.all(all)).toEqual(['a', 'UNAVAILABLE']);
});

test('a part that the catalog takes for known and that is not fails its keys', async () => {
  const { calls, reads } = bench();
  const all = readAll(reads, ['a']);
  await turn();
  const digests = resolved([named('a')]).organisations.map(({ digest }) => digest);
  calls[0]?.answer(resolved([named('a')], 0, digests));
  expect(await Promise.all(all)).toEqual(['UNAVAILABLE']);
});

test('keys of one organisation have their own grants and limits', async () => {
  const { calls, reads } = bench();
  const models = (granted: boolean) => [
    model({ granted: !granted }),
    model({ modelId: 'model-2', name: 'large', granted }),
  ];
  const own = limit({ limitId: 'own', scopeType: 'API_KEY', scopeId: 'a' });
  const ofAll = limit({ limitId: 'all' });
  const ofModel = limit({ limitId: 'of-large', scopeType: 'MODEL', scopeId: 'model-2' });
  const all = ['a', 'b'].map((name) => reads.read(sha256(name)));
  await turn();
  calls[0]?.answer(
    resolved([
      named('a', { models: models(true), limits: [own, ofAll, ofModel] }),
      named('b', { models: models(false), limits: [ofAll, ofModel] }),
    ]),
  );
  const [a, b] = (await Promise.all(all)).map(({ plan }) => plan);
  const ids = (limits: readonly { limitId: string }[] = []) =>
    limits.map(({ limitId }) => limitId).toSorted();
  expect(modelOf(a, 'large')?.granted).toBe(true);
  expect(modelOf(b, 'large')?.granted).toBe(false);
  expect(ids(modelOf(a, 'large')?.limits)).toEqual(['all', 'of-large', 'own']);
  expect(ids(modelOf(b, 'small')?.limits)).toEqual(['all']);
  expect(ids(a && limitsOf(a))).toEqual(['all', 'of-large', 'own']);
  expect(ids(b && limitsOf(b))).toEqual(['all']);
  expect(a && limitWithId(a, 'own')?.limitId).toBe('own');
  expect(b && limitWithId(b, 'own')).toBeUndefined();
  expect(b && limitWithId(b, 'of-large')?.limitId).toBe('of-large');
});

test('a standing grant gives what fits it, beside the single ones, and nothing else', async () => {
  const { calls, reads } = bench();
  const models = [
    model({ granted: true }),
    model({ modelId: 'model-2', name: 'large', granted: false }),
    model({ modelId: 'model-3', name: 'larger', granted: false, providerId: 'provider-2' }),
    model({ modelId: 'model-4', name: 'huge', granted: false }),
  ];
  const limits = [limit({ limitId: 'of-large', scopeType: 'MODEL', scopeId: 'model-2' })];
  const standing: readonly [string, Partial<ModelGrant__Output>, readonly string[]][] = [
    ['none', { kind: 'PATTERN', pattern: 'no*' }, ['small']],
    ['all', { kind: 'ALL' }, ['small', 'large', 'larger', 'huge']],
    ['provider', { kind: 'PROVIDER', providerId: 'provider-2' }, ['small', 'larger']],
    ['pattern', { kind: 'PATTERN', pattern: 'larg*' }, ['small', 'large', 'larger']],
  ];
  const all = standing.map(([name]) => reads.read(sha256(name)));
  await turn();
  const reply = resolved(standing.map(([name]) => named(name, { models, limits })));
  const keys = reply.keys.map((key, at) => ({
    ...key,
    modelGrants: [{ kind: '', providerId: '', pattern: '', ...standing[at]?.[1] }],
  }));
  calls[0]?.answer({ ...reply, keys });
  for (const [at, { plan }] of (await Promise.all(all)).entries()) {
    const granted = plan && modelsOf(plan).filter((one) => one.granted);
    expect(granted?.map(({ name }) => name)).toEqual(standing[at]?.[2]);
    for (const name of ['small', 'large', 'larger', 'huge']) {
      expect(modelOf(plan, name)?.granted).toBe(standing[at]?.[2].includes(name));
    }
    // A limit of a model binds whoever may use it.
    expect(plan && limitsOf(plan).length).toBe(standing[at]?.[2].includes('large') ? 1 : 0);
  }
});
