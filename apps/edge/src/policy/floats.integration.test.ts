import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uuidv7 } from '@tollgate/kit';

import { startFakePolicy, type FakePolicy } from '../test-support/fake-policy';
import { until } from '../test-support/harness';
import { ask, startPolicySide, taken } from '../test-support/policy-side';
import type { Policy, PolicyDeps } from './index';

const A = 'aaaaaaaa';
const B = 'bbbbbbbb';

let first: FakePolicy;
let second: FakePolicy;
let spool: string;
let policies: Policy[];
beforeEach(async () => {
  [first, second] = await Promise.all([startFakePolicy(), startFakePolicy()]);
  first.decide = () => ({ allow: { floatId: `${A}.1` } });
  second.decide = () => ({ allow: { floatId: `${B}.1` } });
  spool = mkdtempSync(join(tmpdir(), 'tollgate-spool-'));
  policies = [];
});
afterEach(async () => {
  first.thaw();
  second.thaw();
  await Promise.all(policies.map((policy) => policy.stop(0)));
  await Promise.all([first.stop(), second.stop()]);
  rmSync(spool, { recursive: true, force: true });
});

async function started(fakes: FakePolicy[], over: Partial<PolicyDeps> = {}): Promise<Policy> {
  const addresses = fakes.map(({ address }) => address);
  const policy = await startPolicySide({ addresses, spoolDirectory: spool, ...over });
  policies.push(policy);
  const sessions = addresses.length * (over.sessionsPerReplica ?? 1);
  await until(() => policy.status().sessionsOpen === sessions, 'the sessions');
  return policy;
}

/** A hold that this policy has decided. */
async function takenAt(policy: Policy, fake: FakePolicy) {
  for (;;) {
    const hold = await taken(policy);
    if (fake.holds.has(hold.requestId)) return hold;
    policy.settle(hold, { requestId: hold.requestId });
  }
}

/** It does not come back. */
function killFirst(): void {
  first.silent = true;
  first.cut();
}

const callsOf = (fake: FakePolicy, requestId: string) =>
  fake.arrived.filter((item) => item.requestId === requestId).map(({ call }) => call);
const adopted = (fake: FakePolicy) =>
  fake.extended.filter(({ adopt }) => adopt).map(({ requestId }) => requestId);
const settledAt = (fake: FakePolicy, id: string) =>
  fake.settled.some(({ requestId }) => requestId === id);

describe('a hold of a float', () => {
  test('is extended and settled over the session that decided it', async () => {
    const policy = await started([first], { sessionsPerReplica: 3 });
    const calls = new Set<unknown>();
    for (let n = 0; n < 6; n += 1) {
      const hold = await taken(policy);
      first.extend = () => ({ granted: true, floatId: `${A}.1` });
      await hold.extend('model-1', { outputTokens: 1 });
      await hold.extend('model-1', { outputTokens: 1 });
      policy.settle(hold, { requestId: hold.requestId });
      await until(() => callsOf(first, hold.requestId).length === 4, 'the settle');
      const own = new Set(callsOf(first, hold.requestId));
      expect(own.size).toBe(1);
      for (const call of own) calls.add(call);
    }
    expect(calls.size).toBe(3);
  });

  test('that the store has taken over goes anywhere', async () => {
    const policy = await started([first], { sessionsPerReplica: 3 });
    const hold = await taken(policy);
    first.extend = () => ({ granted: true });
    for (let n = 0; n < 4; n += 1) await hold.extend('model-1', { outputTokens: 1 });
    expect(new Set(callsOf(first, hold.requestId)).size).toBe(3);
  });

  test('is settled elsewhere when its policy fails to', async () => {
    const policy = await started([first, second]);
    const hold = await takenAt(policy, first);
    first.failing.add('settle');
    policy.settle(hold, { requestId: hold.requestId });
    await until(() => settledAt(second, hold.requestId), 'the settle');
    const asked = first.arrived.filter(({ requestId }) => requestId === hold.requestId);
    expect(asked.map(({ kind }) => kind)).toEqual(['authorize', 'settle']);
  });

  test('is given back over its session when its ALLOW comes late', async () => {
    const policy = await started([first], { sessionsPerReplica: 3, authorizeDeadlineMs: 1_000 });
    first.frozen = true;
    for (let n = 0; n < 3; n += 1) {
      const requestId = uuidv7();
      const outcome = ask(policy, requestId).catch((error: unknown) => error);
      await until(() => first.frames.length > n, 'the question to arrive');
      // The policy lives, but takes too long.
      first.announce({});
      expect(await outcome).toMatchObject({ status: 503 });
    }
    const asked = new Map(first.arrived.map(({ requestId, call }) => [requestId, call]));
    first.thaw();
    await until(() => first.settled.length === 3, 'the holds to be given back');
    const given = first.arrived.filter(({ kind }) => kind === 'settle');
    for (const { requestId, call } of given) expect(call).toBe(asked.get(requestId));
  });
});

