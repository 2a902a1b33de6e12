import { freePort, type RunningService } from '@tollgate/stack';

import { billOf, type BillLine } from '../gateway/books';
import { local } from '../gateway/fleet';
import { chat, eventually, newTenant, type Tenant } from '../gateway/tenant';
import { startLoad, type Answer, type Load } from './load';
import { ms, percentile, type Finding, type Proof, type ProofOptions } from './proof';
import { seeded } from './random';
import type { World } from './world';

// Two candidates at two upstreams, and the preferred one is killed or frozen under load: no request
// fails, it is used again after its return, and its bill is in the books. A stream that has started
// cannot move to another upstream: it is cut, and counted.

const TOKENS = 20;
const UPSTREAM = `sim-tokens-${String(TOKENS)}.pace-5`;
const CALLERS = 24;
const STREAMED = 0.3;

interface Loss {
  readonly name: string;
  readonly lose: (upstream: RunningService) => Promise<void> | void;
  readonly back: (upstream: RunningService) => Promise<void> | void;
}

const KILLED: Loss = {
  name: 'killed',
  lose: (upstream) => upstream.process().stop('SIGKILL'),
  back: (upstream) => upstream.restart(),
};
const FROZEN: Loss = {
  name: 'frozen',
  lose: (upstream) => upstream.process().signal('SIGSTOP'),
  back: (upstream) => upstream.process().signal('SIGCONT'),
};

export const upstreamLost: Proof = {
  name: 'the preferred upstream lost under load',
  run: async function* run(world, options) {
    // The cost of a frozen upstream depends on the load, so a busy machine proves nothing.
    for (const loss of options.short ? [KILLED] : [KILLED, FROZEN]) {
      const preferred = await upstream(world, `preferred-${loss.name}`);
      const spare = await upstream(world, `spare-${loss.name}`);
      try {
        yield await underLoad(world, options, loss, { preferred, spare });
      } finally {
        preferred.process().signal('SIGCONT');
        await preferred.process().stop();
        await spare.process().stop();
      }
    }
  },
};

interface Upstreams {
  readonly preferred: RunningService;
  readonly spare: RunningService;
}

async function upstream(world: World, name: string): Promise<RunningService> {
  return world.stack.start('simulator', { as: name, ports: { simulator: await freePort() } });
}

const urlOf = ({ layout }: RunningService): string => local(layout.ports.simulator);

async function underLoad(
  world: World,
  { short, seed }: ProofOptions,
  loss: Loss,
  { preferred, spare }: Upstreams,
): Promise<Finding> {
  const { tenant, key } = await routedTenant(world, short, urlOf(preferred), urlOf(spare));
  // The dependency that failed in the previous proof may refuse for a moment, and the first request
  // opens a shard.
  for (const url of world.edgeUrls) {
    await eventually('a first request is answered', async () => {
      const { status } = await chat(url, key, { model: 'any', max_tokens: TOKENS });
      return status === 200;
    });
  }
  const each = short ? 100 : 2_000;
  const load = startLoad({
    urls: world.edgeUrls,
    key,
    model: 'any',
    maxTokens: TOKENS,
    callers: CALLERS,
    streamed: STREAMED,
    givenUp: 0,
    random: seeded(seed),
  });
  const at = { lost: 0, back: 0, again: 0 };
  let early: BillLine[] = [];
  try {
    await load.served(each);
    // A killed upstream loses its bill.
    early = await billOf({ simulatorUrl: urlOf(preferred) }, tenant);
    at.lost = performance.now();
    await loss.lose(preferred);
    await load.served(each);
    at.back = performance.now();
    await loss.back(preferred);
    at.again = await usedAgain(load, at.back);
    await load.served(each);
  } finally {
    await load.stop();
  }
  const late = await Promise.all(
    [preferred, spare].map((one) => billOf({ simulatorUrl: urlOf(one) }, tenant)),
  );
  const lines = new Map([...early, ...late.flat()].map((line) => [line.id, line]));
  const books = await booked(world, tenant, load.answers);
  const money = compare([...lines.values()], books);
  return {
    name: `the preferred upstream ${loss.name}`,
    figures: { ...figuresOf(load.answers, at), ...money.figures },
    breaches: [...failures(load.answers, short), ...money.breaches],
  };
}

async function routedTenant(
  world: World,
  short: boolean,
  preferredUrl: string,
  spareUrl: string,
): Promise<{ tenant: Tenant; key: string }> {
  const tenant = await newTenant(
    { rest: world.rest, simulatorUrl: preferredUrl },
    {
      organisation: { routingEnabled: true, routeCompatRequests: true },
      upstreamModel: UPSTREAM,
    },
  );
  const { id: providerId } = await tenant.create('providers', {
    name: 'spare',
    type: 'PROVIDER_A',
    baseUrl: `${spareUrl}/v1`,
    apiKey: `sk-sim-${tenant.slug}`,
  });
  const spareId = await tenant.model('spare', UPSTREAM, { providerId });
  // Far longer than an answer takes, and longer still on a busy machine.
  const silentMs = short ? 20_000 : 1_000;
  const { id: routingPolicyId } = await tenant.create('routing-policies', {
    name: 'any',
    strategy: 'priority',
    candidates: [{ modelId: tenant.modelId }, { modelId: spareId }],
    timeouts: { connectMs: silentMs, firstTokenMs: silentMs, idleMs: silentMs },
  });
  const modelIds = [tenant.modelId, spareId];
  const { key } = await tenant.key({ modelIds, routingPolicyId });
  return { tenant, key };
}

