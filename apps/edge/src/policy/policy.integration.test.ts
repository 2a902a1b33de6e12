import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, uuidv7 } from '@tollgate/kit';

import { SHARD, startFakePolicy, type FakePolicy } from '../test-support/fake-policy';
import { allow, until } from '../test-support/harness';
import { ask, startPolicySide, taken } from '../test-support/policy-side';
import type { Policy, PolicyDeps } from './index';
import { connectSession } from './link';

let fake: FakePolicy;
let spool: string;
let policies: Policy[];
let connects: number;
beforeEach(async () => {
  fake = await startFakePolicy();
  fake.decide = () => allow();
  spool = mkdtempSync(join(tmpdir(), 'tollgate-spool-'));
  policies = [];
  connects = 0;
});
afterEach(async () => {
  fake.thaw();
  await Promise.all(policies.map((policy) => policy.stop(0)));
  await fake.stop();
  rmSync(spool, { recursive: true, force: true });
});

async function start(over: Partial<PolicyDeps> = {}): Promise<Policy> {
  const policy = await startPolicySide({
    addresses: [fake.address],
    spoolDirectory: spool,
    connect: ({ address }) => {
      connects += 1;
      return connectSession({ address, caller: 'edge', token: undefined, connectTimeoutMs: 2_000 });
    },
    ...over,
  });
  policies.push(policy);
  return policy;
}

async function started(over: Partial<PolicyDeps> = {}): Promise<Policy> {
  const policy = await start(over);
  // Waits until both sides know the session, because an earlier announcement has no receiver.
  await until(() => policy.status().sessionsOpen > 0 && fake.opened > 0, 'a session');
  return policy;
}

/** Settles that policy has accepted and catalog has not booked. */
function unbooked(policy: Policy): number {
  const { settlesKept, settlesQueued } = policy.status();
  return settlesKept - settlesQueued;
}

const AWAY = { code: 'dependency_unavailable', status: 503, details: { dependency: 'policy' } };

describe('a session', () => {
  test('that breaks has its items sent again on another one, and they are decided once', async () => {
    const policy = await started({ sessionsPerReplica: 2 });
    await until(() => policy.status().sessionsOpen === 2, 'both sessions');
    fake.frozen = true;
    const requestId = uuidv7();
    const asked = ask(policy, requestId);
    await until(() => fake.frames.length === 1, 'the item to arrive');
    fake.frozen = false;
    fake.cutOne(fake.lastCall);
    expect((await asked).allow).toBeTruthy();
    fake.thaw();
    expect(fake.holds.size).toBe(1);
    expect(fake.authorized.map(({ resent }) => resent)).toEqual([true, false]);
  });

  test('is reopened, and requests in the meantime are refused at once', async () => {
    // A request that waited for its deadline would exceed the test's timeout.
    const policy = await started({ authorizeDeadlineMs: 600_000 });
    const { address } = fake;
    await fake.stop();
    await until(() => policy.status().sessionsOpen === 0, 'the session to be lost');
    await expect(ask(policy)).rejects.toMatchObject(AWAY);
    fake = await startFakePolicy(Number(address.split(':')[1]));
    fake.decide = () => allow();
    await until(() => policy.status().sessionsOpen > 0, 'a new session');
    expect((await ask(policy)).allow).toBeTruthy();
  });

  test('is replaced at its maximum age, without a gap', async () => {
    const policy = await started({ recycleMs: 200 });
    const asking: Promise<unknown>[] = [];
    await until(() => {
      asking.push(ask(policy));
      return fake.opened >= 4;
    }, 'sessions to be recycled');
    await expect(Promise.all(asking)).resolves.toBeDefined();
    await until(() => fake.sessions() <= 2, 'old sessions to close');
  });

  test('of a draining policy serves until another one is greeted, and then ends', async () => {
    const policy = await started();
    fake.silent = true;
    fake.announce({ draining: true });
    await until(() => fake.opened === 2 && policy.status().sessionsOpen === 2, 'another session');
    expect((await ask(policy)).allow).toBeTruthy();
    expect(fake.sessions()).toBe(2);
    fake.announce({});
    await until(() => policy.status().sessionsOpen === 1, 'the old session to be given up');
    await until(() => fake.sessions() === 1, 'the old session to end');
    expect((await ask(policy)).allow).toBeTruthy();
  });

  test('that reaches another draining policy is replaced in turn', async () => {
    const policy = await started();
    fake.draining = true;
    fake.announce({ draining: true });
    await until(() => fake.opened >= 3, 'a third session');
    expect((await ask(policy)).allow).toBeTruthy();
    fake.draining = false;
    await until(() => fake.sessions() === 1 && policy.status().sessionsOpen === 1, 'one to stay');
    expect((await ask(policy)).allow).toBeTruthy();
  });

  test('without any answer is given up at its first late item', async () => {
    const policy = await started({ authorizeDeadlineMs: 200 });
    fake.frozen = true;
    await expect(ask(policy)).rejects.toMatchObject(AWAY);
    await until(() => fake.opened >= 2, 'a new connection');
  });
});

