import { billOf } from '../gateway/books';
import { chat, eventually, newTenant, type Tenant } from '../gateway/tenant';
import { startLoad, type Answer } from './load';
import { pause } from './pause';
import type { Finding, Proof } from './proof';
import { seeded } from './random';
import { judge, readBooks } from './referee';
import type { World } from './world';

// A window ends while floats of it are out: what was lent belongs to the window that is over, and the
// next one starts with all of its limit.

const WINDOW_S = 60;
/** Used up within each window, and busy enough to be lent. */
const LIMIT = 1_500;
const CALLERS = 24;
const TOKENS = 10;
const TURNS = 2;

const windowTurned: Proof = {
  name: 'floats: windows turned',
  run: async function* run(world, { seed }) {
    yield await underLoad(world, seed);
  },
};

export const FLOAT_PROOFS: readonly Proof[] = [windowTurned];

async function underLoad(world: World, seed: number): Promise<Finding> {
  const tenant = await newTenant(world, {
    upstreamModel: `sim-tokens-${String(TOKENS)}.pace-1`,
  });
  const { key } = await tenant.key();
  await tenant.create('quotas', {
    scope: { type: 'ORGANISATION', id: tenant.id },
    metric: 'REQUESTS',
    windowSeconds: WINDOW_S,
    limit: LIMIT,
  });
  for (const url of world.edgeUrls) {
    await eventually('a first request is answered', async () => {
      const { status } = await chat(url, key, { max_tokens: TOKENS });
      return status === 200 || status === 429;
    });
  }
  const load = startLoad({
    urls: world.edgeUrls,
    key,
    model: 'chat',
    maxTokens: TOKENS,
    callers: CALLERS,
    streamed: 0.3,
    givenUp: 0,
    random: seeded(seed),
  });
  const first = windowOf(Date.now());
  // Half of the last window is enough to use it up.
  const untilMs = (first + TURNS + 0.5) * WINDOW_S * 1_000;
  await pause(Math.max(0, untilMs - Date.now()));
  const answers = await load.stop();
  const windows = await eventually('all is booked', async () => {
    const served = answers.filter(({ status }) => status === 200).length;
    const counted = await countedIn(world, tenant);
    const records = [...counted.values()].reduce((sum, count) => sum + count, 0);
    return records >= served && counted;
  });
  const judged = judge(
    answers,
    await readBooks(world.pool, tenant.id),
    await billOf(world, tenant),
  );
  return {
    name: 'a quota of requests in each minute',
    figures: {
      limit: String(LIMIT),
      'in each window': [...windows.values()].join(', '),
      refused: String(answers.filter(({ status }) => status === 429).length),
      '503': String(answers.filter(({ status }) => status === 503).length),
      lost: String(judged.lost),
      twice: String(judged.duplicates),
    },
    breaches: breachesOf(answers, windows, first, judged),
  };
}

const windowOf = (atMs: number): number => Math.floor(atMs / (WINDOW_S * 1_000));

/** The requests of each window, by the instants of their decision. */
async function countedIn(world: World, tenant: Tenant): Promise<Map<number, number>> {
  const { rows } = await world.pool.query<{ at: string }>(
    'SELECT extract(epoch FROM authorised_at) * 1000 AS at FROM usage_record WHERE organisation_id = $1',
    [tenant.id],
  );
  const counted = new Map<number, number>();
  for (const { at } of rows.toSorted((a, b) => Number(a.at) - Number(b.at))) {
    const window = windowOf(Number(at));
    counted.set(window, (counted.get(window) ?? 0) + 1);
  }
  return counted;
}

function breachesOf(
  answers: readonly Answer[],
  windows: ReadonlyMap<number, number>,
  first: number,
  judged: ReturnType<typeof judge>,
): string[] {
  const breaches: string[] = [];
  for (const [window, count] of windows) {
    if (count > LIMIT) breaches.push(`${count} requests in a window of ${LIMIT}`);
    // The first window begins before the load.
    if (window > first && count < LIMIT) breaches.push(`only ${count} requests of ${LIMIT}`);
  }
  if (windows.size <= TURNS) breaches.push(`only ${windows.size} windows were seen`);
  // A busy machine misses deadlines, with 503.
  const wrong = answers.filter(({ status }) => ![200, 429, 503].includes(status));
  if (wrong.length > 0) breaches.push(`${wrong.length} answers are neither 200, 429 nor 503`);
  if (judged.lost > 0) breaches.push(`${judged.lost} lost: ${judged.lostIds.join(' ')}`);
  if (judged.duplicates > 0) breaches.push(`${judged.duplicates} duplicate records`);
  if (judged.differing > 0) breaches.push(`books less bill in ${judged.differing} requests`);
  return breaches;
}
