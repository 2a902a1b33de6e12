import { redisCommand, type RunningService } from '@tollgate/stack';

import { signalPostgres } from './freeze';
import type { Load } from './load';
import { pause } from './pause';
import type { Random } from './random';
import { drawFault, losesTogether, type RandomFault } from './random-faults';
import type { Happened, Scenario } from './scenario';
import type { World } from './world';

// The faults, as data. Each fault waits until requests are served before and after it, so that it
// hits running requests, and a gateway that does not recover is detected.

export const BEFORE = 30;
const AFTER = 60;
export const ROOM = 1_000_000;
const AWAY_MS = 3_000;

export const steady = { callers: 40, streamed: 0.4, givenUp: 0.05 } as const;

/** With and without floats, to compare what is refused. */
export const runsOut = {
  affords: 600,
  tokens: 20,
  load: { callers: 40, each: 30, streamed: 0.5, givenUp: 0.1 },
} as const;

type DuringLoad = NonNullable<Scenario['fault']>;

/** A killed or frozen service returns before the callers stop. */
export function around(fault: DuringLoad): DuringLoad {
  return async (world, load, random, checker) => {
    await load.served(BEFORE);
    // At an arbitrary time between two requests.
    await pause(random.between(0, 200));
    const happened = await fault(world, load, random, checker);
    await load.served(AFTER);
    return happened;
  };
}

export function killed(services: (world: World) => readonly RunningService[]): DuringLoad {
  return around(async (world, load) => {
    for (const service of services(world)) {
      await service.process().stop('SIGKILL');
      await load.served(BEFORE);
      await service.restart();
    }
  });
}

export function frozen(
  services: (world: World) => readonly RunningService[],
  forMs = AWAY_MS,
): DuringLoad {
  return around(async (world) => {
    const stopped = services(world);
    for (const service of stopped) service.process().signal('SIGSTOP');
    await pause(forMs);
    for (const service of stopped) service.process().signal('SIGCONT');
  });
}

export const roomy = { affords: ROOM, load: steady, tokens: 40 } as const;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: '500 at once, budget for 50',
    affords: 50,
    tokens: 100,
    load: { callers: 500, each: 1, streamed: 0.3, givenUp: 0 },
  },
  {
    name: 'budget runs out under way',
    affords: 150,
    tokens: 40,
    load: { callers: 40, each: 10, streamed: 0.5, givenUp: 0.1 },
  },
  { name: 'budget of 600 runs out', ...runsOut },
  {
    name: 'callers that hang up',
    ...roomy,
    load: { callers: 40, each: 10, streamed: 0.7, givenUp: 0.5 },
  },
  { name: 'each edge killed', ...roomy, fault: killed(({ edges }) => edges) },
  {
    name: 'each edge killed, screened',
    ...roomy,
    screened: true,
    fault: killed(({ edges }) => edges),
  },
  {
    name: 'a screening service killed, frozen',
    ...roomy,
    screened: true,
    fault: around(async (_world, load, _random, checker) => {
      checker?.kill();
      await load.served(BEFORE);
      checker?.restart();
      await load.served(BEFORE);
      checker?.freeze();
      await pause(AWAY_MS);
      checker?.thaw();
    }),
  },
  { name: 'each policy killed', ...roomy, fault: killed(({ policies }) => policies) },
  { name: 'each catalog killed', ...roomy, fault: killed(({ catalogs }) => catalogs) },
  { name: 'a policy frozen', ...roomy, fault: frozen(({ policies }) => policies.slice(0, 1)) },
  { name: 'all policies frozen', ...roomy, fault: frozen(({ policies }) => policies) },
  { name: 'all catalogs frozen', ...roomy, fault: frozen(({ catalogs }) => catalogs) },
  {
    name: 'PostgreSQL away for the whole run',
    ...roomy,
    fault: async (world, load) => {
      // One request through each edge first makes the key known.
      await load.served(BEFORE);
      world.postgres.kill('SIGKILL');
      await load.served(10 * AFTER);
      await world.postgres.restart();
    },
  },
  {
    name: 'PostgreSQL frozen',
    ...roomy,
    fault: around(async ({ postgres }) => {
      signalPostgres(postgres, 'SIGSTOP');
      await pause(AWAY_MS);
      signalPostgres(postgres, 'SIGCONT');
    }),
  },
  {
    name: 'Redis frozen',
    ...roomy,
    fault: around(async ({ redis }) => {
      redis.kill('SIGSTOP');
      await pause(AWAY_MS);
      redis.kill('SIGCONT');
    }),
  },
  {
    name: 'Redis killed and started again',
    ...roomy,
    fault: around(async ({ redis }) => {
      redis.kill('SIGKILL');
      await pause(500);
      await redis.restart();
    }),
  },
  {
    name: 'Redis emptied',
    ...roomy,
    fault: around(async ({ redis }) => {
      await redisCommand(redis.url, ['FLUSHALL']);
    }),
  },
  {
    name: 'Redis emptied, tight budget',
    affords: 150,
    tokens: 40,
    load: steady,
    fault: async ({ redis }, load) => {
      await load.served(BEFORE);
      await redisCommand(redis.url, ['FLUSHALL']);
      await load.served(BEFORE);
    },
  },
  {
    name: 'Redis put back to an older copy',
    ...roomy,
    fault: around(async (world, load) => {
      const putBack = await world.copyRedis();
      await load.served(AFTER);
      await putBack();
    }),
  },
  {
    name: 'Redis emptied and an edge killed',
    ...roomy,
    mayLose: true,
    fault: around(async ({ redis, edges: [edge] }, load) => {
      edge?.process().signal('SIGKILL');
      await redisCommand(redis.url, ['FLUSHALL']);
      await load.served(BEFORE);
      await edge?.restart();
    }),
  },
  {
    name: 'slow networks',
    ...roomy,
    fault: around(async ({ redisWay, catalogWay }, load) => {
      redisWay.delay(20);
      catalogWay.delay(100);
      await load.served(5 * AFTER);
      redisWay.delay(0);
      catalogWay.delay(0);
    }),
  },
  {
    name: 'connections cut, over and over',
    ...roomy,
    fault: around(async ({ redisWay, catalogWay }, load, random) => {
      for (let n = 0; n < 10; n += 1) {
        random.pick([redisWay, catalogWay]).cut();
        await load.served(random.between(5, BEFORE));
      }
    }),
  },
  { name: 'anything, at random', ...roomy, load: { ...steady, callers: 60 }, fault: around(havoc) },
];

/** The scenarios of continuous integration. */
export const SHORT: readonly string[] = [
  '500 at once, budget for 50',
  'each edge killed',
  'Redis emptied',
  'PostgreSQL away for the whole run',
];

const ROUNDS = 8;

/** Eight faults in a row, each during the recovery from the one before. */
async function havoc(world: World, load: Load, random: Random): Promise<Happened> {
  const happened: RandomFault[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const fault = drawFault(random);
    happened.push(fault);
    await fault.run(world);
    await load.served(random.between(1, BEFORE));
  }
  return { faults: happened.map(({ what }) => what), mayLose: losesTogether(happened) };
}
