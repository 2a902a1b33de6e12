// Runs in a worker thread: encodes finished spans and sends them, so that neither costs the event loop
// anything. It is loaded as a file, so it imports only types of our modules.

import { parentPort, workerData } from 'node:worker_threads';
import { credentials, Metadata } from '@grpc/grpc-js';
import { SpanKind as OtelKind, SpanStatusCode, type HrTime } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

import type {
  BatchSent,
  FinishedSpan,
  FinishedTrace,
  SendSettings,
  SpanBatch,
  SpanKind,
} from './span';

const settings = workerData as SendSettings;
const port = parentPort;
/** OpenTelemetry's code of an export that went well. */
const SUCCESS = 0;
const resource = resourceFromAttributes(settings.resource, { schemaUrl: settings.scope.schemaUrl });
const opening = openExporter(settings);

port?.on('message', (batch: SpanBatch) => void send(batch));

async function send({ id, traces }: SpanBatch): Promise<void> {
  const exporter = await opening;
  const spans = traces.flatMap((text) => spansOf(JSON.parse(text) as FinishedTrace));
  exporter.export(spans, ({ code, error }: { code: number; error?: Error }) => {
    const failed =
      code === SUCCESS ? undefined : (error?.message ?? 'the collector refused the spans');
    port?.postMessage({ id, error: failed } satisfies BatchSent);
  });
}

async function openExporter(to: SendSettings): Promise<SpanExporter> {
  const { ca, headers, protocol, timeoutMs: timeoutMillis, url } = to;
  if (protocol === 'grpc') {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-grpc');
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const secure = url.startsWith('https:');
    const root = ca === undefined ? undefined : Buffer.from(ca);
    return new OTLPTraceExporter({
      url,
      metadata,
      timeoutMillis,
      credentials: secure ? credentials.createSsl(root) : credentials.createInsecure(),
    });
  }
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  const httpAgentOptions = ca === undefined ? {} : { ca };
  return new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis, httpAgentOptions });
}

const KINDS: Readonly<Record<SpanKind, OtelKind>> = {
  INTERNAL: OtelKind.INTERNAL,
  SERVER: OtelKind.SERVER,
  CLIENT: OtelKind.CLIENT,
};
const SAMPLED = 1;

function spansOf({ spans, state, traceId }: FinishedTrace): ReadableSpan[] {
  const traceState = state === '' ? undefined : stateOf(state);
  const contextOf = (spanId: string, isRemote: boolean) => ({
    traceId,
    spanId,
    traceFlags: SAMPLED,
    isRemote,
    ...(traceState ? { traceState } : {}),
  });
  return spans.map((span, at) => {
    const { attributes, endMs, error, kind, link, name, parentSpanId, spanId, startMs } = span;
    const context = contextOf(spanId, false);
    return {
      name,
      kind: KINDS[kind],
      spanContext: () => context,
      ...(parentSpanId === '' ? {} : { parentSpanContext: contextOf(parentSpanId, at === 0) }),
      startTime: timeOf(startMs),
      endTime: timeOf(endMs),
      duration: timeOf(Math.max(0, endMs - startMs)),
      ended: true,
      status:
        error === undefined
          ? { code: SpanStatusCode.UNSET }
          : { code: SpanStatusCode.ERROR, message: error },
      attributes: { ...attributes },
      links: linksOf(link),
      events: [],
      resource,
      instrumentationScope: settings.scope,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
  });
}

function linksOf(link: FinishedSpan['link']): ReadableSpan['links'] {
  return link ? [{ context: { ...link, traceFlags: SAMPLED, isRemote: true } }] : [];
}

/** Only its text is sent. */
function stateOf(text: string) {
  const state = {
    set: () => state,
    unset: () => state,
    get: () => undefined,
    serialize: () => text,
  };
  return state;
}

function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}
