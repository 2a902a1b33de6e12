import { formatUsd, parseUsd } from '@tollgate/contracts';
import { request } from 'undici';

import { billOf, type BillLine } from '../gateway/books';
import { newTenant, PRICES, type Tenant } from '../gateway/tenant';
import { ended } from './counter';
import { percent, type Finding, type Proof } from './proof';
import { readBooks, type BookedRequest } from './referee';
import type { World } from './world';

// Streams that do not end by themselves, in every format: an upstream that ignores its output
// bound, and clients that disconnect. The upstream's bill is compared with the held and the booked
// amounts.

/** A stream request in one format, as its own clients send it. */
interface Way {
  readonly name: string;
  readonly provider: { readonly type: string; readonly path: string };
  readonly path: string;
  readonly body: (maxTokens: number) => object;
}

const messages = [{ role: 'user', content: 'Hello there' }];
const chatBody = (maxTokens: number): object => ({
  model: 'chat',
  messages,
  stream: true,
  max_tokens: maxTokens,
});

const WAYS: readonly Way[] = [
  {
    name: 'chat',
    provider: { type: 'PROVIDER_A', path: '/v1' },
    path: '/v1/chat/completions',
    body: chatBody,
  },
  {
    name: 'responses',
    provider: { type: 'PROVIDER_A', path: '/v1' },
    path: '/v1/responses',
    body: (maxTokens) => ({
      model: 'chat',
      input: 'Hello there',
      stream: true,
      max_output_tokens: maxTokens,
    }),
  },
  {
    name: 'messages',
    provider: { type: 'PROVIDER_B', path: '' },
    path: '/v1/messages',
    body: chatBody,
  },
  {
    name: 'generateContent',
    provider: { type: 'PROVIDER_C', path: '' },
    path: '/v1beta/models/chat:streamGenerateContent?alt=sse',
    body: (maxOutputTokens) => ({
      contents: [{ role: 'user', parts: [{ text: 'Hello there' }] }],
      generationConfig: { maxOutputTokens },
    }),
  },
  {
    name: 'vLLM',
    provider: { type: 'PROVIDER_D', path: '/v1' },
    path: '/v1/vllm/chat/completions',
    body: chatBody,
  },
];

const CALLERS = 40;
/** The number of callers that the budget affords. */
const AFFORDS = 10;
const BOUND = 20;
/** The tokens of an answer that is not cut. */
const TOKENS = 3_000;
const PACE_MS = 20;
/**
 * The tokens that may be billed beyond the bound of one stream: the upstream's output while the
 * edge counts, the first time with a tokeniser to load, and until the upstream notices the abort;
 * and the difference between the tokenisers.
 */
const IN_FLIGHT_TOKENS = 60;
/** The simulator's tokens have four characters. */
const BYTES_PER_TOKEN = 4;
const NANO_PER_TOKEN = BigInt(Math.round(Number(PRICES.output) * 1_000));

const HANG_UPS = 20;
const HANG_UP_TOKENS = 400;
const HANG_UP_PACE_MS = 5;
/** The pieces of the body that a caller reads before it disconnects. */
const READ_PIECES = 60;
/** How far the booked amount may be below the bill after a disconnect, as a share and in tokens. */
const HANG_UP_SHARE = 0.05;
const HANG_UP_IN_FLIGHT_TOKENS = 10;

export const overlong: Proof = {
  name: 'streams that do not come to their own end',
  run: async function* run(world) {
    for (const way of WAYS) yield await overlongStream(world, way);
    for (const way of WAYS) yield await hangUps(world, way);
  },
};

interface Asked {
  readonly tenant: Tenant;
  readonly key: string;
  readonly budgetId: string;
  readonly cap: bigint;
}

async function overlongStream(world: World, way: Way): Promise<Finding> {
  const upstream = `sim-tokens-${String(TOKENS)}.overlong.pace-${String(PACE_MS)}`;
  const hold = await holdOf(world, way, upstream);
  const asked = await tenantOf(world, way, upstream, hold * BigInt(AFFORDS) + hold / 2n);
  const calls = Array.from({ length: CALLERS }, (_, n) => stream(world, way, asked.key, n, BOUND));
  const answers = await Promise.all(calls);
  await ended(world, asked.tenant, asked.budgetId);
  const bill = await billOf(world, asked.tenant);
  const books = await readBooks(world.pool, asked.tenant.id);
  const served = answers.filter(({ status }) => status === 200).length;
  const billed = sum(bill);
  const allowed = asked.cap + BigInt(served * IN_FLIGHT_TOKENS) * NANO_PER_TOKEN;
  const beyond = bill.map(({ nanoUsd }) => Number((nanoUsd - hold) / NANO_PER_TOKEN));
  const most = Math.max(0, ...beyond);
  const breaches: string[] = [];
  if (served === 0) breaches.push('no stream was served');
  if (billed > allowed) {
    breaches.push(
      `billed ${formatUsd(billed)} of ${formatUsd(allowed)} USD with what is in flight`,
    );
  }
  if (bill.length !== served) breaches.push(`${bill.length} lines are billed of ${served} streams`);
  const open = answers.filter(
    ({ status, text }) => status === 200 && !/length|max_|MAX_/.test(text),
  );
  if (open.length > 0) breaches.push(`${open.length} streams do not say that a bound ended them`);
  return {
    name: `an upstream that ignores its bound, ${way.name}`,
    figures: {
      callers: String(CALLERS),
      served: String(served),
      limit: `$${formatUsd(asked.cap)}`,
      billed: `$${formatUsd(billed)}`,
      booked: `$${formatUsd(books.reduce((all, { nanoUsd }) => all + nanoUsd, 0n))}`,
      'in flight at most': `${most} tokens (${most * BYTES_PER_TOKEN} bytes of text) a stream`,
    },
    breaches,
  };
}

