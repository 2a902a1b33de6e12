// All upstream faults, in every format, whole and streamed, with every routing strategy. The client
// gets a complete answer or an error, and the gateway books what the simulator bills.

import type { Candidate, SettleRequest__Output } from '@tollgate/contracts/node';
import { startSimulator, type Bill, type Simulator } from '@tollgate/simulator';

import { CORPUS_CLIENTS, type CorpusClient, type Understood } from '../test-support/corpus';
import { connection } from '../test-support/fake-catalog';
import { candidate, routed, startHarness, until, type Harness } from '../test-support/harness';

/** The longest silence of an upstream. */
const SILENCE_MS = 900;
const CONCURRENT = 24;
/** Only ends a test that has failed. */
const DEADLINE_MS = 300_000;

interface Upstream {
  name: string;
  over: Candidate;
  client: CorpusClient;
  root: string;
}

const { anthropic, chat, gemini, responses, unified } = CORPUS_CLIENTS;
const UPSTREAMS: Upstream[] = [
  { name: 'openai', over: { upstreamFormat: 'openai' }, client: chat, root: '/v1' },
  { name: 'responses', over: { upstreamFormat: 'openai' }, client: responses, root: '/v1' },
  {
    name: 'vllm',
    over: { upstreamFormat: 'vllm', providerType: 'PROVIDER_D' },
    client: chat,
    root: '/v1',
  },
  {
    name: 'anthropic',
    over: { upstreamFormat: 'anthropic', providerType: 'PROVIDER_B' },
    client: anthropic,
    root: '/v1',
  },
  {
    name: 'gemini',
    over: { upstreamFormat: 'gemini', providerType: 'PROVIDER_C' },
    client: gemini,
    root: '/v1beta',
  },
];

/** A fault of the simulator, by its directive. */
const FAULTS = [
  'at=refused',
  'at=tls',
  'reset',
  'timeout',
  'slow-first-byte-60000',
  'status-500',
  'status-503',
  'status-503.retry-after-1',
  'status-429',
  'status-429.retry-after-1',
  'status-401',
  'error-after-0',
  'error-after-2',
  'cut-after-0',
  'cut-after-2',
  'end-after-0',
  'end-after-2',
  'end-after-1000',
  'stall-after-0',
  'stall-after-2',
  'garbage',
  'garbage.html',
  'garbage-after-0',
  'garbage-after-2',
  'tokens-20000',
  'head-40000',
  'html',
  'twice',
];
/** The answer is complete despite these faults. */
const HARMLESS = new Set(['html', 'twice']);

let simulator: Simulator;
let h: Harness;
beforeAll(async () => {
  simulator = await startSimulator({ SIMULATOR_BILL_LINES: 20_000 });
  h = await startHarness({ RESPONSE_LIMIT_BYTES: 60_000 });
  for (const { name, over, root } of UPSTREAMS) {
    const places = {
      sim: simulator.url,
      silent: simulator.url,
      refused: 'http://127.0.0.1:1',
      tls: simulator.url.replace('http:', 'https:'),
    };
    for (const [place, url] of Object.entries(places)) {
      const providerId = `${place}-${name}`;
      const silence = { firstByteTimeoutMs: SILENCE_MS, idleTimeoutMs: SILENCE_MS };
      const material = {
        providerId,
        baseUrl: url + root,
        ...(place === 'silent' ? silence : {}),
        upstreamFormat: over.upstreamFormat ?? '',
        providerType: over.providerType ?? 'PROVIDER_A',
      };
      h.catalog.connections.set(`${providerId}:1`, connection(material));
    }
  }
  h.policy.decide = ({ model }) => {
    const found = cases.get(model);
    if (!found) return routed([]);
    const hedgeAfterMs = found.strategy === 'hedge' ? HEDGE_AFTER_MS : 0;
    const strategy = STRATEGY_NAMES[found.strategy];
    return routed(candidatesOf(found), { strategy, triggers: ['any'], hedgeAfterMs });
  };
});
afterAll(async () => {
  await h.stop();
  await simulator.stop();
});
interface Case {
  id: string;
  upstream: Upstream;
  client: CorpusClient;
  stream: boolean;
  fault: string;
  strategy: Strategy;
}

/** How policy orders candidates; `single`: there is only one. */
const STRATEGY_NAMES = {
  single: 'failover',
  failover: 'failover',
  round_robin: 'round_robin',
  hedge: 'failover',
} as const;
type Strategy = keyof typeof STRATEGY_NAMES;
const STRATEGIES = Object.keys(STRATEGY_NAMES) as Strategy[];
/** Early enough for a second call in nearly every request. */
const HEDGE_AFTER_MS = 1;

const cases = new Map<string, Case>();
/** The next candidate in round robin. */
let turn = 0;

