import { chat, eventually } from '../gateway/tenant';
import { limited, MAX_TOKENS, question } from './limited';
import { startLoad } from './load';
import { offer, type Sent } from './offered';
import { pause } from './pause';
import { percent, type Finding, type Proof } from './proof';
import { seeded } from './random';
import {
  concurrencyOf,
  idealMinute,
  minutesOf,
  mostInAMinute,
  needless,
  type Held,
} from './sliding';
import type { World } from './world';

// Rate limits under five times their load, from four edges. The records show which requests were
// allowed and when, by Redis's own clock.

interface Size {
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number;
  readonly concurrent: number;
  /** The duration of the load, and how many minutes of five times the limit it offers. */
  readonly overMs: number;
  readonly minutes: number;
  readonly concurrentMs: number;
}

const LONG: Size = {
  requestsPerMinute: 600,
  tokensPerMinute: 24_000,
  concurrent: 20,
  overMs: 200_000,
  minutes: 200 / 60,
  concurrentMs: 20_000,
};
// A whole minute's load at once: an excess shows at any duration.
const SHORT: Size = {
  requestsPerMinute: 40,
  tokensPerMinute: 2_000,
  concurrent: 5,
  overMs: 1_500,
  minutes: 1,
  concurrentMs: 1_500,
};

const EDGES = 4;
const TIMES = 5;
/** The share of a saturated limit that may stay unused. */
const WASTE = 0.01;
/** A sliding minute is counted in tenths of a second, so it may look back one of them too far. */
const RESOLUTION_MS = 100;
/** What a policy decides from memory counts from its post on, which comes within this time while Redis answers. */
const POST_MS = 100;
/** For a machine where a request takes a second. */
const FULL_WITHIN_MS = 180_000;
/** Redis cuts its instants to the millisecond, and so does this process. */
const CLOCKS_MS = 2;
/** The answer's tokens. */
const TOKENS = 40;
const PACE_MS = 10;

export const rates: Proof = {
  name: 'rate limits, offered five times over',
  run: async function* run(world, { short, seed }) {
    const size = short ? SHORT : LONG;
    const more = await world.moreEdges(EDGES - world.edgeUrls.length);
    try {
      const urls = [...world.edgeUrls, ...more.urls];
      const minutes = [requests, tokens].map((part) => part(world, urls, size, short));
      for (const finding of await Promise.all(minutes)) yield finding;
      yield await concurrent(world, urls, size, { short, seed });
    } finally {
      await more.stop();
    }
  },
};

interface Booked {
  readonly atMs: number;
  readonly closedMs: number;
  readonly tokens: number;
  /** The tokens held until the usage is known. */
  readonly held: number;
}

/** Every allowed request, once nothing is held and all is booked. */
async function booked({ pool }: World, keyId: string, count: number): Promise<readonly Booked[]> {
  return eventually(`${count} requests are in the books`, async () => {
    const { rows } = await pool.query<{ at: string; closed: string; tokens: string; held: string }>(
      `SELECT extract(epoch FROM authorised_at) * 1000 AS at,
          extract(epoch FROM closed_at) * 1000 AS closed, tokens_in + tokens_out AS tokens,
          input_tokens_estimate + $2 AS held
        FROM usage_record WHERE api_key_id = $1`,
      [keyId, MAX_TOKENS],
    );
    if (rows.length < count) return undefined;
    return rows.map(({ at, closed, ...one }) => ({
      atMs: Math.round(Number(at)),
      closedMs: Math.round(Number(closed)),
      tokens: Number(one.tokens),
      held: Number(one.held),
    }));
  });
}

async function requests(
  world: World,
  urls: readonly string[],
  size: Size,
  short: boolean,
): Promise<Finding> {
  const limit = size.requestsPerMinute;
  const { key, keyId } = await limited(world, urls, 'sim', { requestsPerMinute: limit });
  const count = Math.round(limit * TIMES * size.minutes);
  const sent = await offer({ urls, key, body: question(TOKENS), count, overMs: size.overMs });
  const records = await booked(world, keyId, allowed(sent));
  const taken = records.map((one) => ({ ...one, amount: 1, held: 1 }));
  return judged('requests per minute', {
    limit,
    held: 1,
    short,
    sent,
    taken,
    each: 1,
    slackMs: lookBackMs(world),
  });
}

async function tokens(
  world: World,
  urls: readonly string[],
  size: Size,
  short: boolean,
): Promise<Finding> {
  const limit = size.tokensPerMinute;
  const model = `sim-tokens-${String(TOKENS)}`;
  const own = await limited(world, urls, model, { tokensPerMinute: limit });
  const { key, keyId, tokensEach: used } = own;
  const body = question(MAX_TOKENS);
  const count = Math.round((limit / used) * TIMES * size.minutes);
  const sent = await offer({ urls, key, body, count, overMs: size.overMs });
  const more: Sent[] = [];
  // Unused parts of holds are released, so requests one after another find all of the limit.
  if (short) {
    await eventually(
      'the minute is full',
      async () => {
        const atMs = Date.now();
        const { status } = await chat(urls[0] ?? '', key, body);
        more.push({ atMs, untilMs: Date.now(), status });
        return status === 429;
      },
      FULL_WITHIN_MS,
    );
  }
  const all = [...sent, ...more];
  const records = await booked(world, keyId, allowed(all));
  const held = Math.max(...records.map((one) => one.held));
  const taken = records.map((one) => ({ ...one, amount: one.tokens }));
  return judged('tokens per minute', {
    limit,
    held,
    short,
    sent: all,
    taken,
    each: used,
    slackMs: lookBackMs(world),
  });
}

