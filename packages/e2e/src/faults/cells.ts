import { redisCommand } from '@tollgate/stack';

import { signalPostgres } from './freeze';
import type { World } from './world';

// The rows of the table of what becomes of requests, new and running, when something is away.

export interface Cell {
  readonly name: string;
  /** Makes it go away; the answer, where there is one, brings back what `repair` does not. */
  readonly begin: (world: World) => Promise<void>;
  /** What becomes of new requests while it lasts. */
  readonly fresh: 'served' | 'refused' | 'closed for the grace';
  /** No new request may take longer; `undefined` where none of the gateway's deadlines bounds it. */
  readonly withinMs: number;
  /** The health checks that say no, and no others do; empty: all is well again by then. */
  readonly out: readonly string[];
  /** Whether an edge still calls itself able to serve. */
  readonly serving: boolean;
  /** An edge is lost, and what ran on it. */
  readonly edge?: number;
  /** Runs in continuous integration too: nothing here hangs on how long deadlines are. */
  readonly short?: boolean;
}

/** A decision's deadline at the edge, and as much again for a machine that does all of this at once. */
const DEADLINE_MS = 500 + 500;
/** Served from what is known: added to an answer of milliseconds is at most one wait for the catalog. */
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
