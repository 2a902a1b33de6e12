import { redisCommand, workspaceRoot, type Changes, type RunningService } from '@tollgate/stack';

import type { Load } from './load';
import { pause } from './pause';
import type { Scenario } from './scenario';
import { around, BEFORE, frozen, killed, roomy, runsOut, steady } from './scenarios';

// Faults while policies have floats out. What must hold is what must hold without floats, but for what an edge
// and a policy lose together.

/** A float of a frozen policy is free after 5 s; then others have given it to their own requests. */
const BEYOND_LEASE_MS = 8_000;
/** Decisions that are not posted: 100 ms of them, and a pause between two posts. */
const UNPOSTED_MS = 110;

/** Drains it, as a change of releases does. */
async function changed(service: RunningService | undefined, changes: Changes): Promise<void> {
  await service?.process().stop('SIGTERM');
  await service?.restart(changes);
}

type Change = readonly [RunningService | undefined, Changes];

/** One change after the other, each after the last one has served for a while. */
async function inTurn(load: Load, changes: readonly Change[]): Promise<void> {
  for (const [service, to] of changes) {
    await changed(service, to);
    await load.served(3 * BEFORE);
  }
}

/** The scenarios of continuous integration. */
export const SHORT_WITH_FLOATS: readonly string[] = [
  'floats: each policy killed',
  'floats: an edge and a policy killed',
  'floats: the limit is lowered',
];

export const FLOAT_SCENARIOS: readonly Scenario[] = [
  {
    name: 'floats: 500 at once, budget for 50',
    affords: 50,
    tokens: 100,
    load: { callers: 500, each: 1, streamed: 0.3, givenUp: 0 },
  },
  {
    name: 'floats: budget runs out',
    ...runsOut,
    floats: true,
  },
  {
    name: 'floats: runs out, a policy killed',
    ...runsOut,
    floats: true,
    fault: async ({ policies: [policy] }, load) => {
      await load.served(5 * BEFORE);
      await policy?.process().stop('SIGKILL');
      await load.finished;
      await policy?.restart();
    },
  },
  { name: 'floats: each policy killed', ...roomy, floats: true, fault: killed((w) => w.policies) },
  {
    name: 'floats: both policies killed at once',
    ...roomy,
    floats: true,
    // The floats of both are reclaimed by both when they are back.
    fault: around(async ({ policies }) => {
      for (const policy of policies) policy.process().signal('SIGKILL');
      for (const policy of policies) await policy.restart();
    }),
  },
  {
    name: 'floats: a policy frozen, thawed',
    ...roomy,
    floats: true,
    fault: frozen(({ policies }) => policies.slice(0, 1)),
  },
  {
    name: 'floats: frozen beyond their lease',
    ...roomy,
    floats: true,
    fault: frozen(({ policies }) => policies.slice(0, 1), BEYOND_LEASE_MS),
  },
  { name: 'floats: each edge killed', ...roomy, floats: true, fault: killed((w) => w.edges) },
  {
    name: 'floats: an edge and a policy killed',
    ...roomy,
    floats: true,
    mayLoseMs: UNPOSTED_MS,
    fault: around(async ({ edges: [edge], policies: [policy] }, load) => {
      policy?.process().signal('SIGKILL');
      edge?.process().signal('SIGKILL');
      await load.served(BEFORE);
      await policy?.restart();
      await edge?.restart();
    }),
  },
  {
    name: 'floats: Redis killed, started again',
    ...roomy,
    floats: true,
    fault: around(async ({ redis }) => {
      redis.kill('SIGKILL');
      await pause(500);
      await redis.restart();
    }),
  },
  {
    name: 'floats: Redis frozen',
    ...roomy,
    floats: true,
    fault: around(async ({ redis }) => {
      redis.kill('SIGSTOP');
      await pause(BEYOND_LEASE_MS);
      redis.kill('SIGCONT');
    }),
  },
  {
    name: 'floats: Redis emptied',
    ...roomy,
    floats: true,
    fault: around(async ({ redis }) => {
      await redisCommand(redis.url, ['FLUSHALL']);
    }),
  },
  {
    name: 'floats: Redis cut off, over and over',
    ...roomy,
    floats: true,
    fault: around(async ({ redisWay }, load, random) => {
      for (let n = 0; n < 10; n += 1) {
        redisWay.cut();
        await load.served(random.between(5, BEFORE));
      }
    }),
  },
  {
    name: 'floats: the limit is lowered',
    ...roomy,
    load: steady,
    floats: true,
    loweredTo: 500,
    fault: async (_world, load) => {
      // Until the lowered limit refuses.
      while (!load.answers.some(({ status }) => status === 402)) await pause(50);
    },
  },
  {
    name: 'floats: another release and back',
    ...roomy,
    floats: true,
    needsPrevious: true,
    drained: true,
    // Each pair of an edge and a policy of both releases serves for a while.
    fault: around(async ({ edges, policies, previous = '' }, load) => {
      const older = { workspace: previous };
      const own = { workspace: workspaceRoot() };
      await inTurn(load, [
        [policies[0], older],
        [edges[0], older],
        [policies[1], older],
        [edges[1], older],
        [edges[0], own],
        [policies[0], own],
        [edges[1], own],
        [policies[1], own],
      ]);
    }),
  },
  {
    name: 'floats: switched off, another release',
    ...roomy,
    floats: true,
    needsPrevious: true,
    drained: true,
    // The two steps back to a release from before floats (docs/kubernetes.md), and the one to this release.
    fault: around(async ({ edges, policies, previous = '' }, load) => {
      const older = { workspace: previous };
      const off = { env: { FLOATS: 'off' } };
      const own = { workspace: workspaceRoot(), env: { FLOATS: 'on' } };
      await inTurn(load, [
        [policies[0], off],
        [policies[1], off],
        [policies[0], older],
        [edges[0], older],
        [policies[1], older],
        [edges[1], older],
        [policies[0], own],
        [edges[0], own],
        [policies[1], own],
        [edges[1], own],
      ]);
    }),
  },
];