const lookBackMs = ({ floats }: World): number => RESOLUTION_MS + (floats ? POST_MS : 0);

const allowed = (sent: readonly Sent[]): number =>
  sent.filter(({ status }) => status === 200).length;

interface Measured {
  readonly limit: number;
  /** The amount that one request holds until its usage is known. */
  readonly held: number;
  readonly short: boolean;
  readonly sent: readonly Sent[];
  readonly taken: readonly Held[];
  /** The amount that one request uses. */
  readonly each: number;
  /** How long after its minute a request may still count. */
  readonly slackMs: number;
}

function judged(what: string, measured: Measured): Finding {
  const { limit, held, short, sent, taken, each, slackMs } = measured;
  const most = mostInAMinute(taken);
  const total = taken.reduce((sum, { amount }) => sum + amount, 0);
  const arrivals = sent.map(({ atMs }) => atMs);
  const ideal = idealMinute(arrivals, limit, each);
  const byModel = ideal.reduce((sum, { amount }) => sum + amount, 0);
  const wrongful = needless(
    sent
      .filter(({ status }) => status === 429)
      .map((one) => ({ atMs: one.atMs - CLOCKS_MS, untilMs: one.untilMs + CLOCKS_MS })),
    taken,
    { limit, amount: held, slackMs },
  );
  const breaches: string[] = [];
  if (most > limit) breaches.push(`${most} ${what} of ${limit} in 60 s`);
  // The last request needs room for its whole hold.
  if (total <= limit - held) breaches.push(`${total} let through in all, of a limit of ${limit}`);
  breaches.push(...strangers(sent, short));
  // A request allowed too late for its answer occupies the limit until its hold is cancelled.
  const late = sent.some(({ status }) => status === 503);
  if (wrongful > 0 && !late) breaches.push(`${wrongful} refusals while there was room`);
  const figures: Record<string, string> = {
    limit: String(limit),
    offered: String(sent.length * each),
    'let through': String(total),
    'by the model': String(byModel),
    'most in 60 s': String(most),
    'refused without need': String(wrongful),
  };
  if (!short) {
    const times = [Math.min(...arrivals), Math.max(...arrivals)] as const;
    const spans = minutesOf(taken, ...times);
    figures['spans of 60 s'] = String(spans.count);
    figures['mean'] = percent(spans.mean / limit);
    // A gap in the arrivals lowers the next span for any limiter; the model shows by how much.
    figures['least'] = percent(spans.least / limit);
    figures['least by the model'] = percent(minutesOf(ideal, ...times).least / limit);
    const wanted = 1 - WASTE;
    if (spans.mean < limit * wanted) breaches.push(`${spans.mean} of ${limit} in 60 s, on average`);
    if (total < byModel * wanted) breaches.push(`${total} let through, ${byModel} by the model`);
  }
  return { name: `rate limit: ${what}`, figures, breaches };
}

async function concurrent(
  world: World,
  urls: readonly string[],
  size: Size,
  { short, seed }: { short: boolean; seed: number },
): Promise<Finding> {
  const limit = size.concurrent;
  const model = `sim-tokens-${String(TOKENS)}.pace-${String(PACE_MS)}`;
  const { key, keyId } = await limited(world, urls, model, { concurrentRequests: limit });
  const startedMs = Date.now();
  const load = startLoad({
    urls,
    key,
    model: 'chat',
    maxTokens: TOKENS,
    callers: limit * TIMES,
    streamed: 0.5,
    givenUp: 0.1,
    random: seeded(seed),
  });
  await pause(size.concurrentMs);
  const endedMs = Date.now();
  const answers = await load.stop();
  const served = answers.filter(({ status }) => status === 200).length;
  const records = await booked(world, keyId, served);
  const running = records.map(({ atMs, closedMs }) => ({ fromMs: atMs, toMs: closedMs }));
  // The first second is the ramp-up of the callers.
  const { most, mean } = concurrencyOf(running, startedMs + 1_000, endedMs);
  const breaches: string[] = [];
  if (most > limit) breaches.push(`${most} at once of ${limit}`);
  if (served < limit) breaches.push(`only ${served} were ever served`);
  breaches.push(...strangers(answers, short));
  return {
    name: 'rate limit: concurrent requests',
    figures: {
      limit: String(limit),
      callers: String(limit * TIMES),
      served: String(served),
      refused: String(answers.length - served),
      'most at once': String(most),
      ...(short ? {} : { mean: percent(mean / limit) }),
    },
    breaches,
  };
}

/** Answers that no limit explains; 503 is a missed deadline on a busy machine. */
function strangers(answers: readonly { status: number }[], short: boolean): string[] {
  const expected = short ? [200, 429, 503] : [200, 429];
  const other = answers.filter(({ status }) => !expected.includes(status));
  const statuses = [...new Set(other.map(({ status }) => status))].join(' ');
  if (other.length === 0) return [];
  return [`${other.length} answers of ${statuses}: with 503, let nothing else run on this machine`];
}
