import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisCommand } from '@tollgate/stack';
import { Client } from 'pg';

import {
  billOf,
  chat,
  checkBooks,
  eventually,
  expectStatus,
  newTenant,
  requestIdOf,
  startGateway,
  type Gateway,
  type Tenant,
} from '..';
import { takeBackup, type Backup } from './base-backup';

// PostgreSQL is lost and restored to an earlier moment while the gateway serves. What is lost is
// what docs/operations.md says.

/** What happens to Redis beside the restore. */
export const REDIS = ['kept', 'restarted', 'emptied'] as const;
export type RedisFate = (typeof REDIS)[number];

export interface DrillOptions {
  readonly redis: RedisFate;
  /** Requests of each phase. */
  readonly requests: number;
  /** How often Redis is lost after the moment: each time shards get a further epoch. */
  readonly epochs: number;
  readonly say: (line: string) => void;
}

/** Counts are of requests, money in nano-USD. */
export interface Drill {
  readonly served: {
    readonly beforeMoment: number;
    readonly afterMoment: number;
    readonly whileAway: number;
    readonly afterwards: number;
  };
  /** Answered requests without a record, by the phase that they belong to. */
  readonly lost: Drill['served'];
  readonly lostNanoUsd: bigint;
  /** What the upstream billed for the requests after the moment. */
  readonly afterMomentNanoUsd: bigint;
  /** Statuses of keys that were made and revoked after the moment, once all is back. */
  readonly keyMadeAfter: number;
  readonly keyRevokedAfter: number;
  /** Without counters from the books: how many disagree. */
  readonly disagreeing: number;
  readonly agrees: boolean;
  readonly breaches: readonly string[];
}

type Phase = keyof Drill['served'];

interface Run {
  readonly gateway: Gateway;
  readonly tenant: Tenant;
  readonly key: string;
  readonly asked: Map<string, Phase>;
}

export async function restoreDrill(options: DrillOptions): Promise<Drill> {
  const dir = await mkdtemp(join(tmpdir(), 'tollgate-restore-'));
  const gateway = await startGateway({ appendOnly: true });
  try {
    const backup = await takeBackup(gateway.postgres, dir);
    return await disaster(await prepare(gateway), backup, options);
  } finally {
    await gateway.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

async function prepare(gateway: Gateway): Promise<Run> {
  const tenant = await eventually('the catalog has found its database again', () =>
    newTenant(gateway, { upstreamModel: 'sim-tokens-20' }).catch(() => undefined),
  );
  await tenant.create('budgets', {
    scope: { type: 'ORGANISATION', id: tenant.id },
    period: 'MONTHLY',
    limitUsd: '100',
    mode: 'HARD',
  });
  const { key } = await tenant.key();
  return { gateway, tenant, key, asked: new Map() };
}

async function disaster(run: Run, backup: Backup, options: DrillOptions): Promise<Drill> {
  const { gateway, tenant } = run;
  const { requests, redis, say } = options;
  const early = await tenant.key({ name: 'revoked later' });
  await serve(run, 'beforeMoment', requests);
  await allBooked(run);
  await backup.mark('moment');
  say('marked the moment');
  for (let n = 0; n < options.epochs; n += 1) {
    await loseRedis(gateway, 'restarted');
    await isServed(run, 'afterMoment');
  }
  const late = await tenant.key({ name: 'made after the moment' });
  await revoke(run, early.id);
  await serve(run, 'afterMoment', requests);
  await allBooked(run);
  await backup.destroy();
  say('PostgreSQL is lost');
  await serve(run, 'whileAway', requests);
  if (redis !== 'kept') await loseRedis(gateway, redis);
  await backup.restore('moment');
  say('PostgreSQL is back at the moment');
  await isServed(run, 'afterwards');
  await serve(run, 'afterwards', requests);
  await allBooked(run, 'afterMoment');
  const { breaches } = await checkBooks(gateway, 3_000);
  if (redis === 'kept') await loseRedis(gateway, 'restarted');
  await isServed(run, 'afterwards');
  return { ...(await outcome(run, late.key, early.key)), disagreeing: breaches.length };
}

async function outcome(run: Run, late: string, early: string): Promise<Omit<Drill, 'disagreeing'>> {
  const keyMadeAfter = await statusOf(run, late);
  const keyRevokedAfter = await statusOf(run, early);
  await allBooked(run, 'afterMoment');
  const known = await recordsOf(run);
  const served = countOf([...run.asked.values()]);
  const lost = countOf([...run.asked].filter(([id]) => !known.has(id)).map(([, phase]) => phase));
  const bill = (await billOf(run.gateway, run.tenant)).reduce((sum, one) => sum + one.nanoUsd, 0n);
  const booked = [...known.values()].reduce((sum, cost) => sum + cost, 0n);
  const each = bill / BigInt(run.asked.size);
  const { ok, breaches } = await checkBooks(run.gateway);
  return {
    served,
    lost,
    lostNanoUsd: bill - booked,
    afterMomentNanoUsd: each * BigInt(served.afterMoment),
    keyMadeAfter,
    keyRevokedAfter,
    agrees: ok,
    breaches,
  };
}

function countOf(phases: readonly Phase[]): Drill['served'] {
  const of = (phase: Phase): number => phases.filter((one) => one === phase).length;
  return {
    beforeMoment: of('beforeMoment'),
    afterMoment: of('afterMoment'),
    whileAway: of('whileAway'),
    afterwards: of('afterwards'),
  };
}

/** Asks one after another. */
async function serve(run: Run, phase: Phase, requests: number): Promise<void> {
  for (let n = 0; n < requests; n += 1) await ask(run, run.key, phase);
}

async function isServed(run: Run, phase: Phase): Promise<void> {
  await eventually('requests are served', async () => (await ask(run, run.key, phase)) === 200);
}

const statusOf = (run: Run, key: string): Promise<number> => ask(run, key, 'afterwards');

async function ask(run: Run, key: string, phase: Phase): Promise<number> {
  const answer = await chat(run.gateway.edgeUrl(), key, { max_tokens: 20 });
  if (answer.status === 200) run.asked.set(requestIdOf(answer), phase);
  return answer.status;
}

/** Every answered request has its record, but those of the phase that is lost. */
async function allBooked(run: Run, but?: Phase): Promise<void> {
  await eventually('all is booked', async () => {
    const known = await recordsOf(run);
    return [...run.asked].every(([id, phase]) => phase === but || known.has(id));
  });
}

async function recordsOf({ gateway, tenant }: Run): Promise<ReadonlyMap<string, bigint>> {
  const client = new Client({ connectionString: gateway.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; cost: string }>(
      'select id, cost_nano_usd as cost from usage_record where organisation_id = $1',
      [tenant.id],
    );
    return new Map(rows.map(({ id, cost }) => [id, BigInt(cost)]));
  } finally {
    await client.end();
  }
}

async function revoke({ gateway, tenant }: Run, id: string): Promise<void> {
  expectStatus(await gateway.rest.post(`${tenant.base}/apikeys/${id}/revoke`), 200);
}

async function loseRedis({ redis }: Gateway, how: RedisFate): Promise<void> {
  if (how === 'emptied') await redisCommand(redis.url, ['FLUSHALL']);
  await redis.restart();
}
