import { formatUsd, parseUsd } from '@tollgate/contracts';

import { billOf } from '../gateway/books';
import { chat, eventually, expectStatus, newTenant, type Tenant } from '../gateway/tenant';
import { counter, ended, watchCounter } from './counter';
import { startLoad, type Load, type LoadOptions } from './load';
import { seeded, type Random } from './random';
import { judge, readBooks, type Judgement } from './referee';
import { screen, type Checker } from './screened';
import type { World } from './world';

// One scenario: a tenant with a budget, callers, a fault during their calls, and then the referee's
// checks. Its result is a row of the table, with every breach in words.

export interface Scenario {
  readonly name: string;
  /** The number of requests that the budget affords. */
  readonly affords: number;
  readonly load: Pick<LoadOptions, 'callers' | 'each' | 'streamed' | 'givenUp'>;
  /** The tokens of each answer; the upstream takes 5 ms for each. */
  readonly tokens: number;
  /** The fault during the calls; without one, each caller sends its maximum of requests. */
  readonly fault?: (
    world: World,
    load: Load,
    random: Random,
    checker: Checker | undefined,
  ) => Promise<void>;
  /** Requests and answers are screened, also by a service, whose absence lets them pass. */
  readonly screened?: true;
  /** Redis and an edge are lost together, and with them the data that only they had. */
  readonly mayLose?: boolean;
}

export interface Row extends Judgement {
  readonly name: string;
  readonly asked: number;
  readonly served: number;
  /** 503 during the fault. */
  readonly away: number;
  /** 402 by the budget. */
  readonly refused: number;
  readonly broken: number;
  /** Refusals that the budget does not explain. */
  readonly wrongful: number;
  /** The maximum of holds and spend together, in thousandths of the cap. */
  readonly mostOfCap: number;
  readonly heldAfter: number;
  readonly seconds: number;
  readonly breaches: readonly string[];
}

const PACE_MS = 5;
// The tenant has a budget and no other limit.
const OVER_BUDGET = 402;

export async function runScenario(world: World, scenario: Scenario, seed: number): Promise<Row> {
  const random = seeded(seed);
  const started = performance.now();
  const { tokens } = scenario;
  const tenant = await newTenant(world, {
    upstreamModel: `sim-tokens-${String(tokens)}.pace-${String(PACE_MS)}`,
  });
  const { key } = await tenant.key();
  const budget = await budgetOf(world, tenant, key, scenario);
  const checker = scenario.screened && (await screen(tenant));
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
  let held: number;
  let most: bigint | undefined;
  try {
    await scenario.fault?.(world, load, random, checker).catch((error: unknown) => {
      troubles.push(`during the fault: ${error instanceof Error ? error.message : String(error)}`);
    });
    await (scenario.load.each === undefined ? load.stop() : load.finished);
    await world.repair();
    held = await ended(world, tenant, budget.id);
  } finally {
    most = await watch.stop();
    await checker?.stop();
  }
  // The counter existed before the callers; without an observation there would be no breach to
  // find.
  if (most === undefined) troubles.push('the live counter was never seen');
  if (checker?.answered() === 0) troubles.push('the screening service was never asked');
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
    ...verified.breaches,
  );
  return { ...row, breaches: [...row.breaches, ...troubles] };
}

export interface Measured {
  readonly most: bigint;
  readonly cap: bigint;
  readonly held: number;
  readonly seconds: number;
}

export function tally(
  scenario: Scenario,
  load: Pick<Load, 'answers'>,
  judged: Judgement,
  measured: Measured,
): Row {
  const { answers } = load;
  const count = (test: (status: number) => boolean): number =>
    answers.filter(({ status }) => test(status)).length;
  const { cap, most, held } = measured;
  const refused = count((status) => status === OVER_BUDGET);
  const other = count((status) => ![0, 200, 503, OVER_BUDGET].includes(status));
  // A refusal by the budget is correct while nearly all of it is held or spent. (The counter is
  // polled every few milliseconds, so its maximum may be slightly higher than observed.)
  const wrongful = other + (most * 10n < cap * 9n ? refused : 0);
  const breaches: string[] = [];
  const breach = (wrong: boolean, what: string): void => {
    if (wrong) breaches.push(what);
  };
  const allowed = cap + judged.shortfallNanoUsd;
  breach(judged.spentNanoUsd > allowed, `spent ${judged.spentNanoUsd} of ${allowed} nano-USD`);
  breach(most > allowed, `held and spent ${most} of ${allowed} nano-USD at once`);
  breach(held !== 0, `${held} nano-USD are held after every lease has ended`);
  breach(judged.duplicates > 0, `${judged.duplicates} duplicate records`);
  const { differing, differenceNanoUsd } = judged;
  // By request, because two opposite differences cancel out in the sum.
  breach(differing > 0, `books less bill: ${differenceNanoUsd} nano-USD, in ${differing} requests`);
  breach(judged.compared === 0, 'no whole answer could be compared with the bill');
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

function statuses(load: Pick<Load, 'answers'>): string {
  const counts = new Map<number, number>();
  for (const { status } of load.answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, times]) => `${status}×${times}`).join(' ');
}

/** The time to detect a shard's data loss, and the grace after that. */
const REOPENED_MS = 10_000;

/** A budget for this number of requests, known to every policy and used by one. */
export async function budgetOf(
  world: World,
  tenant: Tenant,
  key: string,
  scenario: Pick<Scenario, 'affords' | 'tokens'>,
): Promise<{ id: string; cap: bigint }> {
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
  const cap = hold * BigInt(scenario.affords + 1) + hold / 2n;
  const budget = await tenant.create('budgets', {
    scope: { type: 'ORGANISATION', id: tenant.id },
    period: 'MONTHLY',
    limitUsd: formatUsd(cap),
    mode: 'HARD',
  });
  await known(world, tenant, key, scenario, budget.id);
  return { id: budget.id, cap };
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
