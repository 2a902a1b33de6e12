import { shardOf } from '@tollgate/contracts';
import { redisCommand } from '@tollgate/stack';
import { createClient } from 'redis';

import { eventually, type Tenant } from '../gateway/tenant';
import { pause } from './pause';
import type { World } from './world';

// The live counter of a tenant's budget, read directly from Redis during a fault.

const counterOf = (tenant: Tenant, budgetId: string): string =>
  `{s${shardOf(tenant.id)}}:c:${budgetId}`;

/** Polls the live counter and keeps its maximum, and that of the floats in its shard. */
export function watchCounter(world: World, tenant: Tenant, budgetId: string) {
  const key = counterOf(tenant, budgetId);
  const floatsKey = `{s${shardOf(tenant.id)}}:floats`;
  let most: bigint | undefined;
  let floats = 0;
  const lent = Promise.withResolvers<void>();
  const over = new AbortController();
  const client = createClient({ url: world.redis.url, disableOfflineQueue: true });
  // Redis fails in some scenarios; the client reconnects by itself.
  client.on('error', () => undefined);
  const connecting = client.connect().catch(() => undefined);
  const look = async (): Promise<void> => {
    const [[settled, held], out] = await Promise.all([
      client.hmGet(key, ['s', 'h']),
      client.zCard(floatsKey),
    ]);
    floats = Math.max(floats, out);
    if (floats > 0) lent.resolve();
    if (typeof settled !== 'string') return;
    const now = BigInt(settled) + BigInt(held ?? 0);
    if (most === undefined || now > most) most = now;
  };
  const watching = (async () => {
    await connecting;
    while (!over.signal.aborted) {
      await Promise.race([look().catch(() => undefined), pause(1_000)]);
      await pause(5);
    }
    client.destroy();
  })();
  return {
    /** Resolves when a policy has a float in the tenant's shard. */
    lent: lent.promise,
    /** `most` is undefined if the counter was never observed. */
    stop: async (): Promise<{ most: bigint | undefined; floats: number }> => {
      over.abort();
      await watching;
      return { most, floats };
    },
  };
}

interface CounterState {
  readonly settled: number | null;
  readonly held: number;
  /** Ledger entries that are not booked yet. */
  readonly stream: number;
}

export async function counter(
  world: World,
  tenant: Tenant,
  budgetId: string,
): Promise<CounterState> {
  const [amounts, stream] = (await Promise.all([
    redisCommand(world.redis.url, ['HMGET', counterOf(tenant, budgetId), 's', 'h']),
    redisCommand(world.redis.url, ['XLEN', `{s${shardOf(tenant.id)}}:ledger`]),
  ])) as [[string | null, string | null], number];
  const [settled, held] = amounts;
  return { settled: settled === null ? null : Number(settled), held: Number(held ?? 0), stream };
}

/**
 * Waits until no hold of the tenant is left and all is booked; returns the remaining holds
 * otherwise.
 */
export async function ended(world: World, tenant: Tenant, budgetId: string): Promise<number> {
  let left = 0;
  await eventually(
    'every hold has ended and is booked',
    async () => {
      const { held, stream } = await counter(world, tenant, budgetId);
      left = held;
      return held === 0 && stream === 0;
    },
    90_000,
  ).catch((error: unknown) => {
    if (left === 0) throw error;
  });
  return left;
}
