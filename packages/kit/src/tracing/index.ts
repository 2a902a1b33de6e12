// Tracing by OpenTelemetry: spans are built when a request has ended, encoded, queued within bounds, and sent
// by a thread. OpenTelemetry's modules are loaded on that thread, which is not started without an endpoint.

import { readFileSync } from 'node:fs';

import type { ConfigOf } from '../env-var';
import type { Logger } from '../logger';
import type { Metrics } from '../metrics';
import type { tracingShape } from './config-shape';
import { createSpanExporter, startSendingThread } from './exporter';
import { createOtlpEncoder } from './otlp-encoder';
import { parsePairs } from './pairs';
import { createSampler, type Sampler } from './sampler';
import type { FinishedTrace, SendSettings, SpanSource } from './span';

export { tracingShape } from './config-shape';
export type { Sampler, Sampling } from './sampler';
export { GENERAL_SCOPE } from './span';
export type { FinishedSpan, FinishedTrace, SpanAttributes, SpanKind } from './span';
export {
  formatTraceparent,
  newSpanId,
  packTrace,
  parseTraceparent,
  readTracestate,
  unpackTrace,
  type TraceContext,
} from './trace-context';

export interface Tracing {
  readonly sampler: Sampler;
  readonly add: (trace: FinishedTrace) => void;
  /** Adds a trace that is built a little later, with others. `build` must read nothing that changes until then. */
  readonly addLater: (build: () => FinishedTrace) => void;
  /** Sends what waits, within a bound. */
  readonly stop: () => Promise<void>;
}

export type TracingConfig = ConfigOf<typeof tracingShape>;

export interface TracingDeps {
  /** `service.name`, unless the configuration has another. */
  readonly service: string;
  readonly scope: SpanSource['scope'];
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** How long the last spans may take on shutdown. */
const STOP_MS = 5_000;

/** Undefined: nothing is traced. */
export function openTracing(config: TracingConfig, deps: TracingDeps): Tracing | undefined {
  const settings = config.OTEL_SDK_DISABLED ? undefined : settingsOf(config, deps);
  if (!settings) return undefined;
  const { log, metrics } = deps;
  const dropped = metrics.counter(
    'tollgate_trace_spans_dropped_total',
    'Spans that were not sent: the queue was full (queue_full), the collector did not take them (export_failed), the process ended (stopped), or they could not be built, which is a fault and logged (failed).',
    ['reason'],
  );
  const sent = metrics.counter('tollgate_trace_spans_sent_total', 'Spans that the collector took.');
  const exporter = createSpanExporter({
    start: () => startSendingThread(settings),
    encoder: createOtlpEncoder(settings.protocol, settings),
    log,
    dropped: (reason, spans) => dropped.inc({ reason }, spans),
    sent: (spans) => sent.inc(spans),
    limits: {
      spans: config.OTEL_BSP_MAX_QUEUE_SIZE,
      delayMs: config.OTEL_BSP_SCHEDULE_DELAY,
    },
  });
  metrics.reading('tollgate_trace_queue_spans', 'Spans that wait or are being sent.', () =>
    exporter.waiting(),
  );
  log.info('requests are traced', { url: settings.url, protocol: settings.protocol });
  return {
    sampler: createSampler({
      name: config.OTEL_TRACES_SAMPLER,
      ratio: Number(config.OTEL_TRACES_SAMPLER_ARG),
      trustCallers: config.TRACE_TRUST_CALLERS,
    }),
    add: exporter.add,
    addLater: exporter.addLater,
    stop: () => exporter.stop(STOP_MS),
  };
}

function settingsOf(config: TracingConfig, deps: TracingDeps): SendSettings | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: protocol } = config;
  if (endpoint === undefined) return undefined;
  const file = config.OTEL_EXPORTER_OTLP_CERTIFICATE;
  return {
    protocol,
    url: protocol === 'grpc' ? endpoint : `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: parsePairs(config.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMs: config.OTEL_EXPORTER_OTLP_TIMEOUT,
    ca: file === '' ? undefined : readFileSync(file, 'utf8'),
    scope: deps.scope,
    resource: {
      ...parsePairs(config.OTEL_RESOURCE_ATTRIBUTES),
      'service.name': config.OTEL_SERVICE_NAME || deps.service,
    },
  };
}