function candidatesOf({ id, upstream, fault, strategy }: Case): Candidate[] {
  const away = fault.startsWith('at=');
  const place = away ? fault.slice(3) : /^(timeout|slow|stall)/.test(fault) ? 'silent' : 'sim';
  const directives = away ? '' : `.${fault}`;
  const other = UPSTREAMS.find(
    ({ name }) => name === (upstream.name === 'openai' ? 'gemini' : 'openai'),
  );
  const of = ({ name, over }: Upstream, where: string, model: string): Candidate =>
    candidate({ ...over, providerId: `${where}-${name}`, modelId: model, upstreamModel: model });
  const preferred = of(upstream, place, `sim.${id}${directives}`);
  if (strategy === 'single' || !other) return [preferred];
  const second = of(other, 'sim', `sim.${id}.second`);
  const turned = strategy === 'round_robin' && (turn += 1) % 2 === 0;
  return turned ? [second, preferred] : [preferred, second];
}

interface Outcome {
  id: string;
  status: number;
  understood: Understood;
  readable: boolean;
}

async function run(asked: Case): Promise<Outcome> {
  const { client, id, stream } = asked;
  cases.set(id, asked);
  const response = await h.post(client.path(id, stream), client.body(id, stream));
  const { status } = response;
  try {
    const text = await response.text();
    const streamed = (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
    const understood = streamed ? client.stream(text) : client.unary(JSON.parse(text));
    return { id, status, understood, readable: true };
  } catch {
    const understood = { text: '', complete: false, ends: 0, error: undefined };
    return { id, status, understood, readable: false };
  }
}

/** Runs all cases, a few at a time. */
async function runAll(all: Case[]): Promise<Outcome[]> {
  const left = [...all];
  const outcomes: Outcome[] = [];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) outcomes.push(await run(next));
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  await until(() => h.policy.settled.length >= all.length, 'all settles');
  return outcomes;
}

/** The texts of complete answers: the default one, and one of two tokens. */
let usual = '';
let short = '';
beforeAll(async () => {
  for (const fault of ['html', 'tokens-2']) {
    const [upstream] = UPSTREAMS;
    const asked = { id: `sound-${fault}`, client: chat, stream: false, fault };
    if (upstream) await run({ ...asked, upstream, strategy: 'single' });
  }
  await until(() => h.policy.settled.length === 2, 'the settles of sound answers');
  const texts = await Promise.all(['sim', 'sim.tokens-2'].map(answerOf));
  [usual, short] = [texts[0] ?? '', texts[1] ?? ''];
  expect([usual, short]).toEqual(['You said: Hi', 'You said']);
});

