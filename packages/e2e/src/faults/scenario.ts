import { formatUsd } from '@tollgate/contracts';

import { billOf } from '../gateway/books';
import { expectStatus, newTenant, type Tenant } from '../gateway/tenant';
import { budgetOf, type Budget } from './budget';
import { ended, watchCounter } from './counter';
import { startLoad, type Load, type LoadOptions } from './load';
import { pause } from './pause';
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
  ) => Promise<Happened | void>;
  /** Requests and answers are screened, also by a service, whose absence lets them pass. */
  readonly screened?: true;
  /** Redis and an edge are lost together, and with them the data that only they had. */
  readonly mayLose?: boolean;
  /** Policies decide from floats, and have some out during the fault. */
  readonly floats?: true;
  /**
   * An edge and a policy are lost together, and with them the requests that were decided from a float and not posted:
   * at most those of this many milliseconds.
   */
  readonly mayLoseMs?: number;
  /** The limit is lowered to this number of requests during the calls. */
  readonly loweredTo?: number;
  /** Runs only beside a build of the release before. */
  readonly needsPrevious?: true;
  /** Whatever ends has time to finish its requests: none is abandoned. */
  readonly drained?: true;
}

/** What a fault did that is drawn at random. */
export interface Happened {
  /** In order. */
  readonly faults: readonly string[];
  /** As in a scenario. */
  readonly mayLose: boolean;
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
  /** 402 before the last request that was served: something was held or lent then that came back. */
  readonly early: number;
  /** The maximum of holds and spend together, in thousandths of the cap. */
  readonly mostOfCap: number;
  readonly heldAfter: number;
  readonly seconds: number;
  /** What the scenario may lose at most; undefined: nothing, or anything. */
  readonly mayLose: number | undefined;
  /** The most floats that the tenant's shard had at once. */
  readonly floats: number;
  readonly breaches: readonly string[];
}

const PACE_MS = 5;
// The tenant has a budget and no other limit.
const OVER_BUDGET = 402;

export async function runScenario(world: World, scenario: Scenario, seed: number): Promise<Row> {
  // The callers have their own, so that a seed stands for the same faults whatever the callers draw meanwhile.
  const [random, drawn] = [seeded(seed), seeded(~seed)];
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
    random: drawn,
  });
  const troubles: string[] = [];
  let held: number;
  let most: bigint | undefined;
  let floats: number;
  let happened: Happened | void = undefined;
  try {
    // Policies lend nothing for a while after Redis has failed, as it has in scenarios before this one.
    if (scenario.floats) await Promise.race([watch.lent, load.finished, pause(LENT_WITHIN_MS)]);
    happened = await faulted(world, scenario, { tenant, budget, load, random, checker }).catch(
      (error: unknown) => {
        troubles.push(
          `during the fault: ${error instanceof Error ? error.message : String(error)}`,
        );
      },
    );
    await (scenario.load.each === undefined ? load.stop() : load.finished);
    await world.repair();
    held = await ended(world, tenant, budget.id);
  } finally {
    ({ most, floats } = await watch.stop());
    await checker?.stop();
  }
  // The counter existed before the callers; without an observation there would be no breach to
  // find.
  if (most === undefined) troubles.push('the live counter was never seen');
  if (checker?.answered() === 0) troubles.push('the screening service was never asked');
  if (scenario.floats && floats === 0) troubles.push('no policy had a float');
  const verified = await world.verify();
  const judgement = judge(
    load.answers,
    await readBooks(world.pool, tenant.id),
    await billOf(world, tenant),
  );
  const row = tally(scenario, load, judgement, {
    most: max(most ?? 0n, judgement.spentNanoUsd),
    cap: budget.capOf(scenario.loweredTo ?? scenario.affords),
    held,
    floats,
    happened,
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

interface Running {
  readonly tenant: Tenant;
  readonly budget: Budget;
  readonly load: Load;
  readonly random: Random;
  readonly checker: Checker | undefined;
}

async function faulted(
  world: World,
  { fault, loweredTo }: Scenario,
  { tenant, budget, load, random, checker }: Running,
): Promise<Happened | void> {
  if (loweredTo !== undefined) {
    await load.served(LOWERED_AFTER);
    const limitUsd = formatUsd(budget.capOf(loweredTo));
    expectStatus(await world.rest.patch(`${tenant.base}/budgets/${budget.id}`, { limitUsd }), 200);
  }
  return fault?.(world, load, random, checker);
}

const LENT_WITHIN_MS = 30_000;

/** Enough for the policies to have floats. */
const LOWERED_AFTER = 100;

export interface Measured {
  readonly most: bigint;
  readonly cap: bigint;
  readonly held: number;
  readonly seconds: number;
  readonly floats: number;
  readonly happened?: Happened | void;
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
  const { lost, lostIds, abandoned } = judged;
  breach(scenario.drained === true && abandoned > 0, `${abandoned} abandoned`);
  const mayLose = scenario.mayLoseMs === undefined ? 0 : mostWithin(answers, scenario.mayLoseMs);
  const { happened } = measured;
  const losesAny = happened ? happened.mayLose : scenario.mayLose === true;
  breach(!losesAny && lost > mayLose, `${lost} lost: ${lostIds.join(' ')}`);
  if (happened) breach(breaches.length > 0, `after: ${happened.faults.join('; ')}`);
  return {
    ...judged,
    name: scenario.name,
    asked: answers.length,
    served: count((status) => status === 200),
    away: count((status) => status === 503),
    refused,
    broken: answers.filter((one) => !one.givenUp && (one.status === 0 || broken(one))).length,
    wrongful,
    early: earlyRefusals(answers),
    mostOfCap: Number((most * 1_000n) / cap),
    heldAfter: held,
    seconds: measured.seconds,
    mayLose: scenario.mayLoseMs === undefined ? undefined : mayLose,
    floats: measured.floats,
    breaches,
  };
}

/** The most requests that were sent within so many milliseconds. */
function mostWithin(answers: Load['answers'], spanMs: number): number {
  const sent = answers.map(({ atMs }) => atMs ?? 0).sort((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [n, atMs] of sent.entries()) {
    while (atMs - (sent[first] ?? atMs) > spanMs) first += 1;
    most = Math.max(most, n + 1 - first);
  }
  return most;
}

function earlyRefusals(answers: Load['answers']): number {
  const servedAt = answers.filter(({ status }) => status === 200).map(({ atMs }) => atMs ?? 0);
  const last = servedAt.reduce((most, atMs) => Math.max(most, atMs), 0);
  return answers.filter(({ status, atMs }) => status === OVER_BUDGET && (atMs ?? 0) < last).length;
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
