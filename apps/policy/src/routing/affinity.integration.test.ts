import { createHash } from 'node:crypto';
import type { PolicyClient } from '@tollgate/contracts/node';
import { callUnary } from '@tollgate/kit';

import { eventually, startRig, type Rig } from '../test-support/rig';
import { candidateModel } from './test-support/policies';
import { leftOut, routedKeys, tried } from './test-support/routed-keys';

// Conversations stay where their prompt is cached, on policies that share a Redis and nothing else.

const TURNS = 20;

let rig: Rig;
let clients: PolicyClient[];
beforeAll(async () => {
  rig = await startRig({ UPSTREAM_BREAKER_FAILURES: '3', UPSTREAM_BREAKER_OPEN_MS: '600000' });
  clients = [rig.client];
  for (let n = 0; n < 3; n += 1) clients.push((await rig.another()).client);
});
afterAll(async () => {
  await rig.stop();
});

const { key, report } = routedKeys(() => rig, 'affinity');
const some = (count: number) => Array.from({ length: count }, (_, n) => candidateModel(n));
const conversation = (n: number): Buffer =>
  createHash('sha256')
    .update(`conversation ${String(n)}`)
    .digest()
    .subarray(0, 8);
type Request = ReturnType<ReturnType<typeof key>['request']>;
const send = async (request: Request, n: number) =>
  callUnary(clients[n % clients.length] ?? rig.client, 'authorize', request, {
    deadlineMs: 15_000,
  });

test.each(['round_robin', 'weighted', 'lowest_latency'] as const)(
  'each turn of a conversation begins with the same candidate (%s)',
  async (strategy) => {
    const { request } = key(some(3), { strategy });
    const firsts = new Set<string>();
    for (let n = 0; n < 12; n += 1) {
      const turns = Array.from({ length: TURNS }, (_, turn) =>
        send(request({ affinity: conversation(n) }), turn),
      );
      const [first, ...others] = (await Promise.all(turns)).map(tried);
      for (const other of others) expect(other).toEqual(first);
      firsts.add(first?.[0] ?? '');
    }
    expect(firsts.size).toBe(3);
  },
);

test('a candidate that fails is left by its own conversations, all for their second, and by no other', async () => {
  const { organisationId, request } = key(some(3), { strategy: 'round_robin' });
  const firstOf = async (n: number) => {
    const reply = await send(request({ affinity: conversation(n) }), n);
    return { first: tried(reply)?.[0], second: tried(reply)?.[1], left: leftOut(reply) };
  };
  const before = await Promise.all(Array.from({ length: 30 }, (_, n) => firstOf(n)));
  const failure = { outcome: 'HTTP_503', verdict: 'FAILURE', latencyMs: 10 };
  await report(organisationId, 'm1', [failure, failure, failure] as never);
  const after = await Promise.all(Array.from({ length: 30 }, (_, n) => firstOf(n)));
  for (const [n, { first, left }] of after.entries()) {
    expect(left).toEqual({ m1: 'breaker_open' });
    expect(first).toBe(before[n]?.first === 'm1' ? before[n].second : before[n]?.first);
  }
});

test.each(['round_robin', 'weighted', 'lowest_latency'] as const)(
  'conversations stay where they were moved to, until their prompt begins anew (%s)',
  async (strategy) => {
    const { organisationId, request } = key(some(3), { strategy });
    const all = Array.from({ length: 24 }, (_, n) => n);
    const places = (turn: number, more: object = {}) =>
      Promise.all(
        all.map(async (n) => {
          const asked = send(request({ affinity: conversation(n), ...more }), n + turn);
          return tried(await asked)?.[0];
        }),
      );
    // All are equally quick.
    const answered = [{ outcome: 'OK', latencyMs: 10 }] as never;
    for (const modelId of ['m0', 'm1', 'm2']) await report(organisationId, modelId, answered);
    const before = await places(0);
    const failure = { outcome: 'HTTP_503', verdict: 'FAILURE', latencyMs: 10 };
    await report(organisationId, 'm1', [failure, failure, failure] as never);
    const moved = await places(1);
    expect(moved).not.toContain('m1');
    await report(organisationId, 'm1', [{ outcome: 'OK', probe: true, latencyMs: 10 }] as never);
    // Every policy knows of the move; new conversations go by their hash.
    for (const turn of [2, 3, 4]) expect(await places(turn)).toEqual(moved);
    const fresh = await Promise.all(
      all.map(async (n) => {
        const asked = send(request({ affinity: conversation(1_000 + n) }), n);
        return tried(await asked)?.[0];
      }),
    );
    expect(fresh).toContain('m1');
    expect(await places(5, { contextCompacted: true })).toEqual(before);
    expect(await places(6)).toEqual(before);
  },
);

