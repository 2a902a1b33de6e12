import type { Metrics } from '@tollgate/kit';

import type { PolicyStatus } from '../policy';
import { createCacheMetrics, type CacheMetrics } from './cache-metrics';
import { createDryRunMetrics, type DryRunMetrics } from './dry-run-metrics';
import { timesByOne, timesByTwo } from './histograms';
import { createKeptBodyMetrics, type KeptBodyMetrics } from './kept-body-metrics';
import { createLimitMetrics, type LimitMetrics, type LimitMetricsOptions } from './limit-metrics';
import { createMcpMetrics, type McpMetrics } from './mcp-metrics';
import { createPassthroughMetrics, type PassthroughMetrics } from './passthrough-metrics';
import { createScreeningMetrics, type ScreeningMetrics } from './screening-metrics';
import { createShadowMetrics, type ShadowMetrics } from './shadow-metrics';
import {
  createTenantMetrics,
  type TenantMetrics,
  type TenantMetricsOptions,
} from './tenant-metrics';
import { createTracedMetrics, type TracedMetrics } from './traced-metrics';
import { createUsageMetrics, type UsageMetrics } from './usage-metrics';

export type EdgeStatus = PolicyStatus & { responsesSockets: number; shadowsRunning: number };

/** The edge's metrics. Times are passed in milliseconds and exported in seconds. */
export interface EdgeMetrics
  extends
    CacheMetrics,
    DryRunMetrics,
    KeptBodyMetrics,
    LimitMetrics,
    McpMetrics,
    PassthroughMetrics,
    ScreeningMetrics,
    ShadowMetrics,
    TenantMetrics,
    TracedMetrics,
    UsageMetrics {
  request: (route: string, status: number, ms: number) => void;
  decision: (outcome: string, ms: number) => void;
  upstream: (provider: string, outcome: string, ms: number) => void;
  firstToken: (provider: string, ms: number) => void;
  /** The provider's answer exceeded its output bound. */
  overlongAnswer: (provider: string) => void;
  /** The provider reported implausible usage. */
  implausibleUsage: (provider: string) => void;
  reconnect: () => void;
  /** How long a request waited before policy was asked. Requests that did not wait are not counted. */
  queued: (ms: number) => void;
  queueRefusal: (reason: string) => void;
  /** The source of the gauges. */
  watch: (status: () => EdgeStatus) => void;
}

export interface EdgeMetricsOptions {
  readonly tenants: TenantMetricsOptions;
  readonly limits: LimitMetricsOptions;
}

export function createEdgeMetrics(metrics: Metrics, options: EdgeMetricsOptions): EdgeMetrics {
  const requests = metrics.histogram(
    'tollgate_edge_request_seconds',
    'From the arrival of a request to the end of its answer.',
    ['route', 'status'],
  );
  const decisions = metrics.histogram(
    'tollgate_edge_decision_seconds',
    "Policy's decision as the edge waits for it; the outcome is allow or the code of the refusal.",
    ['outcome'],
  );
  const upstreams = metrics.histogram(
    'tollgate_edge_upstream_seconds',
    'One call of a provider, to the end of its answer.',
    ['provider', 'outcome'],
  );
  const firstTokens = metrics.histogram(
    'tollgate_edge_first_token_seconds',
    'From the arrival of a streamed request to its first output.',
    ['provider'],
  );
  const reconnects = metrics.counter(
    'tollgate_edge_policy_session_reconnects_total',
    'Sessions to policy that broke or could not be opened.',
  );
  const overlongAnswers = metrics.counter(
    'tollgate_edge_overlong_answers_total',
    'Answers with more output than the provider was told to send.',
    ['provider'],
  );
  const implausibleUsage = metrics.counter(
    'tollgate_edge_usage_disbelieved_total',
    'Answers with implausible reported usage; the estimate is charged.',
    ['provider'],
  );

  const queued = metrics.histogram(
    'tollgate_edge_policy_queue_seconds',
    'How long requests waited because policy had enough to do; only those that waited.',
  );
  const queueRefusals = metrics.counter(
    'tollgate_edge_policy_queue_refusals_total',
    'Requests that were not decided because too many waited (full), because they had waited for too long (waited), or because their client had left (gone).',
    ['reason'],
  );

  return {
    ...createPartMetrics(metrics, options),
    request: timesByTwo(requests),
    decision: timesByOne(decisions),
    upstream: timesByTwo(upstreams),
    firstToken: timesByOne(firstTokens),
    overlongAnswer: (provider) => overlongAnswers.labels(provider).inc(),
    implausibleUsage: (provider) => implausibleUsage.labels(provider).inc(),
    reconnect: () => reconnects.inc(),
    queued: (ms) => queued.observe(ms / 1_000),
    queueRefusal: (reason) => queueRefusals.inc({ reason }),
    watch: (status) => {
      for (const [name, help, field] of GAUGES) metrics.reading(name, help, () => status()[field]);
    },
  };
}

/** The metrics of single parts. */
function createPartMetrics(metrics: Metrics, { limits, tenants }: EdgeMetricsOptions) {
  return {
    ...createCacheMetrics(metrics),
    ...createDryRunMetrics(metrics),
    ...createKeptBodyMetrics(metrics),
    ...createLimitMetrics(metrics, limits),
    ...createMcpMetrics(metrics),
    ...createPassthroughMetrics(metrics),
    ...createScreeningMetrics(metrics),
    ...createShadowMetrics(metrics),
    ...createTenantMetrics(metrics, tenants),
    ...createTracedMetrics(metrics),
    ...createUsageMetrics(metrics),
  };
}

const GAUGES = [
  ['tollgate_edge_policy_queue_length', 'Requests that wait to be decided.', 'waiting'],
  ['tollgate_edge_policy_in_flight', 'Requests that policy decides now.', 'inFlight'],
  [
    'tollgate_edge_policy_in_flight_limit',
    'How many of them there may be at once, by how long they take.',
    'inFlightLimit',
  ],
  ['tollgate_edge_policy_sessions_open', 'Sessions to policy that take requests.', 'sessionsOpen'],
  ['tollgate_edge_holds_in_flight', 'Holds of running requests.', 'holdsInFlight'],
  ['tollgate_edge_settle_queue_length', 'Settles that policy has not taken yet.', 'settlesQueued'],
  ['tollgate_edge_settles_unbooked', 'Settles that are kept until they are booked.', 'settlesKept'],
  [
    'tollgate_edge_responses_websockets',
    'Open WebSocket connections of /v1/responses.',
    'responsesSockets',
  ],
  ['tollgate_edge_shadows_running', 'Shadows of experiments that run now.', 'shadowsRunning'],
] as const;