describe('requests beyond the concurrency limit', () => {
  const OVERLOADED = { code: 'overloaded', status: 503, retryAfterMs: 1_000 };
  const frozenWith = async (over: Partial<PolicyDeps>): Promise<Policy> => {
    const policy = await started({ window: 20, ...over });
    fake.frozen = true;
    return policy;
  };

  test('wait, and each is decided once', async () => {
    const policy = await started({ window: 20 });
    const replies = await Promise.all(Array.from({ length: 400 }, () => ask(policy)));
    expect(replies.every(({ allow: allowed }) => allowed)).toBe(true);
    expect(fake.authorized).toHaveLength(400);
    expect(Math.max(...fake.frames)).toBeLessThanOrEqual(10);
    expect(policy.status()).toMatchObject({ waiting: 0, inFlight: 0 });
  });

  test('are refused with retry-after if they wait too long, or too many wait', async () => {
    const policy = await frozenWith({ queueMost: 4, queueMs: 50 });
    const asked = Array.from({ length: 10 }, () => ask(policy));
    const waited = [ask(policy), ask(policy)];
    await expect(ask(policy)).rejects.toMatchObject(OVERLOADED);
    for (const one of waited) await expect(one).rejects.toMatchObject(OVERLOADED);
    fake.thaw();
    await Promise.all(asked);
  });

  test('do not delay settles and extensions of running requests', async () => {
    const policy = await started({ window: 20 });
    const hold = await taken(policy);
    fake.frozen = true;
    const asked = Array.from({ length: 30 }, () => ask(policy));
    await until(() => policy.status().waiting === 20, 'requests to wait');
    await until(() => fake.frames.at(-1) === 10, 'the others to be asked about');
    const extended = hold.extend('model-1', { outputTokens: 1 });
    await until(() => fake.frames.at(-1) === 1, 'the extension to be asked for');
    policy.settle(hold, { requestId: hold.requestId });
    fake.thaw();
    expect(await extended).toEqual({ granted: true });
    await Promise.all(asked);
    await until(() => fake.settled.length === 1, 'the settle');
  });

  test('are 503 naming policy as soon as its session is lost', async () => {
    const policy = await frozenWith({ queueMs: 600_000, authorizeDeadlineMs: 600_000 });
    const asked = Array.from({ length: 30 }, () => ask(policy));
    const failed = asked.map((one) => expect(one).rejects.toMatchObject(AWAY));
    await until(() => fake.frames.length > 0, 'some to be asked about');
    await fake.stop();
    await Promise.all(failed);
  });
});

describe('a late decision', () => {
  test('has its hold cancelled', async () => {
    const policy = await started({ authorizeDeadlineMs: 200 });
    fake.frozen = true;
    const requestId = uuidv7();
    await expect(ask(policy, requestId)).rejects.toMatchObject(AWAY);
    fake.thaw();
    await until(() => fake.holds.get(requestId)?.state === 'CANCELLED', 'the hold to be cancelled');
  });

  test('takes back what its conversation counts already', async () => {
    const policy = await started({ authorizeDeadlineMs: 200 });
    fake.decide = () => ({ allow: { ...allow().allow, addedTokens: 7 } });
    fake.frozen = true;
    const asked = ask(policy, uuidv7(), { conversationId: 'conv_1' });
    await expect(asked).rejects.toMatchObject(AWAY);
    fake.thaw();
    await until(() => fake.settled.length === 1, 'the hold to be cancelled');
    expect(fake.settled).toMatchObject([
      { cancelled: true, conversationId: 'conv_1', assumedTokens: 7 },
    ]);
  });

  test('because of a dependency of policy is 503 naming it', async () => {
    const policy = await started();
    fake.failing.add('authorize');
    await expect(ask(policy)).rejects.toMatchObject({
      status: 503,
      details: { dependency: 'redis' },
    });
  });
});

