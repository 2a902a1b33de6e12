import {
  PROVIDER_TYPE_ROWS,
  type ProviderType,
  type rest,
  type UpstreamFormat,
} from '@tollgate/contracts';
import type { AddressRules } from '@tollgate/contracts/node';
import { request, type Agent } from 'undici';

import { createGuardedAgent } from '../../../outbound';
import { authorise, type Authorised } from './authorise';
import { connectFailure, LIST_ELSEWHERE, NO_LIST, refusalFailure, shapeFailure } from './failures';
import type { Listed, Page } from './list-shape';
import type { ListWays } from './model-lists';

/** Calls that the catalog makes to upstreams, which only list models. */

/** An upstream with one opened key. Never logged. */
export interface Upstream {
  readonly type: ProviderType;
  readonly upstreamFormat: UpstreamFormat;
  readonly baseUrl: string;
  readonly apiVersion: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number;
  readonly secret: string | null;
}

export interface AskLimits {
  readonly addressRules: AddressRules;
  /** For all pages together. */
  readonly timeoutMs: number;
  readonly maxPages: number;
  readonly maxModels: number;
}

export type Asked =
  | { readonly ok: true; readonly models: Listed[]; readonly truncated: boolean }
  | { readonly ok: false; readonly failure: rest.UpstreamFailure };

/** Hosted lists have tens of kilobytes; the largest known has about one megabyte. */
const RESPONSE_LIMIT_BYTES = 4 * 1024 * 1024;
/** Limit of an error's body. */
const ERROR_CHARACTERS = 20_000;

/** Lists the models of an upstream, page by page. */
export async function askUpstream(
  upstream: Upstream,
  ways: ListWays | undefined,
  limits: AskLimits,
): Promise<Asked> {
  if (ways === undefined) return { ok: false, failure: NO_LIST };
  const origin = ways.origin(new URL(upstream.baseUrl));
  if (origin === undefined) return { ok: false, failure: LIST_ELSEWHERE };
  const agent = createGuardedAgent({
    addressRules: limits.addressRules,
    connectTimeoutMs: Math.min(upstream.connectTimeoutMs, limits.timeoutMs),
    responseLimitBytes: RESPONSE_LIMIT_BYTES,
  });
  try {
    return await readPages({ agent, upstream, ways, origin }, limits);
  } catch (error) {
    return { ok: false, failure: connectFailure(error) };
  } finally {
    await agent.destroy();
  }
}

interface Asking {
  readonly agent: Agent;
  readonly upstream: Upstream;
  readonly ways: ListWays;
  readonly origin: string;
}

async function readPages(asking: Asking, limits: AskLimits): Promise<Asked> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  const deps = { dispatcher: asking.agent, signal, nowMs: Date.now() };
  const authorised = await authorise(asking.upstream, asking.ways, deps);
  if ('failure' in authorised) return { ok: false, failure: authorised.failure };
  const models: Listed[] = [];
  let after: string | null = null;
  for (let page = 0; page < limits.maxPages && models.length < limits.maxModels; page += 1) {
    const read = await readOne(asking, authorised, after, signal);
    if ('failure' in read) return { ok: false, failure: read.failure };
    models.push(...read.models);
    // A page that names itself as the next one would loop forever.
    if (read.next === null || read.next === after) return whole(models, limits.maxModels);
    after = read.next;
  }
  return { ok: true, models: models.slice(0, limits.maxModels), truncated: true };
}

function whole(models: Listed[], most: number): Asked {
  return { ok: true, models: models.slice(0, most), truncated: models.length > most };
}

async function readOne(
  { agent, origin, upstream, ways }: Asking,
  { headersFor, secrets }: Authorised,
  after: string | null,
  signal: AbortSignal,
): Promise<Page | { failure: rest.UpstreamFailure }> {
  const { pathname } = new URL(upstream.baseUrl);
  const base = { path: pathname.replace(/\/+$/, ''), apiVersion: upstream.apiVersion };
  const url = new URL(origin + ways.target(base, after));
  const headers = {
    'user-agent': 'tollgate',
    accept: 'application/json',
    ...ways.headers,
    ...lowerCased(upstream.headers),
  };
  const response = await request(url, {
    dispatcher: agent,
    method: 'GET',
    headers: await headersFor(url, headers),
    signal,
  });
  const { statusCode: status } = response;
  const text = await response.body.text();
  if (status !== 200) {
    const hasApiVersion = upstream.apiVersion !== null;
    const isCloud = PROVIDER_TYPE_ROWS[upstream.type].cloud !== null;
    const refusal = { status, secrets, hasApiVersion, isCloud };
    return { failure: refusalFailure({ ...refusal, text: text.slice(0, ERROR_CHARACTERS) }) };
  }
  return ways.read(json(text)) ?? { failure: shapeFailure(status) };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
