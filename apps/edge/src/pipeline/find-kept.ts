import type { Operation } from '@tollgate/contracts';
import type { Candidate__Output } from '@tollgate/contracts/node';

import type { CacheBypass, CacheUse } from '../exchange/cache-use';
import type { AuthorisedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import type { JsonObject } from '../formats';
import type { ByteLease } from '../intake';
import type { Job } from '../operations';
import {
  canonicalBody,
  createRecorder,
  type CacheWish,
  type KeptAnswer,
  type ResponseCache,
} from '../response-cache';

/** A kept answer that this request may have. */
export interface Found {
  kept: KeptAnswer;
  /** The model that made it, at today's price. */
  candidate: Candidate__Output;
}

/** Whether the request has anything to do with the cache; otherwise nothing of it runs. */
export function concernsCache({ allow }: AuthorisedExchange, { mode }: CacheWish): boolean {
  return allow.responseCache !== null || mode !== undefined;
}

/**
 * Looks for an answer that is kept for this request. The request is authorised and screened, so its key may ask for
 * it, and its hold covers what the answer costs.
 * @returns undefined: a provider must be asked
 */
export async function findKept(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  wish: CacheWish,
): Promise<Found | undefined> {
  const { responseCache: cache } = gateway;
  const prepared = cache ? prepare(cache, exchange, wish) : 'unavailable';
  if (typeof prepared === 'string' || !cache) {
    exchange.cache = useOf('BYPASS', typeof prepared === 'string' ? prepared : undefined);
    gateway.metrics.cacheResult('BYPASS');
    return undefined;
  }
  const found =
    wish.mode === 'refresh' ? undefined : await find(gateway, exchange, cache, prepared);
  const use = (exchange.cache = useOf(found ? 'HIT' : 'MISS'));
  gateway.metrics.cacheResult(use.result);
  if (found) {
    use.ageSeconds = ageOf(gateway, found.kept);
    return found;
  }
  use.key = prepared.key;
  use.recorder = createRecorder(cache.mostBytes, (bytes) => keptLease(cache, exchange).take(bytes));
  return undefined;
}

/** One organisation takes at most half of the room. */
function keptLease({ room }: ResponseCache, exchange: AuthorisedExchange): ByteLease {
  if (exchange.keptLease) return exchange.keptLease;
  exchange.keptLease = room.open();
  exchange.keptLease.confirm(exchange.allow.subject?.organisationId);
  return exchange.keptLease;
}

function useOf(result: CacheUse['result'], reason?: CacheBypass): CacheUse {
  return {
    result,
    reason,
    key: undefined,
    recorder: undefined,
    cachedCostNanoUsd: 0n,
    ageSeconds: 0,
  };
}

interface Prepared {
  key: string;
  mostAgeSeconds: number;
}

/** The name of its answer, or why it has none. */
function prepare(
  cache: ResponseCache,
  exchange: AuthorisedExchange,
  wish: CacheWish,
): Prepared | CacheBypass {
  const { allow, formatName, job, received, req, route } = exchange;
  const { responseCache: setting, subject } = allow;
  if (setting === null || subject === null || wish.mode === 'off') return 'off';
  if (setting.mode !== 'ON' && wish.mode === undefined) return 'not_asked';
  if (received === undefined || !('json' in received) || req.message) return 'operation';
  const unfit = unfitFor(exchange, received.json);
  if (unfit) return unfit;
  const body = canonicalBody(formatName, received.json, BODY_CHARACTERS);
  if (body === undefined) return 'size';
  const key = cache.keyOf({
    organisationId: subject.organisationId,
    generation: setting.generation,
    format: formatName,
    operation: route.operation,
    route: route.path,
    model: job.model,
    arm: armOf(exchange),
    stream: job.stream,
    headers: shapingHeaders(req.headers),
    screening: allow.screening.map(({ policyId, version }) => [policyId, version] as const),
    body,
  });
  const mostAgeSeconds = Math.min(setting.ttlSeconds, wish.maxAgeSeconds ?? setting.ttlSeconds);
  return { key, mostAgeSeconds };
}

function armOf({ allow: { experiment } }: AuthorisedExchange): string {
  return experiment ? `${experiment.experimentId}/${experiment.arm}` : '';
}

/** Longer requests are seldom sent twice, and their hash would hold up others. */
const BODY_CHARACTERS = 512 * 1024;

const OPERATIONS: ReadonlySet<Operation> = new Set([
  'chat',
  'completions',
  'embeddings',
  'responses',
]);

function unfitFor(
  { checks, chosenModel, job, offLoop, route, screening }: AuthorisedExchange,
  body: JsonObject,
): CacheBypass | undefined {
  if (!OPERATIONS.has(route.operation)) return 'operation';
  if (offLoop) return 'size';
  // Services and plugins judge each request and each answer anew. What rules have found is of this request alone.
  if (checks !== undefined || chosenModel !== undefined) return 'screening';
  if ((screening?.evidence() ?? '') !== '') return 'screening';
  if (usesTools(job, body)) return 'tools';
  if (usesStored(job, route.format, body)) return 'stored';
  return job.choices > 1 ? 'choices' : undefined;
}

/** Fields that offer tools, or run them at the provider. */
const TOOL_FIELDS = [
  'container',
  'functions',
  'mcp_servers',
  'search_parameters',
  'tools',
  'web_search_options',
] as const;

/** What a tool does is done once for each request. */
function usesTools({ request, serverTools = [] }: Job, body: JsonObject): boolean {
  if (serverTools.length > 0 || request?.webSearch !== undefined) return true;
  if (request?.addsTools) return true;
  return (request?.tools.length ?? 0) > 0 || TOOL_FIELDS.some((name) => isGiven(body[name]));
}

function isGiven(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return !Array.isArray(value) || value.length > 0;
}

/** Whether the provider keeps something of the request, or reads what it has kept. */
function usesStored(job: Job, format: string, body: JsonObject): boolean {
  const {
    background,
    conversationId = '',
    itemIds = [],
    previousResponseId,
    request,
    storedId = '',
  } = job;
  if (background || previousResponseId !== '' || conversationId !== '' || storedId !== '')
    return true;
  if (itemIds.length > 0 || isGiven(body['cachedContent'])) return true;
  // Spoken answers are kept by the provider under an id, for a while.
  if (request?.audioOutput !== undefined || request?.modalities?.includes('audio')) return true;
  // Responses are stored unless the request says otherwise; a stored prompt changes without the request.
  if (format === 'openai-responses') return body['store'] !== false || isGiven(body['prompt']);
  return body['store'] === true;
}

const SHAPING_HEADERS: ReadonlySet<string> = new Set([
  'openai-beta',
  'openai-organization',
  'openai-project',
  'x-tollgate-strict',
]);

/** Headers of the client that the provider, or the translation of the request, depends on. */
function shapingHeaders(headers: AuthorisedExchange['req']['headers']) {
  return Object.entries(headers).flatMap(([name, value]) =>
    SHAPING_HEADERS.has(name) || name.startsWith('anthropic-')
      ? [[name, String(value)] as const]
      : [],
  );
}

async function find(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  cache: ResponseCache,
  { key, mostAgeSeconds }: Prepared,
): Promise<Found | undefined> {
  const kept = await cache.find(key);
  if (!kept || ageOf(gateway, kept) >= mostAgeSeconds) return undefined;
  const { candidates } = exchange.allow;
  const candidate = candidates.find((one) => isSameModel(one, kept.candidate));
  if (!candidate) return undefined;
  // A client may read it slowly.
  return keptLease(cache, exchange).take(kept.body.length) ? { kept, candidate } : undefined;
}

/** A model that was changed, or whose provider is reached otherwise now, answers anew. */
function isSameModel(one: Candidate__Output, kept: KeptAnswer['candidate']): boolean {
  return (
    one.modelId === kept.modelId &&
    one.upstreamModel === kept.upstreamModel &&
    one.providerId === kept.providerId &&
    one.connectionVersion === kept.connectionVersion
  );
}

function ageOf({ wallMs }: Pick<Gateway, 'wallMs'>, { storedAtMs }: KeptAnswer): number {
  return Math.max(0, Math.floor((wallMs() - storedAtMs) / 1_000));
}
