// Runs in a worker thread: sends encoded spans, so that neither a slow collector nor a lost connection costs the
// event loop anything. It is loaded as a file, so it imports only types of our modules.

import { parentPort, workerData } from 'node:worker_threads';
import { credentials, Metadata } from '@grpc/grpc-js';
import type { IOtlpExportDelegate } from '@opentelemetry/otlp-exporter-base';
import {
  JsonTraceSerializer,
  ProtobufTraceSerializer,
  type IExportTraceServiceResponse,
} from '@opentelemetry/otlp-transformer';

import type { BatchSent, SendSettings, SpanBatch } from './span';

type Delegate = Pick<IOtlpExportDelegate<Uint8Array>, 'export'>;

const settings = workerData as SendSettings;
const port = parentPort;
/** OpenTelemetry's code of an export that went well. */
const SUCCESS = 0;
const opening = openDelegate(settings);
/** Of the answer that is read: right after it, the delegate says that its batch was sent. */
let refused = 0;

port?.on('message', (batch: SpanBatch) => void send(batch));

async function send({ id, request }: SpanBatch): Promise<void> {
  const delegate = await opening;
  delegate.export(request, ({ code, error }: { code: number; error?: Error }) => {
    const failed =
      code === SUCCESS ? undefined : (error?.message ?? 'the collector refused the spans');
    port?.postMessage({ id, error: failed, refused } satisfies BatchSent);
    refused = 0;
  });
}

/** The requests are encoded already. */
function serializerOf({ protocol }: SendSettings) {
  const reader = protocol === 'http/json' ? JsonTraceSerializer : ProtobufTraceSerializer;
  return {
    serializeRequest: (request: Uint8Array) => request,
    deserializeResponse: (data: Uint8Array): IExportTraceServiceResponse => {
      const response = reader.deserializeResponse(data);
      // A text in JSON, whatever its type says.
      const told: unknown = response.partialSuccess?.rejectedSpans;
      const rejected = Number(told ?? 0);
      refused = rejected > 0 ? rejected : 0;
      return response;
    },
  };
}

/** Names for the exporter's own metrics, which nobody reads: there is no provider of meters. */
const COMPONENT = 'tollgate_span_exporter';
const METRICS_HELPER = { name: 'span', countItems: () => 0 } as const;
const GRPC_SERVICE = 'TraceExportService';
const GRPC_METHOD = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

async function openDelegate(to: SendSettings): Promise<Delegate> {
  const { ca, headers, timeoutMs: timeoutMillis, url } = to;
  const serializer = serializerOf(to);
  if (to.protocol === 'grpc') {
    const { convertLegacyOtlpGrpcOptions, createOtlpGrpcExportDelegate } =
      await import('@opentelemetry/otlp-grpc-exporter-base');
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const root = ca === undefined ? undefined : Buffer.from(ca);
    const options = convertLegacyOtlpGrpcOptions(
      {
        url,
        metadata,
        timeoutMillis,
        credentials: url.startsWith('https:')
          ? credentials.createSsl(root)
          : credentials.createInsecure(),
      },
      'TRACES',
    );
    return createOtlpGrpcExportDelegate(
      options,
      serializer,
      COMPONENT,
      METRICS_HELPER,
      undefined,
      GRPC_SERVICE,
      GRPC_METHOD,
    );
  }
  const { convertLegacyHttpOptions, createOtlpHttpExportDelegate } =
    await import('@opentelemetry/otlp-exporter-base/node-http');
  const contentType = to.protocol === 'http/json' ? 'application/json' : 'application/x-protobuf';
  const options = convertLegacyHttpOptions(
    {
      url,
      headers: { ...headers },
      timeoutMillis,
      // These take the place of the exporter's own: without keepAlive each batch would open a connection.
      httpAgentOptions: { keepAlive: true, ...(ca === undefined ? {} : { ca }) },
    },
    'TRACES',
    'v1/traces',
    { 'Content-Type': contentType },
  );
  return createOtlpHttpExportDelegate(options, serializer, COMPONENT, METRICS_HELPER, undefined);
}