/** The send time of the first request that the preferred upstream answered after its return. */
function usedAgain(load: Load, backMs: number): Promise<number> {
  return eventually('the preferred upstream answers again', async () => {
    const first = load.answers.find(
      ({ atMs = 0, model, status }) => atMs > backMs && model === 'chat' && status === 200,
    );
    return first?.atMs;
  });
}

function figuresOf(
  answers: readonly Answer[],
  at: Readonly<Record<'lost' | 'back' | 'again', number>>,
): Record<string, string> {
  const p99 = (during: (sentMs: number, endedMs: number) => boolean): string => {
    const took = answers
      .filter(({ atMs = 0, ms: tookMs }) => during(atMs, atMs + tookMs))
      .map((one) => one.ms);
    return `${ms(percentile(took, 0.99))} of ${took.length}`;
  };
  const by = (name: string): number => answers.filter(({ model }) => model === name).length;
  return {
    requests: String(answers.length),
    'p99 before': p99((_, endedMs) => endedMs < at.lost),
    // Includes the requests that were running when it was lost.
    'while lost': p99((sentMs, endedMs) => endedMs >= at.lost && sentMs < at.back),
    after: p99((sentMs) => sentMs >= at.again),
    'by the preferred': String(by('chat')),
    'by the spare': String(by('spare')),
    'used again after': ms(at.again - at.back),
    'streams cut': String(cut(answers).length),
  };
}

function cut(answers: readonly Answer[]): readonly Answer[] {
  return answers.filter(({ status, complete }) => status === 200 && !complete);
}

function failures(answers: readonly Answer[], short: boolean): string[] {
  const breaches: string[] = [];
  const failed = answers.filter(({ status }) => status !== 200);
  for (const [why, { length }] of Map.groupBy(failed, reasonOf)) {
    // The store missed its deadline: in the short form, on a busy machine.
    if (short && why === '503 dependency_unavailable') continue;
    breaches.push(`${length} requests failed with ${why}`);
  }
  const broken = cut(answers);
  // Only requests that had started when it was lost.
  if (broken.length > CALLERS || broken.some(({ model }) => model !== 'chat')) {
    breaches.push(`${broken.length} streams were cut that another could have answered`);
  }
  if (!answers.some(({ model }) => model === 'spare')) breaches.push('the spare was never asked');
  return breaches;
}

const reasonOf = ({ status, code = '' }: Answer): string => `${status} ${code}`.trim();

interface Booked {
  readonly id: string;
  readonly response_id: string | null;
  readonly usage_quality: string;
  readonly cost_nano_usd: string;
  readonly attempts: readonly { readonly outcome: string; readonly costNanoUsd: string }[];
}

async function booked(world: World, tenant: Tenant, answers: readonly Answer[]): Promise<Booked[]> {
  // Failed requests are a breach of their own, and may have been refused before any booking.
  const wanted = answers.filter(({ status }) => status === 200).map(({ requestId }) => requestId);
  return eventually('every request is in the books', async () => {
    const { rows } = await world.pool.query<Booked>(
      `SELECT id, response_id, usage_quality, cost_nano_usd, attempts FROM usage_record
        WHERE organisation_id = $1`,
      [tenant.id],
    );
    const found = new Set(rows.map(({ id }) => id));
    return wanted.every((id) => found.has(id)) ? rows : undefined;
  });
}

/**
 * Every line of the bills is one answer in the books, to the nano-USD. An aborted or interrupted
 * call may have been billed: the records give the maximum number of such lines.
 */
function compare(
  lines: readonly BillLine[],
  books: readonly Booked[],
): Pick<Finding, 'figures' | 'breaches'> {
  const byAnswer = new Map(books.map((one) => [one.response_id ?? '', one]));
  const breaches: string[] = [];
  let differing = 0;
  const unnamed: BillLine[] = [];
  for (const line of lines) {
    const one = byAnswer.get(line.id);
    // The received part of an aborted stream is counted; the upstream may have sent the rest.
    if (one === undefined || !answered(one)) unnamed.push(line);
    else if (BigInt(one.cost_nano_usd) - besides(one) !== line.nanoUsd) differing += 1;
  }
  const failed = books.flatMap(({ attempts }) =>
    attempts.filter(({ outcome }) => outcome !== 'OK'),
  );
  const blurred = books.filter(({ usage_quality: quality }) => quality !== 'EXACT').length;
  const unbilled = Math.max(0, unnamed.length - failed.length);
  if (unbilled > 0) breaches.push(`${unbilled} answers are billed and in no record`);
  if (differing > 0) breaches.push(`${differing} records differ from the bill`);
  return {
    figures: {
      'lines of the bills': String(lines.length),
      'attempts failed': String(failed.length),
      'records not exact': String(blurred),
      'lines of failed attempts': String(unnamed.length),
      unbilled: String(unbilled),
    },
    breaches,
  };
}

function answered({ attempts }: Booked): boolean {
  return attempts.some(({ outcome }) => outcome === 'OK');
}

function besides({ attempts }: Booked): bigint {
  return attempts
    .filter(({ outcome }) => outcome !== 'OK')
    .reduce((sum, { costNanoUsd }) => sum + BigInt(costNanoUsd || '0'), 0n);
}
