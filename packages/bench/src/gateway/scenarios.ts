import type { Target } from './target';
import { anthropicRequest, ANSWER_CHUNKS, chatRequest, embeddingRequest } from './wire';

/** A kind of request; every target that can answer it is measured with it in turn. */
export interface Scenario {
  readonly name: string;
  readonly path: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly expect: number;
  readonly connections: number;
  /** Chunks of a streamed answer, by which what a stream costs is divided. */
  readonly chunks?: number;
  readonly answeredBy: (target: Target) => boolean;
  /** Keys that are sent in turn; the target's own headers otherwise. */
  readonly keys?: 'poor' | 'unknown' | number;
}

const CHAT = '/v1/chat/completions';
const anyone = (): boolean => true;
const ours = (target: Target): boolean => target.name === 'tollgate';

const unary = {
  path: CHAT,
  body: chatRequest('small', 800, false),
  expect: 200,
  connections: 16,
} as const;

export const UNARY: Scenario = { ...unary, name: 'unary 1 KB', answeredBy: anyone };
export const STREAM: Scenario = {
  name: 'stream, same format',
  path: CHAT,
  body: chatRequest('small', 800, true),
  expect: 200,
  connections: 16,
  chunks: ANSWER_CHUNKS,
  answeredBy: anyone,
};
export const TRANSLATED: Scenario = {
  name: 'stream, translated',
  path: '/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  body: anthropicRequest('small', 800),
  expect: 200,
  connections: 16,
  chunks: ANSWER_CHUNKS,
  answeredBy: (target) => target.translates,
};
/** Keys in turn: the first pass over them finds none of them in any cache. */
export const withKeys = (count: number): Scenario => ({
  ...unary,
  name: `unary 1 KB, ${count.toLocaleString('en')} keys`,
  answeredBy: ours,
  keys: count,
});

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
  {
    name: 'embeddings, 300 KB answer',
    path: '/v1/embeddings',
    body: embeddingRequest('embed'),
    expect: 200,
    connections: 16,
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