describe('the holds that only one policy knows are adopted by another', () => {
  async function someOfEach(policy: Policy) {
    const own = [await takenAt(policy, first), await takenAt(policy, first)];
    const other = await takenAt(policy, second);
    const ids = own.map(({ requestId }) => requestId);
    return { own, ids, other };
  }

  test('when it is killed, and are settled there', async () => {
    const policy = await started([first, second]);
    const { own, ids, other } = await someOfEach(policy);
    killFirst();
    await until(() => adopted(second).length === 2, 'the adoption');
    // The newest first: a float's journal has the others.
    expect(adopted(second)).toEqual(ids.toReversed());
    for (const hold of [...own, other]) {
      await until(() => hold === other || hold.token().toString().endsWith(':1'), 'the new token');
      policy.settle(hold, { requestId: hold.requestId });
    }
    for (const id of ids) await until(() => settledAt(second, id), 'the settle');
    // One adoption is enough.
    expect(adopted(second)).toHaveLength(2);
  });

  test('when it is silent for a second', async () => {
    const policy = await started([first, second]);
    const { ids } = await someOfEach(policy);
    const beating = setInterval(() => second.announce({}), 100);
    first.frozen = true;
    await until(() => adopted(second).length === 2, 'the adoption');
    clearInterval(beating);
    expect(adopted(second)).toEqual(ids.toReversed());
    expect(adopted(first)).toEqual([]);
  });

  test('when it says that it lost their float, and not those of its other floats', async () => {
    const policy = await started([first, second], { sessionsPerReplica: 2 });
    const { ids } = await someOfEach(policy);
    first.decide = () => ({ allow: { floatId: `${A}.2` } });
    const next = await takenAt(policy, first);
    first.announce({ adoptFloats: [`${A}.1`] });
    await until(() => adopted(second).length === 2, 'the adoption');
    expect(adopted(second)).toEqual(ids.toReversed());
    expect(adopted(first)).toEqual([]);
    first.announce({ adoptFloats: [`${A}.2`] });
    await until(() => adopted(second).length === 3, 'the other adoption');
    expect(adopted(second).at(-1)).toBe(next.requestId);
  });

  test('when its allow and its loss come in one frame', async () => {
    const policy = await started([first]);
    first.frozen = true;
    const requestId = uuidv7();
    const asked = ask(policy, requestId);
    await until(() => first.frames.length === 1, 'the question to arrive');
    const allow = { floatId: `${A}.1`, holdToken: Buffer.from('hold') };
    const results = [{ correlationId: 1, authorize: { allow } }];
    first.announce({ results, adoptFloats: [`${A}.1`] });
    expect((await asked).allow).toBeTruthy();
    first.thaw();
    await until(() => adopted(first).length === 1, 'the adoption');
    expect(adopted(first)).toEqual([requestId]);
  });

  test('and again when the first try fails', async () => {
    const policy = await started([first, second]);
    const { ids } = await someOfEach(policy);
    second.failing.add('extend');
    killFirst();
    const tried = () => second.arrived.filter(({ kind }) => kind === 'extend').length;
    await until(() => tried() >= 4, 'two tries of each');
    second.failing.clear();
    await until(() => adopted(second).length >= 2, 'the adoption');
    expect(new Set(adopted(second))).toEqual(new Set(ids));
  });

  describe('when its session is full and slow', () => {
    const step = { outputTokens: 1 };
    let beating: NodeJS.Timeout;
    afterEach(() => clearInterval(beating));

    /** The extensions of both holds wait at the first policy for longer than their deadline. */
    async function twoLate(policy: Policy) {
      const holds = [await takenAt(policy, first), await takenAt(policy, first)] as const;
      first.extend = () => ({ granted: true, floatId: `${A}.1` });
      first.frozen = true;
      // The policy lives, but takes too long.
      beating = setInterval(() => first.announce({}), 50);
      await Promise.all(holds.map((hold) => hold.extend('model-1', step)));
      return holds;
    }
    const window = { window: 2, authorizeDeadlineMs: 300 };

    test('with the extension that has no room', async () => {
      const policy = await started([first, second], { window: 2 });
      const [one, two, three] = [
        await takenAt(policy, first),
        await takenAt(policy, first),
        await takenAt(policy, first),
      ];
      first.frozen = true;
      second.extend = () => {
        second.extend = () => ({ granted: true });
        return { granted: false };
      };
      // The policy lives: its silence would be another reason.
      beating = setInterval(() => first.announce({}), 50);
      const unanswered = [one, two].map((hold) => hold.extend('model-1', step));
      expect(await three.extend('model-1', step)).toMatchObject({ granted: false });
      // Also without a further step.
      await until(() => adopted(second).length === 2, 'the adoption');
      expect(adopted(second)).toEqual([three.requestId, three.requestId]);
      first.thaw();
      await Promise.all(unanswered);
      expect(adopted(first)).toEqual([]);
    });

    test('even if it answers afterwards', async () => {
      const policy = await started([first, second], window);
      const [hold, other] = await twoLate(policy);
      second.failing.add('extend');
      expect(await hold.extend('model-1', step)).toEqual({ granted: false, refused: false });
      first.thaw();
      await until(() => other.token().toString().endsWith(':1'), 'the late answers');
      second.failing.clear();
      await until(() => adopted(second).length > 0, 'the adoption');
      expect(adopted(second)).toEqual([hold.requestId]);
    });

    test('and its late token does not replace the newer one', async () => {
      const policy = await started([first, second], window);
      const [hold, other] = await twoLate(policy);
      second.extend = () => ({ granted: true, holdToken: Buffer.from('newer') });
      expect(await hold.extend('model-1', step)).toEqual({ granted: true });
      first.thaw();
      await until(() => other.token().toString().endsWith(':1'), 'the late answers');
      expect(hold.token().toString()).toBe('newer');
      expect(hold.session()).toBeUndefined();
    });
  });

  test('but not those that have ended, or that the store has', async () => {
    const policy = await started([first, second]);
    const { own, ids } = await someOfEach(policy);
    const [ended] = own;
    if (ended) policy.settle(ended, { requestId: ended.requestId });
    first.decide = () => ({ allow: {} });
    await takenAt(policy, first);
    killFirst();
    await until(() => adopted(second).length === 1, 'the adoption');
    expect(adopted(second)).toEqual(ids.slice(1));
  });
});
