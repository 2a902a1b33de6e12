import { redisCommand, type RunningService } from '@tollgate/stack';

import { signalPostgres } from './freeze';
import { pause } from './pause';
import type { Random } from './random';
import type { World } from './world';

export interface RandomFault {
  readonly what: string;
  /** Of the data that only this process or store had. */
  readonly loses?: 'redis' | 'edge';
  /** Nothing is booked meanwhile. */
  readonly keepsFromBooks?: true;
  readonly run: (world: World) => Promise<unknown>;
}

/**
 * Each edge sends again what Redis had when it lost its data, but not one that dies with it. What is booked is safe; nothing
 * is while PostgreSQL, the catalogs or the policy that books are away.
 */
export function losesTogether(
  faults: readonly Pick<RandomFault, 'loses' | 'keepsFromBooks'>[],
): boolean {
  let lost: RandomFault['loses'];
  for (const { keepsFromBooks = false, loses } of faults) {
    if (lost !== undefined && loses !== undefined && loses !== lost) return true;
    if (loses !== undefined || !keepsFromBooks) lost = loses;
  }
  return false;
}

const SERVICES = ['policies', 'catalogs', 'edges'] as const;
const STORES = ['redis', 'postgres'] as const;

export function drawFault(random: Random): RandomFault {
  const service = random.pick(SERVICES);
  const which = random.between(0, 1);
  const store = random.pick(STORES);
  const way = random.pick(['redisWay', 'catalogWay'] as const);
  const [soon, later] = [random.between(0, 500), random.between(100, 1_500)];
  const serviceOf = (world: World): RunningService => {
    const found = world[service][which];
    if (found === undefined) throw new RangeError(`there is no ${service}[${which}]`);
    return found;
  };
  const unbooked = { keepsFromBooks: true } as const;
  const ofService = service === 'edges' ? {} : unbooked;
  const ofStore = store === 'postgres' ? unbooked : {};
  return random.pick<RandomFault>([
    {
      what: `${service}[${which}] killed for ${soon} ms`,
      ...ofService,
      ...(service === 'edges' ? { loses: 'edge' as const } : {}),
      run: async (world) => {
        const killed = serviceOf(world);
        await killed.process().stop('SIGKILL');
        await pause(soon);
        await killed.restart();
      },
    },
    {
      what: `${service}[${which}] frozen for ${later} ms`,
      ...ofService,
      run: async (world) => {
        const frozen = serviceOf(world);
        frozen.process().signal('SIGSTOP');
        await pause(later);
        frozen.process().signal('SIGCONT');
      },
    },
    {
      what: `${store} frozen for ${later} ms`,
      ...ofStore,
      run: async ({ postgres, redis }) => {
        const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
          if (store === 'postgres') signalPostgres(postgres, name);
          else redis.kill(name);
        };
        signal('SIGSTOP');
        await pause(later);
        signal('SIGCONT');
      },
    },
    {
      what: `${store} killed for ${soon} ms`,
      ...(store === 'redis' ? { loses: 'redis' as const } : ofStore),
      run: async (world) => {
        world[store].kill('SIGKILL');
        await pause(soon);
        await world[store].restart();
      },
    },
    {
      what: 'redis emptied',
      loses: 'redis',
      run: ({ redis }) => redisCommand(redis.url, ['FLUSHALL']),
    },
    {
      what: `${way} cut`,
      ...(way === 'catalogWay' ? unbooked : {}),
      run: async (world) => world[way].cut(),
    },
  ]);
}
