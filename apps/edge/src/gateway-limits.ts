// Limits and parts of the gateway, as the configuration states them.

import { tmpdir } from 'node:os';
import type { KeyRing } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

import { createBodyKeeper, type BodyKeeperDeps } from './bodies';
import { bufferBytes, type Config } from './config';
import type { BodyKeeper } from './exchange/kept-bodies';
import { createByteBudget } from './intake';
import type { Gateway, GatewayLimits } from './pipeline';
import {
  cacheSecrets,
  createMemoryStore,
  createRedisStore,
  createResponseCache,
  type ResponseCache,
  type ResponseCacheDeps,
} from './response-cache';
import { createResponsesSockets, type ResponsesSockets } from './responses-socket';
import { createUploads, type Uploads } from './uploads';

export function limitsOf(config: Config): GatewayLimits {
  return {
    bodyBytes: config.BODY_LIMIT_BYTES,
    bodyDepth: config.BODY_DEPTH_LIMIT,
    responseBytes: config.RESPONSE_LIMIT_BYTES,
    answerBytes: Math.min(config.RESPONSE_LIMIT_BYTES, bufferBytes(config.ANSWER_BUFFER_BYTES)),
    keepAliveMs: config.STREAM_KEEP_ALIVE_MS,
  };
}

export function openUploads(config: Config): Uploads {
  return createUploads({
    bytes: config.UPLOAD_LIMIT_BYTES,
    memoryBytes: config.UPLOAD_MEMORY_BYTES,
    totalBytes: config.UPLOAD_TOTAL_BYTES,
    directory: config.UPLOAD_DIR || tmpdir(),
  });
}

/** What is optional may take this part (one over) of a buffer, beside it. */
const OPTIONAL_PART = 4;

function partOf(configured: number): number {
  return Math.floor(bufferBytes(configured) / OPTIONAL_PART);
}
interface ResponseCacheParts {
  readonly keyRing: KeyRing;
  readonly metrics: ResponseCacheDeps['metrics'];
  readonly log: Logger;
  readonly nowMs: () => number;
}

/** Undefined: no answer is kept. */
export function openResponseCache(
  config: Config,
  { keyRing, log, metrics, nowMs }: ResponseCacheParts,
): ResponseCache | undefined {
  const { RESPONSE_CACHE_BYTES: mostBytes, RESPONSE_CACHE_REDIS_URL: url } = config;
  if (url === undefined && mostBytes === 0) return undefined;
  const secrets = cacheSecrets(keyRing);
  const store =
    url === undefined
      ? createMemoryStore({ mostBytes, nowMs })
      : createRedisStore({
          url,
          seal: secrets.seal,
          deadlineMs: config.RESPONSE_CACHE_DEADLINE_MS,
          nowMs,
          log,
        });
  return createResponseCache({
    store,
    secrets,
    mostBytes: config.RESPONSE_CACHE_ENTRY_BYTES,
    room: createByteBudget({ totalBytes: partOf(config.ANSWER_BUFFER_BYTES) }),
    metrics,
    log,
  });
}

export function openBodyKeeper(
  config: Config,
  deps: Pick<BodyKeeperDeps, 'log' | 'metrics' | 'nowMs' | 'send'>,
): BodyKeeper {
  return createBodyKeeper({
    ...deps,
    mostBytes: config.KEPT_BODY_BYTES,
    room: createByteBudget({ totalBytes: bufferBytes(config.KEPT_BODIES_BUFFER_BYTES) }),
  });
}

/** Undefined: connections are refused. */
export function openResponsesSockets(
  config: Config,
  gateway: Gateway,
): ResponsesSockets | undefined {
  if (!config.RESPONSES_WEBSOCKET) return undefined;
  // What idle connections remember.
  const totalBytes = partOf(config.BODY_BUFFER_BYTES);
  return createResponsesSockets({
    gateway,
    remembered: createByteBudget({ totalBytes }),
    limits: {
      most: config.RESPONSES_WEBSOCKETS,
      perKey: config.RESPONSES_WEBSOCKETS_PER_KEY,
      idleMs: config.RESPONSES_WEBSOCKET_IDLE_MS,
      maxAgeMs: config.RESPONSES_WEBSOCKET_AGE_MS,
      pingMs: config.RESPONSES_WEBSOCKET_PING_MS,
    },
  });
}