describe('a settle', () => {
  test('is resent until policy accepts it', async () => {
    const policy = await started();
    const hold = await taken(policy);
    fake.failing.add('settle');
    policy.settle(hold, { requestId: hold.requestId, outcome: 'COMPLETED' });
    await until(() => fake.frames.length >= 3, 'a second try');
    expect(policy.status().settlesQueued).toBe(1);
    fake.failing.clear();
    await until(() => policy.status().settlesKept === 0, 'the settle to be booked');
    expect(fake.settled).toHaveLength(1);
  });

  test('is kept until it is booked', async () => {
    const policy = await started();
    fake.booking = false;
    const hold = await taken(policy);
    policy.settle(hold, { requestId: hold.requestId });
    await until(() => unbooked(policy) === 1, 'the settle to be taken');
    fake.bookAll();
    await until(() => policy.status().settlesKept === 0, 'the settle to be forgotten');
  });

  test('of a cancelled hold is not kept for booking', async () => {
    const policy = await started();
    fake.booking = false;
    const hold = await taken(policy);
    policy.settle(hold, { requestId: hold.requestId, cancelled: true });
    await until(() => policy.status().settlesKept === 0, 'the settle to be forgotten');
  });

  test('waits while policy is unavailable, and is sent afterwards', async () => {
    const policy = await started();
    const hold = await taken(policy);
    const port = Number(fake.address.split(':')[1]);
    await fake.stop();
    await until(() => policy.status().sessionsOpen === 0, 'policy to be lost');
    policy.settle(hold, { requestId: hold.requestId });
    await until(() => policy.status().settlesQueued === 1, 'the settle to be queued');
    fake = await startFakePolicy(port);
    await until(() => policy.status().settlesKept === 0, 'the settle to be booked');
    expect(fake.settled).toHaveLength(1);
  });

  test('beyond the buffer refuses new requests', async () => {
    const policy = await started({ settlesMost: 2 });
    fake.booking = false;
    for (let n = 0; n < 2; n += 1) {
      const hold = await taken(policy);
      policy.settle(hold, { requestId: hold.requestId });
    }
    await until(() => policy.status().settlesFull, 'the buffer to fill');
    await expect(ask(policy)).rejects.toMatchObject({ status: 503 });
    // Only settles that policy has accepted can be booked.
    await until(() => unbooked(policy) === 2, 'both settles to be taken');
    fake.bookAll();
    await until(() => !policy.status().settlesFull, 'room');
    expect((await ask(policy)).allow).toBeTruthy();
  });
});

test('a settle that policy rejects is written to a file for an operator', async () => {
  const policy = await started();
  const hold = await taken(policy);
  fake.failing.add('settle');
  fake.failureCode = 'INVALID_ARGUMENT';
  policy.settle(hold, { requestId: hold.requestId });
  const file = join(spool, 'rejected-settles.jsonl');
  await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'), 'the file');
  expect(readFileSync(file, 'utf8')).toContain(hold.requestId);
  expect(policy.status().settlesKept).toBe(0);
});

test('malformed lines of a spool file are told of and set aside', async () => {
  const settle = { shard: 1, message: { requestId: uuidv7(), holdToken: 'aG9sZA==' } };
  const lines = ['{"shard":', '{"shard":-1,"message":{}}', JSON.stringify(settle)];
  writeFileSync(join(spool, 'settles-1.jsonl'), lines.join('\n'));
  const problems: string[] = [];
  const log = createLogger({ service: 'edge', level: 'error', write: (l) => problems.push(l) });
  await started({ log });
  await until(() => fake.settled.length === 1, 'the one settle');
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain('settles-1.jsonl has lines that are not settles (2)');
});