async function hangUps(world: World, way: Way): Promise<Finding> {
  const upstream = `sim-tokens-${String(HANG_UP_TOKENS)}.pace-${String(HANG_UP_PACE_MS)}`;
  const asked = await tenantOf(world, way, upstream, parseUsd('100'));
  const most = 2 * HANG_UP_TOKENS;
  await Promise.all(
    Array.from({ length: HANG_UPS }, (_, n) => stream(world, way, asked.key, n, most, READ_PIECES)),
  );
  await ended(world, asked.tenant, asked.budgetId);
  const bill = await billOf(world, asked.tenant);
  const books = await readBooks(world.pool, asked.tenant.id);
  const pairs = bill.flatMap((line) => {
    const book = books.find(({ responseId }) => responseId === line.id);
    return book ? [{ line, book }] : [];
  });
  const billed = sum(bill);
  const booked = pairs.reduce((all, { book }) => all + book.nanoUsd, 0n);
  const short = pairs.filter(({ line, book }) => book.nanoUsd < least(line));
  const breaches: string[] = [];
  if (pairs.length < HANG_UPS) breaches.push(`${pairs.length} of ${HANG_UPS} could be compared`);
  if (short.length > 0) breaches.push(`${short.length} are charged less than the tolerance allows`);
  return {
    name: `callers that hang up, ${way.name}`,
    figures: {
      streams: String(pairs.length),
      exact: String(pairs.filter(({ book }) => book.exact).length),
      billed: `$${formatUsd(billed)}`,
      booked: `$${formatUsd(booked)}`,
      'books of bill': percent(Number(booked) / Number(billed)),
      'most missing': `${mostMissing(pairs)} tokens`,
    },
    breaches,
  };
}

/** The minimum charge of a stream whose client disconnected. */
function least({ nanoUsd }: BillLine): bigint {
  const share = BigInt(Math.floor(Number(nanoUsd) * (1 - HANG_UP_SHARE)));
  return share - BigInt(HANG_UP_IN_FLIGHT_TOKENS) * NANO_PER_TOKEN;
}

function mostMissing(pairs: readonly { line: BillLine; book: BookedRequest }[]): string {
  const missing = pairs.map(
    ({ line, book }) => Number(line.nanoUsd - book.nanoUsd) / Number(NANO_PER_TOKEN),
  );
  return Math.max(0, ...missing).toFixed(1);
}

function sum(bill: readonly BillLine[]): bigint {
  return bill.reduce((all, { nanoUsd }) => all + nanoUsd, 0n);
}

/** A tenant whose provider speaks the format, with a hard budget. */
async function tenantOf(world: World, way: Way, upstream: string, cap: bigint): Promise<Asked> {
  const { path, type } = way.provider;
  const tenant = await newTenant(world, {
    provider: { type, baseUrl: `${world.simulatorUrl}${path}` },
    upstreamModel: upstream,
  });
  const budget = await tenant.create('budgets', {
    scope: { type: 'ORGANISATION', id: tenant.id },
    period: 'MONTHLY',
    limitUsd: formatUsd(cap),
    mode: 'HARD',
  });
  const { key } = await tenant.key();
  return { tenant, key, budgetId: budget.id, cap };
}

/** The hold for one such stream, from its answer's header. */
async function holdOf(world: World, way: Way, upstream: string): Promise<bigint> {
  const { key } = await tenantOf(world, way, upstream, parseUsd('100'));
  const { heldUsd, status, text } = await stream(world, way, key, 0, BOUND);
  if (status !== 200)
    throw new Error(`${way.name}: the first stream was answered ${status} ${text}`);
  return parseUsd(heldUsd);
}

/** Reads one stream, to its end or for some pieces. */
async function stream(
  world: World,
  way: Way,
  key: string,
  caller: number,
  maxTokens: number,
  pieces = Number.POSITIVE_INFINITY,
): Promise<{ status: number; text: string; heldUsd: string }> {
  const url = world.edgeUrls[caller % world.edgeUrls.length] ?? '';
  const answer = await request(`${url}${way.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(way.body(maxTokens)),
  });
  let text = '';
  let read = 0;
  for await (const piece of answer.body) {
    text += String(piece);
    read += 1;
    if (read >= pieces && answer.statusCode === 200) break;
  }
  const heldUsd = String(answer.headers['x-tollgate-held-usd'] ?? '');
  return { status: answer.statusCode, text, heldUsd };
}
