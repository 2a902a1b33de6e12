import {
  isIdentityDocument,
  vendorByType,
  type ProviderType,
  type rest,
  type UpstreamFormat,
} from '@tollgate/contracts';
import type { AddressRules } from '@tollgate/contracts/node';
import { request, type Agent, type Dispatcher } from 'undici';

import { createGuardedAgent } from '../../../outbound';
import { connectFailure, NO_LIST, refusalFailure, shapeFailure } from './failures';
import type { Listed, ListWays, Page } from './model-lists';

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
  const { secret, type } = upstream;
  const { cloud } = vendorByType(type);
  if (ways === undefined || (cloud !== null && secret !== null && isIdentityDocument(secret))) {
    return { ok: false, failure: NO_LIST };
  }
  const agent = createGuardedAgent({
    addressRules: limits.addressRules,
    connectTimeoutMs: Math.min(upstream.connectTimeoutMs, limits.timeoutMs),
    responseLimitBytes: RESPONSE_LIMIT_BYTES,
  });
  try {
    return await readPages(agent, upstream, ways, limits);
  } catch (error) {
    return { ok: false, failure: connectFailure(error) };
  } finally {
    await agent.destroy();
  }
}

async function readPages(
  agent: Agent,
  upstream: Upstream,
  ways: ListWays,
  limits: AskLimits,
): Promise<Asked> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  const models: Listed[] = [];
  let after: string | null = null;
  for (let page = 0; page < limits.maxPages && models.length < limits.maxModels; page += 1) {
    const read = await readOne(agent, upstream, ways, after, signal);
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
  agent: Agent,
  upstream: Upstream,
  ways: ListWays,
  after: string | null,
  signal: AbortSignal,
): Promise<Page | { failure: rest.UpstreamFailure }> {
  const url = new URL(upstream.baseUrl);
  const base = { path: url.pathname.replace(/\/+$/, ''), apiVersion: upstream.apiVersion };
  const response = await request(url.origin + ways.target(base, after), {
    dispatcher: agent,
    method: 'GET',
    headers: headersOf(upstream, ways),
    signal,
  });
  const { statusCode: status } = response;
  const text = await response.body.text();
  if (status !== 200) {
    const { secret, apiVersion } = upstream;
    const refusal = { status, secret, hasApiVersion: apiVersion !== null };
    return { failure: refusalFailure({ ...refusal, text: text.slice(0, ERROR_CHARACTERS) }) };
  }
  return ways.read(json(text)) ?? { failure: shapeFailure(status) };
}

function headersOf(
  upstream: Upstream,
  ways: ListWays,
): NonNullable<Dispatcher.RequestOptions['headers']> {
  const headers: Record<string, string> = {
    'user-agent': 'tollgate',
    accept: 'application/json',
    ...ways.headers,
    ...lowerCased(upstream.headers),
  };
  if (upstream.secret !== null) {
    const [name, value] = ways.authorization(upstream.secret);
    headers[name] = value;
  }
  return headers;
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
