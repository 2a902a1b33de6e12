import type { Target } from './target';
import { GROWN, MCP_SERVER, type Grown } from './tenant';
import {
  ANSWER_CHUNKS,
  anthropicRequest,
  chatRequest,
  embeddingRequest,
  MCP_REVISION,
  TOOL,
  toolCall,
} from './wire';

/** A kind of request; every target that supports it is measured in turn. */
export interface Scenario {
  readonly name: string;
  readonly path: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly expect: number;
  readonly connections: number;
  /** Chunks of a streamed answer, to compute the cost per chunk. */
  readonly chunks?: number;
  readonly answeredBy: (target: Target) => boolean;
  /** Keys that are sent in turn; default: the target's own headers. */
  readonly keys?: 'poor' | 'unknown' | 'fresh' | Grown | number;
}

/**
 * Enough to keep a core busy. With few connections processes sleep between requests, and waking
 * them up is most of the cost; that cost vanishes under real traffic.
 */
export const CONNECTIONS = 64;
/** Keys that are sent once per round. */
export const FRESH_KEYS = 2_000;

const CHAT = '/v1/chat/completions';
const anyone = (): boolean => true;
const ours = (target: Target): boolean => target.name === 'tollgate';

const unary = {
  path: CHAT,
  body: chatRequest('small', 800, false),
  expect: 200,
  connections: CONNECTIONS,
} as const;

export const UNARY: Scenario = { ...unary, name: 'unary 1 KB', answeredBy: anyone };
export const STREAM: Scenario = {
  name: 'stream, same format',
  path: CHAT,
  body: chatRequest('small', 800, true),
  expect: 200,
  connections: CONNECTIONS,
  chunks: ANSWER_CHUNKS,
  answeredBy: anyone,
};
export const TRANSLATED: Scenario = {
  name: 'stream, translated',
  path: '/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  body: anthropicRequest('small', 800),
  expect: 200,
  connections: CONNECTIONS,
  chunks: ANSWER_CHUNKS,
  answeredBy: (target) => target.translates,
};
/** A tool call through the MCP gateway, beside the bare proxy of the same upstream. */
export const TOOL_CALL: Scenario = {
  name: 'MCP tool call 1 KB',
  path: `/v1/mcp/${MCP_SERVER}`,
  headers: {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MCP_REVISION,
    'mcp-method': 'tools/call',
    'mcp-name': TOOL,
  },
  body: toolCall(800),
  expect: 200,
  connections: CONNECTIONS,
  answeredBy: ({ name }) => name === 'floor' || name === 'tollgate',
};
/** Like `UNARY`; runs in turn with the large tenants. */
export const ONE_KEY: Scenario = { ...unary, name: 'unary 1 KB, one key', answeredBy: ours };
/** This many keys; the n-th sends 1/n of what the first sends. */
export const withKeys = (count: number): Scenario => ({
  ...unary,
  name: `unary 1 KB, ${count.toLocaleString('en')} keys`,
  answeredBy: ours,
  keys: count,
});
/** A tenant with many of one thing, or many organisations. */
export const withMany = (thing: Grown): Scenario => ({
  ...unary,
  name: `unary 1 KB, ${GROWN[thing].toLocaleString('en')} ${thing}`,
  answeredBy: ours,
  keys: thing,
});
/** Every request has a key that no process knows: policy asks the catalog each time. */
export const COLD: Scenario = { ...unary, name: 'cold keys', answeredBy: ours, keys: 'fresh' };

export const SCENARIOS: readonly Scenario[] = [
  UNARY,
  {
    ...unary,
    name: 'unary 100 KB',
    body: chatRequest('large', 100_000, false),
    answeredBy: anyone,
  },
  STREAM,
  TRANSLATED,
  TOOL_CALL,
  {
    name: 'embeddings, 300 KB answer',
    path: '/v1/embeddings',
    body: embeddingRequest('embed'),
    expect: 200,
    connections: CONNECTIONS,
    answeredBy: anyone,
  },
  { ...unary, name: 'refused: budget spent', expect: 402, answeredBy: ours, keys: 'poor' },
  { ...unary, name: 'refused: unknown key', expect: 401, answeredBy: ours, keys: 'unknown' },
];

export const SLOW_STREAMS: Scenario = {
  name: 'slow streams',
  path: CHAT,
  body: chatRequest('slow', 800, true),
  expect: 200,
  connections: 1_000,
  answeredBy: anyone,
};
