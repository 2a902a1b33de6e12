// Limits and parts of the gateway, as the configuration states them.

import { tmpdir } from 'node:os';

import { bufferBytes, type Config } from './config';
import { createByteBudget } from './intake';
import type { Gateway, GatewayLimits } from './pipeline';
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

/** What WebSocket connections remember may take this part (one over) of what bodies may. */
const REMEMBERED_PART = 4;

/** Undefined: connections are refused. */
export function openResponsesSockets(
  config: Config,
  gateway: Gateway,
): ResponsesSockets | undefined {
  if (!config.RESPONSES_WEBSOCKET) return undefined;
  const totalBytes = Math.floor(bufferBytes(config.BODY_BUFFER_BYTES) / REMEMBERED_PART);
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