async function answerOf(model: string): Promise<string> {
  const response = await fetch(`${simulator.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    body: JSON.stringify(chat.body(model, false)),
  });
  return chat.unary(await response.json()).text;
}

/** The violations of an outcome; empty without any. */
function judge({ id, status, understood, readable }: Outcome): string[] {
  const asked = cases.get(id);
  const { complete, ends, error, text } = understood;
  const wrong: string[] = [];
  const note = (what: string) => wrong.push(`${id} ${asked?.fault}: ${what} (${status}, ${text})`);
  if (!readable) note('cannot be read');
  const long = asked?.fault === 'tokens-20000';
  if (complete && text !== usual && text !== short && !long) note('looks complete but is not');
  // A frame of this format may repeat the stop reason.
  if (complete && ends !== 1 && asked?.client !== gemini) note(`ends ${ends} times`);
  if (complete === (error !== undefined)) note('neither an answer nor an error');
  if (complete !== (status === 200) && (status !== 200 || error === undefined)) note('odd status');
  const begun = text !== '';
  if (asked?.strategy !== 'single' && !complete && !begun)
    note('could have been answered by the next candidate');
  if (asked && HARMLESS.has(asked.fault) && !complete && asked.stream) note('was whole');
  return wrong;
}

interface Line {
  usage: { input: number; output: number };
  completed: boolean;
  requests: number;
}

/** Models whose answer was not sent completely. */
const unfinished = new Set<string>();

/** Compares the booked charges with the upstreams' bills; empty: no difference. */
async function audit(settled: readonly SettleRequest__Output[]): Promise<string[]> {
  const bill = (await (await fetch(`${simulator.url}/_sim/bill`)).json()) as Bill;
  const lines = new Map<string, Line>();
  for (const { model, usage, completed } of bill.requests) {
    if (!completed) unfinished.add(model);
    const before = lines.get(model);
    const { input, output } = usage;
    const requests = (before?.requests ?? 0) + 1;
    lines.set(model, { usage: { input, output }, completed, requests });
  }
  const wrong: string[] = [];
  for (const settle of settled) {
    let cost = 0n;
    for (const attempt of settle.attempts) {
      const line = lines.get(attempt.modelId);
      lines.delete(attempt.modelId);
      cost += BigInt(attempt.costNanoUsd || '0');
      const booked = { input: attempt.usage?.input ?? 0, output: attempt.usage?.output ?? 0 };
      const billed = line?.usage ?? { input: 0, output: 0 };
      const same = booked.input === billed.input && booked.output === billed.output;
      const note = (what: string) =>
        wrong.push(
          `${attempt.modelId} ${attempt.outcome} ${settle.usageQuality}: ${what} ${JSON.stringify({ booked, billed })}`,
        );
      if ((line?.requests ?? 1) > 1) note('was called more than once');
      if (attempt.outcome === 'OK' && !same) note('an answer is not booked as billed');
      if (!same && settle.usageQuality === 'EXACT') note('called exact');
      // Attempts that the gateway gave up are booked by its own estimate.
      const guessed = attempt.outcome === 'ABORTED' || attempt.outcome === 'TOO_LARGE';
      if (booked.input > billed.input && !guessed) note('booked more input than billed');
      if (booked.output > billed.output && !guessed) note('booked more output than billed');
    }
    if (cost !== BigInt(settle.costNanoUsd)) wrong.push(`${settle.requestId}: not the sum`);
  }
  for (const model of lines.keys())
    if (!model.includes('sound')) wrong.push(`${model}: billed, not booked`);
  return wrong;
}

async function check(all: Case[]): Promise<void> {
  h.policy.settled.length = 0;
  await fetch(`${simulator.url}/_sim/bill`, { method: 'DELETE' });
  const outcomes = await runAll(all);
  // The first 20 are enough for a report.
  expect(outcomes.flatMap(judge).slice(0, 20)).toEqual([]);
  expect((await audit(h.policy.settled)).slice(0, 20)).toEqual([]);
}

const MANNERS = [false, true].flatMap((stream) =>
  STRATEGIES.map((strategy) => ({ stream, strategy })),
);

test.each(UPSTREAMS.map((upstream) => [upstream.name, upstream] as const))(
  '%s: whatever goes wrong',
  async (name, upstream) => {
    const clients = upstream.name === 'responses' ? [upstream.client] : [upstream.client, unified];
    const all = FAULTS.flatMap((fault) =>
      clients.flatMap((client) =>
        MANNERS.map(({ stream, strategy }) => {
          const manner = `${stream ? 's' : 'u'}-${strategy}`;
          const id = `${name}-${client.name}-${manner}-${fault.replaceAll(/[=.]/g, '_')}`;
          return { id, upstream, client, stream, fault, strategy };
        }),
      ),
    );
    await check(all);
  },
  DEADLINE_MS,
);

/** The length of its answer of two tokens, without the digits of its id. */
async function lengthOf({ client, over, root }: Upstream, stream: boolean): Promise<number> {
  const model = 'sim.length-of-model-1000.tokens-2';
  const path = client.path(model, stream).replace(/^\/v1(beta)?/, root);
  const response = await fetch(simulator.url + path, {
    method: 'POST',
    headers: {
      authorization: 'Bearer key',
      'x-api-key': 'key',
      'x-goog-api-key': 'key',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      ...client.body(model, stream),
      ...(stream && over.upstreamFormat === 'openai' && client === chat
        ? { stream_options: { include_usage: true } }
        : {}),
    }),
  });
  expect(response.status).toBe(200);
  return (await response.arrayBuffer()).byteLength;
}

/** EVERY_CUT=1 cuts at every byte, for the code that reads answers; otherwise every third is cut at. */
const CUT_STEP = process.env['EVERY_CUT'] === '1' ? 1 : 3;

const CUTS = ['cut', 'end'].flatMap((manner) =>
  STRATEGIES.map((strategy) => ({ manner, strategy })),
);

test.each(UPSTREAMS.filter(({ name }) => name !== 'vllm').map((row) => [row.name, row] as const))(
  '%s: cut off or ended anywhere',
  async (name, upstream) => {
    const { client } = upstream;
    const all: Case[] = [];
    for (const stream of [true, false]) {
      const length = await lengthOf(upstream, stream);
      // Events of this format repeat the whole answer.
      const step = CUT_STEP * (name === 'responses' && stream ? 5 : 1);
      for (let bytes = 0; bytes < length + 8; bytes += step) {
        const { manner, strategy } = CUTS[all.length % CUTS.length] ?? {
          manner: '',
          strategy: 'single',
        };
        const fault = `${manner}-at-${bytes}.tokens-2`;
        all.push({ id: `${name}-${stream}-${bytes}`, upstream, client, stream, fault, strategy });
      }
    }
    await check(all);
    // A stream may count as complete only if nothing but its last blank line is missing.
    const odd = h.policy.settled.flatMap(({ attempts }) =>
      attempts.filter(({ modelId, outcome }) => outcome === 'OK' && unfinished.has(modelId)),
    );
    const parts = new Set(odd.map(({ modelId }) => modelId.replace(/\D+/g, ' ')));
    expect(parts.size).toBeLessThanOrEqual(4);
    expect(odd.filter(({ modelId }) => modelId.includes('-false-'))).toEqual([]);
  },
  DEADLINE_MS,
);
