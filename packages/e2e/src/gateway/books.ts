import { verify } from '@tollgate/stack';

import type { Gateway } from './gateway';
import type { SharedGateway } from './shared-gateway';
import { PRICES, type Tenant } from './tenant';

// The charged amounts: by the upstream's own bill, and by the consistency check of the books.

/** A line of the upstream's bill, in nano-USD at the tenant's prices. */
export interface BillLine {
  /** The answer's id at the upstream. */
  readonly id: string;
  readonly nanoUsd: bigint;
}

/** The upstream's bill for the key of the tenant's first provider. */
export async function billOf(
  { simulatorUrl }: Pick<Gateway, 'simulatorUrl'>,
  { slug }: Tenant,
): Promise<BillLine[]> {
  const answer = await fetch(`${simulatorUrl}/_sim/bill?apiKey=sk-sim-${slug}`);
  const { requests } = (await answer.json()) as {
    requests: { id: string; usage: { input: number; output: number } }[];
  };
  return requests.map(({ id, usage: { input, output } }) => ({
    id,
    nanoUsd: BigInt(input) * nano(PRICES.input) + BigInt(output) * nano(PRICES.output),
  }));
}

/** One dollar per million tokens is a thousand nano-USD per token. */
function nano(usdPerMillion: string): bigint {
  return BigInt(Math.round(Number(usdPerMillion) * 1_000));
}

/** `npm run ledger:verify`: records, windows, rollups and live counters. */
export async function checkBooks(
  { databaseUrl, redis }: Pick<SharedGateway, 'databaseUrl' | 'redis'>,
  patienceMs = 60_000,
) {
  const { ok, books, store } = await verify({
    databaseUrl,
    redisUrl: redis.url,
    patienceMs,
  });
  const { windowBreaches, valueBreaches, rollupBreaches, mcpBreaches } = books;
  const breaches = [
    ...windowBreaches.map((breach) => JSON.stringify(breach)),
    ...valueBreaches.map((breach) => JSON.stringify(breach)),
    ...rollupBreaches,
    ...mcpBreaches,
    ...store.breaches,
  ];
  return { ok, breaches, countersCompared: store.countersCompared };
}
