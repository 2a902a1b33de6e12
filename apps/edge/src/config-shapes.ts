// Settings of one part of the edge each; ./config has all of them.

import { envVar, tenantMetricsShape } from '@tollgate/kit';

/** Metrics whose labels name tenants. */
export const tenantSeriesShape = {
  ...tenantMetricsShape,
  METRICS_TENANTS_TOP: envVar.int({
    default: 50,
    min: 1,
    max: 1_000,
    unit: 'series',
    description:
      'How many combinations of organisation, team, model and provider each worker counts by name; the rest is counted as other. Up to four times as many are exported, because those that fall behind stay for some time.',
  }),
  METRICS_LIMITS_TOP: envVar.int({
    default: 50,
    min: 1,
    max: 1_000,
    unit: 'limits',
    description: 'Maximum budgets and quotas in tollgate_limit_remaining_ratio.',
  }),
  METRICS_LIMITS_FROM: envVar.int({
    default: 80,
    min: 1,
    max: 99,
    unit: 'percent',
    description: 'The used part from which a budget or quota is in it.',
  }),
};

/** Requests to MCP servers. */
export const mcpShape = {
  PUBLIC_EDGE_URL: envVar.url({
    optional: true,
    protocols: ['https', 'http'],
    description:
      'Base URL by which clients reach the edge, as https://gateway.example. The console shows it, and access tokens at MCP servers are issued for it; unset: the edge accepts none.',
  }),
  MCP_OAUTH_ORGANISATION: envVar.string({
    default: '',
    description:
      'Slug of the organisation whose access tokens are accepted at /v1/mcp/:identifier, for installations with one. Unset: only at /v1/mcp/:organisation/:identifier.',
  }),
  RUNNER_HOSTS: envVar.list({
    default: [],
    description:
      'Hosts with ports that replicas of the runner may name as their own, as runner-*.runner:8085, where * stands for characters without a dot. Unset: only that of RUNNER_URL.',
  }),
  MCP_MESSAGES_PER_MINUTE: envVar.int({
    default: 1_200,
    min: 1,
    unit: 'messages',
    description:
      'Notifications, responses and new streams of one API key to MCP servers in a minute, at each edge; beyond it they are refused with 429. Requests are limited by policy.',
  }),
  MCP_STREAMS: envVar.int({
    default: 8_192,
    min: 1,
    unit: 'requests',
    description:
      'Maximum running requests and open streams to MCP servers; beyond it requests are refused with 503.',
  }),
  MCP_STREAMS_PER_KEY: envVar.int({
    default: 256,
    min: 1,
    unit: 'requests',
    description: 'The same for one API key; beyond it requests are refused with 429.',
  }),
};

/** Proxies on the way to upstreams, by the names that other programs read. */
export const proxyShape = {
  HTTPS_PROXY: envVar.string({
    default: '',
    description: 'URL of the proxy for providers with https.',
  }),
  https_proxy: envVar.string({
    default: '',
    description: 'The same as HTTPS_PROXY, and takes precedence.',
  }),
  HTTP_PROXY: envVar.string({
    default: '',
    description: 'URL of the proxy for providers with plain http.',
  }),
  http_proxy: envVar.string({
    default: '',
    description: 'The same as its upper-case name, and takes precedence.',
  }),
  NO_PROXY: envVar.string({
    default: '',
    description: 'Hosts that are called without a proxy, separated by commas.',
  }),
  no_proxy: envVar.string({
    default: '',
    description: 'The same as its upper-case name, and takes precedence.',
  }),
};

export const streamShape = {
  SHADOW_CALLS: envVar.int({
    default: 32,
    min: 0,
    max: 1_000,
    unit: 'requests',
    description:
      'Shadows of experiments that run at once at each edge; beyond it they are not sent, and counted. 0: none is sent.',
  }),
  STREAM_KEEP_ALIVE_MS: envVar.durationMs({
    default: 15_000,
    min: 10,
    description:
      'Interval of keep-alives on streams that are withheld for screening, and on Messages streams of providers that send no pings.',
  }),
};

export const responsesSocketShape = {
  RESPONSES_WEBSOCKET: envVar.bool({
    default: true,
    description:
      'Whether /v1/responses also takes WebSocket connections, as Codex opens them. Off: they are refused with 426, and clients go on with HTTP.',
  }),
  RESPONSES_WEBSOCKETS: envVar.int({
    default: 1_000,
    min: 1,
    max: 9_000,
    unit: 'connections',
    description: 'Maximum open WebSocket connections of a process; more are refused with 503.',
  }),
  RESPONSES_WEBSOCKETS_PER_KEY: envVar.int({
    default: 100,
    min: 1,
    unit: 'connections',
    description:
      'Maximum open WebSocket connections of one API key at a process; more are refused with 429.',
  }),
  RESPONSES_WEBSOCKET_IDLE_MS: envVar.durationMs({
    default: 600_000,
    min: 100,
    description: 'How long a WebSocket connection is kept while no response runs on it.',
  }),
  RESPONSES_WEBSOCKET_AGE_MS: envVar.durationMs({
    default: 3_600_000,
    min: 100,
    description:
      'Age at which a WebSocket connection ends, after the response that runs; the client opens another one.',
  }),
  RESPONSES_WEBSOCKET_PING_MS: envVar.durationMs({
    default: 30_000,
    min: 100,
    description:
      'Interval of pings on a WebSocket connection. A client that is silent for three intervals is disconnected.',
  }),
};

/** Answers that are kept for equal requests. */
const keptBodiesShape = {
  KEPT_BODY_BYTES: envVar.int({
    default: 256 * 1024,
    min: 1_024,
    max: 1024 * 1024,
    unit: 'bytes',
    description:
      'Maximum size of a request, and of an answer, that is kept for organisations that keep bodies; without its media. A larger one is not kept.',
  }),
  KEPT_BODIES_BUFFER_BYTES: envVar.int({
    default: 64 * 1024 * 1024,
    min: 1024 * 1024,
    unit: 'bytes',
    description:
      'Maximum memory in each process for bodies until the catalog has stored them, at most half of it for one organisation. Beyond it bodies are not kept; requests go on.',
  }),
};

const responseCacheShape = {
  RESPONSE_CACHE_REDIS_URL: envVar.secret({
    optional: true,
    check: (text) => {
      if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) {
        throw new RangeError('must begin with redis:// or rediss://');
      }
    },
    description:
      'URL of a Redis for kept answers, shared by all edges; not the one of REDIS_URL. Set its maxmemory and maxmemory-policy allkeys-lru. Unset: each process keeps answers in its memory.',
  }),
  RESPONSE_CACHE_BYTES: envVar.int({
    default: 64 * 1024 * 1024,
    min: 0,
    unit: 'bytes',
    description:
      'Maximum memory for kept answers in each process; not used with RESPONSE_CACHE_REDIS_URL. 0: no answer is kept.',
  }),
  RESPONSE_CACHE_ENTRY_BYTES: envVar.int({
    default: 1024 * 1024,
    min: 1_024,
    max: 16 * 1024 * 1024,
    unit: 'bytes',
    description: 'Maximum size of an answer that is kept, before it is compressed.',
  }),
  RESPONSE_CACHE_DEADLINE_MS: envVar.durationMs({
    default: 50,
    min: 1,
    max: 5_000,
    description:
      'How long a request waits for that Redis; then it goes on as if nothing were kept.',
  }),
};

/** What is kept: bodies, and answers for equal requests. */
export const keepingShape = { ...keptBodiesShape, ...responseCacheShape };