test('with the lowest latency, new conversations begin where it is quick, and begun ones stay while a cold prompt costs more', async () => {
  const { organisationId, request } = key(some(3), { strategy: 'lowest_latency' });
  const answered = (modelId: string, ms: readonly number[]) =>
    report(organisationId, modelId, ms.map((latencyMs) => ({ outcome: 'OK', latencyMs })) as never);
  const turns = (from: number, more: object) =>
    Promise.all(
      Array.from({ length: 24 }, (_, at) =>
        send(request({ affinity: conversation(from + at), ...more }), at),
      ),
    );
  const places = (replies: Awaited<ReturnType<typeof turns>>) =>
    replies.map((reply) => tried(reply)?.[0] ?? '');
  const remembered = (replies: Awaited<ReturnType<typeof turns>>) =>
    replies.map(({ allow }) => allow?.routing?.rememberPlace);
  const later = { conversationContinues: true };
  /** Reports are processed in the background. */
  const once = async (
    ask: () => ReturnType<typeof turns>,
    holds: (replies: Awaited<ReturnType<typeof turns>>) => void,
  ) => {
    let found: Awaited<ReturnType<typeof turns>> = [];
    await eventually('the reports are processed', async () => {
      found = await ask();
      holds(found);
    });
    return found;
  };
  for (const modelId of ['m0', 'm2']) await answered(modelId, Array<number>(20).fill(100));
  await answered('m1', [100]);
  const first = await turns(0, {});
  expect(new Set(places(first))).toEqual(new Set(['m0', 'm1', 'm2']));
  expect(remembered(first)).not.toContain(true);

  // One slow answer: the mean is 180 ms.
  await answered('m1', [260]);
  const fresh = await once(
    () => turns(100, {}),
    (replies) => expect(places(replies)).not.toContain('m1'),
  );
  expect(places(await turns(0, later))).toEqual(places(first));
  // These are looked for at m1, so they are remembered where they began.
  expect(remembered(fresh)).toContain(true);
  expect(remembered(fresh)).toContain(false);

  // Now the mean is 420 ms.
  await answered('m1', [900]);
  const moved = await once(
    () => turns(0, later),
    (replies) => expect(places(replies)).not.toContain('m1'),
  );
  expect(remembered(moved)).toEqual(places(first).map((place) => place === 'm1'));

  // As edges do: the answer of the first candidate tells where the conversation is.
  for (const [from, replies] of [
    [0, moved],
    [100, fresh],
  ] as const) {
    for (const [at, { allow }] of replies.entries()) {
      if (!allow?.routing?.rememberPlace) continue;
      const where = { policyId: allow.routing.policyId, apiKeyId: allow.subject?.apiKeyId };
      const told = { outcome: 'OK', latencyMs: 100, affinity: conversation(from + at), ...where };
      await report(organisationId, tried({ allow })?.[0] ?? '', [told] as never);
    }
  }
  for (const from of [0, 100]) {
    await once(
      () => turns(from, later),
      (replies) => expect(remembered(replies)).not.toContain(true),
    );
  }
  await answered('m1', Array<number>(12).fill(10));
  await once(
    () => turns(200, {}),
    (replies) => expect(places(replies)).toContain('m1'),
  );
  expect(places(await turns(0, later))).toEqual(places(moved));
  expect(places(await turns(100, later))).toEqual(places(fresh));
});

test('conversations take no turns from the requests beside them', async () => {
  const { request } = key(some(2), { strategy: 'round_robin' });
  const firsts: unknown[] = [];
  for (let n = 0; n < 6; n += 1) {
    await send(request({ affinity: conversation(n) }), n);
    firsts.push(tried(await send(request(), n))?.[0]);
  }
  expect(firsts).toEqual(['m0', 'm1', 'm0', 'm1', 'm0', 'm1']);
});

test.each(['failover', 'priority', 'lowest_cost'] as const)(
  '%s keeps its own order',
  async (strategy) => {
    const { request } = key(some(3), { strategy });
    const plain = tried(await send(request(), 0));
    for (let n = 0; n < 8; n += 1) {
      expect(tried(await send(request({ affinity: conversation(n) }), n))).toEqual(plain);
    }
  },
);

test('a key of another length is refused', async () => {
  const { request } = key(some(2), { strategy: 'round_robin' });
  const asked = send(request({ affinity: Buffer.alloc(9) }), 0);
  await expect(asked).rejects.toThrow('affinity: must be 8 bytes');
});
