import { getHeapStatistics } from 'node:v8';
import { LEASE_MAX_MS } from '@tollgate/contracts';
import {
  catalogClientShape,
  keyRingShape,
  runnerClientShape,
  upstreamAddressShape,
  upstreamRulesOf,
  writtenPort,
  type AddressRules,
} from '@tollgate/contracts/node';
import {
  callerShape,
  envVar,
  grpcShape,
  publicMetricsShape,
  serviceShape,
  type ConfigOf,
} from '@tollgate/kit';
import { tracingShape } from '@tollgate/kit/tracing';

import { ambientShape } from './ambient-config';
import {
  keepingShape,
  mcpShape,
  proxyShape,
  responsesSocketShape,
  streamShape,
  tenantSeriesShape,
} from './config-shapes';
import type { Proxies } from './upstream/agents';

/** All settings that the edge reads from the environment. */
export const configShape = {
  ...serviceShape,
  ...publicMetricsShape,
  ...tenantSeriesShape,
  ...grpcShape,
  ...callerShape,
  ...tracingShape,
  TRACE_CONTENT_CHARACTERS: envVar.int({
    default: 32_768,
    min: 256,
    max: 262_144,
    unit: 'characters',
    description:
      'How much of a prompt, and of an answer, a span has at most; only for organisations that switch texts in traces on.',
  }),
  EDGE_PORT: envVar.port({ default: 8080, description: 'Port of the data plane.' }),
  EDGE_OPS_PORT: envVar.port({
    default: 8083,
    description:
      'Port for operators: /livez, /readyz, /healthz and /metrics; do not expose it to clients.',
  }),
  EDGE_WORKERS: envVar.workers({
    default: 1,
    description:
      'Processes that share EDGE_PORT; auto: one for each processor. SIGHUP replaces them.',
  }),
  EDGE_CORS_ORIGINS: envVar.list({
    default: [],
    description: 'Origins whose pages may call the gateway from a browser; * for any.',
  }),
  POLICY_GRPC_ADDRESSES: envVar.list({
    default: ['127.0.0.1:50051'],
    description:
      'Addresses of policy, as host:port. A host name stands for all of its addresses, which are looked up every 5 s.',
  }),
  POLICY_SESSIONS: envVar.int({
    default: 2,
    min: 1,
    max: 64,
    description: 'Number of open sessions to each policy replica.',
  }),
  POLICY_WINDOW: envVar.int({
    default: 4_096,
    min: 1,
    unit: 'items',
    description: 'Maximum unanswered items of one session. New requests may use half of them.',
  }),
  DRY_RUNS_PER_MINUTE: envVar.int({
    default: 60,
    min: 1,
    unit: 'requests',
    description:
      'Dry runs (x-tollgate-dry-run) of one API key in a minute, at each edge; beyond it they are refused with 429. They count in no limit.',
  }),
  POLICY_QUEUE: envVar.int({
    default: 2_048,
    min: 0,
    max: 100_000,
    unit: 'requests',
    description:
      'Maximum requests that wait while policy is busy, at most half of them of one API key; beyond it requests are refused with 503.',
  }),
  POLICY_QUEUE_MS: envVar.durationMs({
    default: 1_000,
    min: 1,
    description: 'How long a request may wait in that queue before it is refused with 503.',
  }),
  POLICY_DEADLINE_MS: envVar.durationMs({
    default: 500,
    min: 1,
    // A hold is renewed after a third of its lease, and the answer must come before the lease ends.
    max: LEASE_MAX_MS / 3,
    description:
      'How long a request waits for policy’s decision before it is refused with 503; less than a third of policy’s LEASE_MS.',
  }),
  POLICY_RECYCLE_MS: envVar.durationMs({
    default: 60_000,
    min: 100,
    description: 'Age at which a session is replaced, plus or minus 20 %.',
  }),
  SETTLE_BUFFER: envVar.int({
    default: 50_000,
    min: 1,
    unit: 'settles',
    description: 'Most settles kept until booked; beyond it requests are refused with 503.',
  }),
  SPOOL_DIR: envVar.string({
    default: '.local/spool',
    description:
      'Folder for settles that could not be delivered before the process ended. Keep it on a disk that outlives the process.',
  }),
  ...catalogClientShape,
  ...keyRingShape,
  ...upstreamAddressShape,
  ...ambientShape,
  UPSTREAM_SOCKETS: envVar.int({
    default: 2_048,
    min: 1,
    unit: 'sockets',
    description: 'Maximum sockets to one provider; further calls wait for a free one.',
  }),
  UPSTREAM_KEEP_ALIVE_MS: envVar.durationMs({
    // Most servers that state no keep-alive time close an unused socket after 5 s.
    default: 4_000,
    min: 1,
    description: 'How long an unused socket is kept, if the provider does not state a time.',
  }),
  UPSTREAM_SOCKET_AGE_MS: envVar.durationMs({
    default: 120_000,
    min: 1,
    description: 'Age at which a socket takes no new calls, so that its name is resolved again.',
  }),
  UPSTREAM_HEADER_LIMIT_BYTES: envVar.int({
    default: 32 * 1024,
    min: 1_024,
    unit: 'bytes',
    description: "Maximum size of all headers of a provider's answer together.",
  }),
  CONVERSATION_AFFINITY: envVar.bool({
    default: true,
    description:
      'Whether the turns of a conversation prefer the candidate and the key of the provider that served the earlier ones, where the prompt is cached.',
  }),
  UPSTREAM_HTTP2: envVar.bool({
    default: true,
    description: 'Whether to use HTTP/2 with providers that offer it.',
  }),
  UPSTREAM_CA_FILE: envVar.string({
    default: '',
    description: "PEM file of more certificate authorities to trust, beside the system's.",
  }),
  ...proxyShape,
  UPSTREAM_CONNECT_TIMEOUT_MS: envVar.durationMs({
    default: 10_000,
    min: 1,
    description: 'Timeout for connecting to a provider without a connectTimeoutMs of its own.',
  }),
  UPSTREAM_FIRST_BYTE_TIMEOUT_MS: envVar.durationMs({
    default: 300_000,
    min: 1,
    description: 'Timeout until an answer begins, for providers without firstByteTimeoutMs.',
  }),
  BACKGROUND_POLL_MS: envVar.durationMs({
    default: 2_000,
    min: 10,
    description: 'Pause before a background response is first polled; it grows up to 15 times.',
  }),
  UPSTREAM_IDLE_TIMEOUT_MS: envVar.durationMs({
    default: 60_000,
    min: 1,
    description: 'Longest silence within an answer, for providers without idleTimeoutMs.',
  }),
  UPSTREAM_TOTAL_TIMEOUT_MS: envVar.durationMs({
    default: 600_000,
    min: 1,
    description: 'Timeout of a whole answer, of a provider without a timeoutMs of its own.',
  }),
  BODY_LIMIT_BYTES: envVar.int({
    default: 32 * 1024 * 1024,
    min: 1,
    unit: 'bytes',
    description: 'Maximum size of a JSON request body; a larger one is refused with 400.',
  }),
  BODY_BUFFER_BYTES: envVar.int({
    default: 0,
    min: 0,
    unit: 'bytes',
    description:
      'Maximum memory for the bodies of all running requests together; beyond it large bodies are refused with 503. 0: a sixteenth of the heap, at least 40 MiB.',
  }),
  ANSWER_BUFFER_BYTES: envVar.int({
    default: 0,
    min: 0,
    unit: 'bytes',
    description:
      'Maximum memory for all answers of providers that are read whole; beyond it answers wait, then fail with 503. It also limits a single answer. 0: as for BODY_BUFFER_BYTES.',
  }),
  UPLOAD_LIMIT_BYTES: envVar.int({
    default: 200 * 1024 * 1024,
    min: 1,
    unit: 'bytes',
    description: 'Maximum size of a form with files; a larger one is refused with 400.',
  }),
  UPLOAD_MEMORY_BYTES: envVar.int({
    default: 1024 * 1024,
    min: 0,
    unit: 'bytes',
    description: 'Maximum size of a form that is kept in memory; a larger one is kept in a file.',
  }),
  UPLOAD_TOTAL_BYTES: envVar.int({
    default: 4 * 1024 * 1024 * 1024,
    min: 1,
    unit: 'bytes',
    description: 'Maximum size of all running forms; beyond it forms are refused with 503.',
  }),
  UPLOAD_DIR: envVar.string({
    default: '',
    description: "Folder for forms in files. Unset: the system's folder for temporary files.",
  }),
  BODY_DEPTH_LIMIT: envVar.int({
    default: 64,
    min: 1,
    max: 1_000,
    unit: 'levels',
    description: 'Maximum nesting of a JSON request; a deeper one is refused with 400.',
  }),
  ...runnerClientShape,
  ...mcpShape,
  ...keepingShape,
  ...responsesSocketShape,
  ...streamShape,
  RESPONSE_LIMIT_BYTES: envVar.int({
    default: 64 * 1024 * 1024,
    min: 1,
    unit: 'bytes',
    description: "Maximum size of a provider's answer after decompression.",
  }),
  CACHE_INVALIDATION_SECRET: envVar.secret({
    optional: true,
    description: 'Secret of POST /v1/internal/cache/invalidate. Unset: the route does not exist.',
  }),
  DRAIN_MS: envVar.durationMs({
    default: 20_000,
    description: 'How long running requests may take to end on shutdown.',
  }),
  EDGE_LINGER_MS: envVar.durationMs({
    default: 0,
    max: 60_000,
    description:
      'How long open connections are served on shutdown although no request runs on them; answers ask clients to use another connection. Otherwise a request on its way finds its connection closed.',
  }),
};

