import { redisCommand } from '@tollgate/stack';

import { signalPostgres } from './freeze';
import type { World } from './world';

// The rows of the failure table: the outcome of new and running requests while a dependency is
// away.

export interface Cell {
  readonly name: string;
  /** Causes the failure; the returned function, if any, restores what `repair` does not. */
  readonly begin: (world: World) => Promise<void>;
  /** The outcome of new requests during the failure. */
  readonly fresh: 'served' | 'refused' | 'closed for the grace';
  /** The maximum duration of a new request; `undefined` if no deadline of the gateway bounds it. */
  readonly withinMs: number;
  /** The failing health checks; empty if all have recovered by then. */
  readonly out: readonly string[];
  /** Whether an edge still reports that it serves. */
  readonly serving: boolean;
  /** The edge that is lost, with its running requests. */
  readonly edge?: number;
  /** Runs in continuous integration too, because its result does not depend on deadlines. */
  readonly short?: boolean;
}

/** The edge's authorize deadline, doubled for a busy machine. */
const DEADLINE_MS = 500 + 500;
/**
 * Served from the cache: at most one wait for the catalog is added to an answer of milliseconds.
 */
const SERVED_MS = 300 + 500;

const kill = async (services: World['policies']): Promise<void> => {
  await Promise.all(services.map((service) => service.process().stop('SIGKILL')));
};
const freeze = (services: World['policies']): void => {
  for (const service of services) service.process().signal('SIGSTOP');
};

export const CELLS: readonly Cell[] = [
  {
    name: 'policy dead',
    begin: ({ policies }) => kill(policies),
    fresh: 'refused',
    withinMs: DEADLINE_MS,
    out: ['cache', 'database', 'policy', 'sessions'],
    serving: false,
    short: true,
  },
  {
    name: 'policy frozen',
    begin: async ({ policies }) => freeze(policies),
    fresh: 'refused',
    withinMs: DEADLINE_MS,
    out: ['cache', 'database', 'policy', 'sessions'],
    serving: false,
  },
  {
    name: 'Redis dead',
    begin: async ({ redis }) => redis.kill('SIGKILL'),
    fresh: 'refused',
    withinMs: DEADLINE_MS,
    out: ['cache', 'policy'],
    serving: false,
    short: true,
  },
  {
    name: 'Redis frozen',
    begin: async ({ redis }) => redis.kill('SIGSTOP'),
    fresh: 'refused',
    withinMs: DEADLINE_MS,
    out: ['cache', 'policy'],
    serving: false,
  },
  {
    name: 'Redis emptied',
    begin: async ({ redis }) => void (await redisCommand(redis.url, ['FLUSHALL'])),
    fresh: 'closed for the grace',
    withinMs: DEADLINE_MS,
    out: [],
    serving: true,
  },
  {
    name: 'catalog dead',
    begin: ({ catalogs }) => kill(catalogs),
    fresh: 'served',
    withinMs: SERVED_MS,
    out: ['catalog', 'database'],
    serving: true,
  },
  {
    name: 'catalog frozen',
    begin: async ({ catalogs }) => freeze(catalogs),
    fresh: 'served',
    withinMs: SERVED_MS,
    out: ['catalog', 'database'],
    serving: true,
  },
  {
    name: 'PostgreSQL dead',
    begin: async ({ postgres }) => postgres.kill('SIGKILL'),
    fresh: 'served',
    withinMs: SERVED_MS,
    out: ['database'],
    serving: true,
  },
  {
    name: 'PostgreSQL frozen',
    begin: async ({ postgres }) => signalPostgres(postgres, 'SIGSTOP'),
    fresh: 'served',
    withinMs: SERVED_MS,
    out: ['database'],
    serving: true,
  },
  {
    name: 'an edge dead',
    begin: ({ edges }) => kill(edges.slice(1, 2)),
    fresh: 'served',
    withinMs: SERVED_MS,
    out: [],
    serving: true,
    edge: 1,
  },
];
