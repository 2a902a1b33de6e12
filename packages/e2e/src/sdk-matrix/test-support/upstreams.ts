// The upstreams that the simulator imitates, one per row.

import type { Sdk } from './sdk';

export type Wire = Sdk['format'];

export interface Upstream {
  readonly name: string;
  /** The provider's settings. `path` is appended to the simulator's address. */
  readonly provider: {
    readonly type: string;
    readonly path: string;
    readonly apiVersion?: string;
    readonly upstreamFormat?: string;
  };
  /** The upstream's model name. A vendor's parameters depend on the model's generation. */
  readonly model: string;
  readonly wire: Wire;
  /** It has a Responses API as well, which gets the requests in that format. */
  readonly hasResponses?: true;
  /** The header of the key, and the prefix of its value. */
  readonly key: readonly [header: string, prefix: string];
}

const BEARER = ['authorization', 'Bearer '] as const;

export const UPSTREAMS: readonly Upstream[] = [
  {
    name: 'openai',
    provider: { type: 'PROVIDER_A', path: '/v1' },
    model: 'sim-gpt-5',
    wire: 'openai-chat',
    hasResponses: true,
    key: BEARER,
  },
  {
    name: 'azure',
    provider: { type: 'PROVIDER_F', path: '', apiVersion: '2026-01-01' },
    model: 'sim-gpt-5-mini',
    wire: 'openai-chat',
    hasResponses: true,
    key: ['api-key', ''],
  },
  {
    name: 'anthropic',
    provider: { type: 'PROVIDER_B', path: '' },
    model: 'sim-claude-sonnet-4-6',
    wire: 'anthropic-messages',
    key: ['x-api-key', ''],
  },
  {
    name: 'gemini',
    provider: { type: 'PROVIDER_C', path: '' },
    model: 'sim-gemini-3-flash',
    wire: 'gemini-generate',
    key: ['x-goog-api-key', ''],
  },
  {
    name: 'vllm',
    provider: { type: 'PROVIDER_D', path: '/v1' },
    model: 'sim-vllm',
    wire: 'openai-chat',
    hasResponses: true,
    key: BEARER,
  },
  {
    name: 'custom-openai',
    provider: { type: 'CUSTOM', path: '/v1', upstreamFormat: 'openai' },
    model: 'sim-own',
    wire: 'openai-chat',
    key: BEARER,
  },
  {
    name: 'custom-anthropic',
    provider: { type: 'CUSTOM', path: '', upstreamFormat: 'anthropic' },
    model: 'sim-own',
    wire: 'anthropic-messages',
    key: ['x-api-key', ''],
  },
  {
    name: 'custom-gemini',
    provider: { type: 'CUSTOM', path: '', upstreamFormat: 'gemini' },
    model: 'sim-own',
    wire: 'gemini-generate',
    key: ['x-goog-api-key', ''],
  },
];

/** The upstream format of a request of an SDK. */
export function wireBetween(sdk: Sdk, upstream: Upstream): Wire {
  return sdk.format === 'openai-responses' && upstream.hasResponses ? sdk.format : upstream.wire;
}

/** The path of that request at the upstream. */
export function pathBetween(sdk: Sdk, upstream: Upstream, model: string, stream: boolean): string {
  if (upstream.provider.type === 'PROVIDER_F') {
    if (sdk.format === 'openai-responses') return '/openai/v1/responses';
    return `/openai/deployments/${model}/chat/completions?api-version=2026-01-01`;
  }
  const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  const paths: Readonly<Record<Wire, string>> = {
    'openai-chat': '/v1/chat/completions',
    'openai-responses': '/v1/responses',
    'anthropic-messages': '/v1/messages',
    'gemini-generate': `/v1beta/models/${model}:${method}`,
  };
  return paths[wireBetween(sdk, upstream)];
}