export type Config = ConfigOf<typeof configShape>;

/** A document takes several times its bytes while it is parsed and serialised. */
const HEAP_PART = 16;
const BUFFER_LEAST_BYTES = 40 * 1024 * 1024;

/** The size of a buffer; if it is not configured, a part of the heap. */
export function bufferBytes(configured: number): number {
  if (configured > 0) return configured;
  const { heap_size_limit: heapBytes } = getHeapStatistics();
  return Math.max(BUFFER_LEAST_BYTES, Math.floor(heapBytes / HEAP_PART));
}

/** The addresses where upstreams may be, without the gateway's own. */
export function addressRulesOf(config: Config): AddressRules {
  const peers = [...config.POLICY_GRPC_ADDRESSES, config.CATALOG_GRPC_ADDRESS].map(writtenPort);
  const runner = writtenPort(config.RUNNER_URL ?? '');
  return upstreamRulesOf(config, [config.EDGE_PORT, config.EDGE_OPS_PORT, runner, ...peers]);
}

/** The proxies in effect. Lower-case variables win, as in curl, Node and undici. */
export function proxiesOf(config: Config): Proxies {
  const none = config.no_proxy || config.NO_PROXY;
  return {
    http: config.http_proxy || config.HTTP_PROXY,
    https: config.https_proxy || config.HTTPS_PROXY,
    // An external proxy cannot reach this machine by these names.
    none: `localhost,127.0.0.1,[::1],${none}`,
  };
}

/** The environment, for the launcher. Nothing else in this service reads it. */
export const environment = process.env;
