import { formatUsd, parseUsd } from '@tollgate/contracts';

import { chat, eventually, expectStatus, type Tenant } from '../gateway/tenant';
import { counter } from './counter';
import type { Scenario } from './scenario';
import type { World } from './world';

/** The time to detect a shard's data loss, and the grace after that, on a busy machine. */
const REOPENED_MS = 60_000;

export interface Budget {
  readonly id: string;
  readonly cap: bigint;
  /** The limit that affords this number of requests beside the probe. */
  readonly capOf: (requests: number) => bigint;
}

/** A budget for this number of requests, known to every policy and used by one. */
export async function budgetOf(
  world: World,
  tenant: Tenant,
  key: string,
  scenario: Pick<Scenario, 'affords' | 'tokens'>,
): Promise<Budget> {
  // Shards have several tenants: this one's shard may still be closed after the previous scenario.
  const answer = await eventually(
    'the grace after a loss of data is over',
    async () => {
      const first = await chat(world.edgeUrls[0] ?? '', key, { max_tokens: scenario.tokens });
      return first.status !== 503 && first;
    },
    REOPENED_MS,
  );
  expectStatus(answer, 200);
  const hold = parseUsd(String(answer.headers['x-tollgate-held-usd']));
  // The probe is spent already; half a hold more keeps the last request from fitting exactly.
  const capOf = (requests: number): bigint => hold * BigInt(requests + 1) + hold / 2n;
  const cap = capOf(scenario.affords);
  const budget = await tenant.create('budgets', {
    scope: { type: 'ORGANISATION', id: tenant.id },
    period: 'MONTHLY',
    limitUsd: formatUsd(cap),
    mode: 'HARD',
  });
  await known(world, tenant, key, scenario, budget.id);
  return { id: budget.id, cap, capOf };
}

/**
 * A new limit is reread from the books once earlier requests are booked. The fault comes after
 * that, because a cold counter cannot be seeded while the books are away.
 */
async function known(
  world: World,
  tenant: Tenant,
  key: string,
  scenario: Pick<Scenario, 'affords' | 'tokens'>,
  budgetId: string,
): Promise<void> {
  for (const [n, url] of [...world.edgeUrls, ...world.edgeUrls].entries()) {
    await chat(url, key, { max_tokens: scenario.tokens });
    await eventually('all is booked', async () => {
      const { held, stream } = await counter(world, tenant, budgetId);
      return held === 0 && stream === 0;
    });
    const { settled } = await counter(world, tenant, budgetId);
    if (n >= world.edgeUrls.length && settled === null) throw new Error('the counter stays cold');
  }
}