describe('when Redis loses data', () => {
  test('unbooked settles are sent again, and running holds are adopted', async () => {
    const policy = await started();
    fake.booking = false;
    const running = await taken(policy);
    const done = await taken(policy);
    policy.settle(done, { requestId: done.requestId, costNanoUsd: '7' });
    await until(() => unbooked(policy) === 1, 'the settle to be taken');
    fake.loseData();
    await until(() => fake.settled.length === 2 && fake.extended.length === 1, 'what was lost');
    expect(fake.settled.map(({ costNanoUsd }) => costNanoUsd)).toEqual(['7', '7']);
    expect(fake.extended[0]).toMatchObject({
      requestId: running.requestId,
      adopt: true,
      addOutputTokens: 0,
    });
    await until(() => running.token().toString().endsWith(':1'), 'the new token');
  });

  test('cancellations are sent again', async () => {
    const policy = await started();
    const hold = await taken(policy);
    policy.settle(hold, { requestId: hold.requestId, cancelled: true });
    await until(() => fake.settled.length === 1 && policy.status().settlesKept === 0, 'the close');
    fake.loseData();
    await until(() => fake.settled.length === 2, 'the close to come again');
    expect(fake.settled[1]).toMatchObject({ requestId: hold.requestId, cancelled: true });
  });

  test('a booked mark of another epoch has the same effect', async () => {
    const policy = await started();
    fake.booking = false;
    const hold = await taken(policy);
    fake.announce({ booked: [{ shard: SHARD, epoch: 1, booked: 0 }] });
    policy.settle(hold, { requestId: hold.requestId });
    await until(() => unbooked(policy) === 1, 'the settle to be taken');
    fake.holds.clear();
    fake.announce({ booked: [{ shard: SHARD, epoch: 2, booked: 99 }] });
    await until(() => fake.settled.length === 2, 'the settle to come again');
  });
});

describe('on shutdown', () => {
  test('settles that cannot be delivered go to disk, and the next start delivers them', async () => {
    const policy = await started();
    const hold = await taken(policy);
    fake.failing.add('settle');
    policy.settle(hold, { requestId: hold.requestId, costNanoUsd: '11', usage: { input: 3 } });
    await until(() => policy.status().settlesQueued === 1, 'the settle to be queued');
    await policy.stop(50);
    expect(readdirSync(spool)).toHaveLength(1);

    fake.failing.clear();
    const next = await start();
    await until(() => next.status().settlesKept === 0, 'the settle to be booked');
    expect(fake.settled).toMatchObject([{ costNanoUsd: '11', usage: { input: 3 } }]);
    expect(fake.settled[0]?.holdToken.toString()).toBe(`hold:${hold.requestId}:0`);
    await until(() => readdirSync(spool).length === 0, 'the file to go');
  });

  test('a running request is awaited', async () => {
    const policy = await started();
    const hold = await taken(policy);
    const stopped = policy.stop(15_000);
    policy.settle(hold, { requestId: hold.requestId });
    await stopped;
    expect(fake.settled).toHaveLength(1);
    expect(readdirSync(spool)).toHaveLength(0);
  });
});

test.each([
  [
    'with a length from policy, independent of its clock',
    () => ({ leaseMs: 300, leaseUntilMs: 1e15 }),
  ],
  ['with only an end from policy', () => ({ leaseUntilMs: Date.now() + 100 })],
])('a lease %s is renewed while its request runs', async (_, lease) => {
  const policy = await started();
  fake.decide = () => ({ allow: lease() });
  const hold = await taken(policy);
  await until(() => fake.extended.length > 0, 'the lease to be moved');
  expect(fake.extended[0]).toMatchObject({ requestId: hold.requestId, addOutputTokens: 0 });
  expect(connects).toBe(1);
});

test('an MCP server is confirmed for each question anew', async () => {
  const policy = await started();
  const key = Buffer.alloc(32, 1);
  const target = { serverId: 'server-1', identifier: 'files', connectionVersion: 3 };
  fake.mcpServers.set('files', target);
  expect(await policy.confirmMcp(key, 'files')).toMatchObject({ valid: true, target });
  expect(await policy.confirmMcp(key, 'mail')).toEqual({ valid: true, target: undefined });
  fake.strangers.add(key.toString('hex'));
  expect(await policy.confirmMcp(key, 'files')).toEqual({ valid: false, target: undefined });
  fake.failing.add('confirmKey');
  await expect(policy.confirmMcp(key, 'files')).rejects.toMatchObject({
    code: 'dependency_unavailable',
  });
});
