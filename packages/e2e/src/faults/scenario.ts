import { shardOf } from '@tollgate/contracts';
import { redisCommand } from '@tollgate/stack';
import { createClient } from 'redis';

import { eventually, newTenant, PRICES, type Tenant } from '../gateway/tenant';
import { type Load, type LoadOptions, startLoad } from './load';
import { pause } from './pause';
import { seeded, type Random } from './random';
import { type BillLine, judge, type Judgement, readBooks } from './referee';
import type { World } from './world';

// One scenario: a tenant with a budget, callers, a fault while they call, and afterwards the
// referee's questions. What it answers is a row of the table, with every breach in words.

export interface Scenario {
  readonly name: string;
  /** How many requests the budget affords. */
  readonly affords: number;
  readonly load: Pick<LoadOptions, 'callers' | 'each' | 'streamed' | 'givenUp'>;
  /** Tokens of each answer; the upstream takes 5 ms for each. */
  readonly tokens: number;
  /** What goes wrong, while the callers call; where there is none they ask as often as they should. */
  readonly fault?: (world: World, load: Load, random: Random) => Promise<void>;
  /** Redis and an edge are lost together: what only they knew may be lost. */
  readonly mayLose?: boolean;
}

export interface Row extends Judgement {
  readonly name: string;
  readonly asked: number;
  readonly served: number;
  /** 503 while something was away. */
  readonly away: number;
  /** 402 and the other refusals of limits. */
  readonly refused: number;
  readonly broken: number;
  /** Refusals that no limit explains. */
  readonly wrongful: number;
  /** The most that holds and spend came to at once, in thousandths of the cap. */
  readonly mostOfCap: number;
  readonly heldAfter: number;
  readonly seconds: number;
  readonly breaches: readonly string[];
}

const PACE_MS = 5;
const LIMIT_STATUSES = new Set([402, 429]);
const nano = (usd: string): bigint => BigInt(Math.round(Number(usd) * 1_000));

export async function runScenario(world: World, scenario: Scenario, seed: number): Promise<Row> {
  const random = seeded(seed);
  const started = performance.now();
  const { tokens } = scenario;
  const tenant = await newTenant(world, {
    upstreamModel: `sim-tokens-${String(tokens)}.pace-${String(PACE_MS)}`,
  });
  const { key } = await tenant.key();
  const budget = await budgetOf(world, tenant, key, scenario);
  const watch = watchCounter(world, tenant, budget.id);
  const load = startLoad({
    ...scenario.load,
    urls: world.edgeUrls,
    key,
    model: 'chat',
    maxTokens: tokens,
    random,
  });
  const troubles: string[] = [];
  await scenario.fault?.(world, load, random).catch((error: unknown) => {
    troubles.push(`during the fault: ${error instanceof Error ? error.message : String(error)}`);
  });
  await (scenario.load.each === undefined ? load.stop() : load.finished);
  await world.repair();
  const held = await ended(world, tenant, budget.id);
  const most = await watch.stop();
  const verified = await world.verify();
  const judgement = judge(
    load.answers,
    await readBooks(world.pool, tenant.id),
    await billOf(world, tenant),
  );
  const row = tally(scenario, load, judgement, {
    most: max(most ?? 0n, judgement.spentNanoUsd),
    cap: budget.cap,
    held,
    seconds: (performance.now() - started) / 1_000,
  });
  const aside = await world.pool.query<{ reason: string }>(
    'DELETE FROM ledger_quarantine RETURNING reason',
  );
  troubles.push(
    ...aside.rows.map(({ reason }) => `an entry was set aside: ${reason}`),
    ...verified.books.windowBreaches.map((breach) => JSON.stringify(breach)),
    ...verified.books.rollupBreaches,
    ...verified.store.breaches,
  );
  return { ...row, breaches: [...row.breaches, ...troubles] };
}

interface Measured {
  readonly most: bigint;
  readonly cap: bigint;
  readonly held: number;
  readonly seconds: number;
}

function tally(scenario: Scenario, load: Load, judged: Judgement, measured: Measured): Row {
  const { answers } = load;
  const count = (test: (status: number) => boolean): number =>
    answers.filter(({ status }) => test(status)).length;
  const { cap, most, held } = measured;
  const refused = count((status) => LIMIT_STATUSES.has(status));
  const other = count((status) => ![0, 200, 503].includes(status) && !LIMIT_STATUSES.has(status));
  // A refusal by the budget is right while nearly all of it is held or spent. (The counter is looked
  // at every few milliseconds, so its highest value may have been missed by a little.)
  const wrongful = other + (most * 10n < cap * 9n ? refused : 0);
  const breaches: string[] = [];
  const breach = (wrong: boolean, what: string): void => {
    if (wrong) breaches.push(what);
  };
  const allowed = cap + judged.shortfallNanoUsd;
  breach(judged.spentNanoUsd > allowed, `spent ${judged.spentNanoUsd} of ${allowed} nano-USD`);
  breach(most > allowed, `held and spent ${most} of ${allowed} nano-USD at once`);
  breach(held > 0, `${held} nano-USD are held after every lease has ended`);
  breach(judged.duplicates > 0, `${judged.duplicates} duplicate records`);
  breach(judged.differenceNanoUsd !== 0n, `books less bill: ${judged.differenceNanoUsd} nano-USD`);
  breach(wrongful > 0, `${wrongful} wrongful refusals: ${statuses(load)}`);
  const { lost, lostIds } = judged;
  breach(scenario.mayLose !== true && lost > 0, `${lost} lost: ${lostIds.join(' ')}`);
  return {
    ...judged,
    name: scenario.name,
    asked: answers.length,
    served: count((status) => status === 200),
    away: count((status) => status === 503),
    refused,
    broken: answers.filter((one) => !one.givenUp && (one.status === 0 || broken(one))).length,
    wrongful,
    mostOfCap: Number((most * 1_000n) / cap),
    heldAfter: held,
    seconds: measured.seconds,
    breaches,
  };
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function broken(answer: Load['answers'][number]): boolean {
  return answer.status === 200 && !answer.complete;
}

function statuses(load: Load): string {
  const counts = new Map<number, number>();
  for (const { status } of load.answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, times]) => `${status}×${times}`).join(' ');
}

async function budgetOf(
  world: World,
  tenant: Tenant,
  key: string,
  scenario: Scenario,
): Promise<{ id: string; cap: bigint }> {
  const answer = await probe(world.edgeUrls[0] ?? '', key, scenario);
  if (answer.status !== 200) throw new Error(`the probe was answered ${answer.status}`);
  const hold = BigInt(Math.round(Number(answer.headers.get('x-tollgate-held-usd')) * 1e9));
  // The probe is spent already; half a hold more, so that the last one does not fit exactly.
  const cap = hold * BigInt(scenario.affords + 1) + hold / 2n;
  const budget = await tenant.create('budgets', {
    scope: { type: 'ORGANISATION', id: tenant.id },
    period: 'MONTHLY',
    limitUsd: (Number(cap) / 1e9).toFixed(9),
    mode: 'HARD',
  });
  await known(world, tenant, key, scenario, budget.id);
  return { id: budget.id, cap };
}

/**
 * A limit that was made a moment ago is read from the books once more when what ran before it is
 * booked. The fault comes after that: a counter that is not known yet cannot be read while the
 * books are away.
 */
async function known(
  world: World,
  tenant: Tenant,
  key: string,
  scenario: Scenario,
  budgetId: string,
): Promise<void> {
  for (const [n, url] of [...world.edgeUrls, ...world.edgeUrls].entries()) {
    await probe(url, key, scenario);
    await eventually('all is booked', async () => {
      const { held, stream } = await counter(world, tenant, budgetId);
      return held === 0 && stream === 0;
    });
    const { settled } = await counter(world, tenant, budgetId);
    if (n >= world.edgeUrls.length && settled === null) throw new Error('the counter stays cold');
  }
}

async function probe(url: string, key: string, { tokens }: Scenario): Promise<Response> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'chat',
      max_tokens: tokens,
      messages: [{ role: 'user', content: 'Hello there' }],
    }),
  });
  await answer.arrayBuffer();
  return answer;
}

const counterOf = (tenant: Tenant, budgetId: string): string =>
  `{s${shardOf(tenant.id)}}:c:${budgetId}`;

/** Reads the live counter over and over and keeps the most that it came to. */
function watchCounter(world: World, tenant: Tenant, budgetId: string) {
  const key = counterOf(tenant, budgetId);
  let most: bigint | undefined;
  const over = new AbortController();
  const client = createClient({ url: world.redis.url, disableOfflineQueue: true });
  // Redis is what fails in some scenarios; the client connects again by itself.
  client.on('error', () => undefined);
  const connecting = client.connect().catch(() => undefined);
  const look = async (): Promise<void> => {
    const [settled, held] = await client.hmGet(key, ['s', 'h']);
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
    stop: async (): Promise<bigint | undefined> => {
      over.abort();
      await watching;
      return most;
    },
  };
}

interface CounterState {
  readonly settled: number | null;
  readonly held: number;
  /** Ledger entries that are not booked yet. */
  readonly stream: number;
}

async function counter(world: World, tenant: Tenant, budgetId: string): Promise<CounterState> {
  const [amounts, stream] = (await Promise.all([
    redisCommand(world.redis.url, ['HMGET', counterOf(tenant, budgetId), 's', 'h']),
    redisCommand(world.redis.url, ['XLEN', `{s${shardOf(tenant.id)}}:ledger`]),
  ])) as [[string | null, string | null], number];
  const [settled, held] = amounts;
  return { settled: settled === null ? null : Number(settled), held: Number(held ?? 0), stream };
}

/** Waits until no hold of the tenant is left and all is booked; what is still held otherwise. */
async function ended(world: World, tenant: Tenant, budgetId: string): Promise<number> {
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

async function billOf(world: World, tenant: Tenant): Promise<BillLine[]> {
  const key = `sk-sim-${tenant.slug}`;
  const answer = await fetch(`${world.simulatorUrl}/_sim/bill?apiKey=${key}`);
  const { requests } = (await answer.json()) as {
    requests: {
      id: string;
      completed: boolean;
      usage: { input: number; output: number };
    }[];
  };
  return requests.map(({ id, completed, usage }) => ({
    id,
    completed,
    nanoUsd: BigInt(usage.input) * nano(PRICES.input) + BigInt(usage.output) * nano(PRICES.output),
  }));
}
