// A collector for tests: takes spans by OTLP over HTTP (JSON, protobuf) and gRPC, keeps them, and freezes or
// refuses on request.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { Server, ServerCredentials, status, type UntypedHandleCall } from '@grpc/grpc-js';

import { spansInJson, spansInProtobuf, type ReceivedSpan } from './spans';

export interface OtlpReceiver {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly spans: ReceivedSpan[];
  /** Headers or metadata of the requests. */
  readonly requests: Readonly<Record<string, unknown>>[];
  /** Requests are taken and not answered, until `thaw`. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Answers with this HTTP status; 0: takes spans again. */
  readonly refuse: (httpStatus: number) => void;
  /** Says of each further request that so many of its spans were refused; 0: none. */
  readonly refuseSpans: (count: number) => void;
  /** Connections that were opened over HTTP. */
  readonly connections: () => number;
  readonly stop: () => Promise<void>;
}

interface State {
  readonly spans: ReceivedSpan[];
  readonly requests: Readonly<Record<string, unknown>>[];
  /** Answers that a frozen receiver owes. */
  readonly owed: (() => void)[];
  frozen: boolean;
  refused: number;
  refusedSpans: number;
  connections: number;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const state: State = {
    spans: [],
    requests: [],
    owed: [],
    frozen: false,
    refused: 0,
    refusedSpans: 0,
    connections: 0,
  };
  const http = openHttp(state);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { server, port } = await openGrpc(state);
  return {
    httpUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    grpcUrl: `http://127.0.0.1:${port}`,
    spans: state.spans,
    requests: state.requests,
    freeze: () => {
      state.frozen = true;
    },
    thaw: () => {
      state.frozen = false;
      for (const answer of state.owed.splice(0)) answer();
    },
    refuse: (httpStatus) => {
      state.refused = httpStatus;
    },
    refuseSpans: (count) => {
      state.refusedSpans = count;
    },
    connections: () => state.connections,
    stop: async () => {
      server.forceShutdown();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function openHttp(state: State) {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const sent = Buffer.concat(chunks);
      const body = req.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      const json = req.headers['content-type'] === 'application/json';
      const answer = (): void => {
        const known = req.url === '/v1/traces' ? 200 : 404;
        const httpStatus = state.refused || known;
        if (httpStatus === 200) {
          state.spans.push(...(json ? spansInJson(body.toString()) : spansInProtobuf(body)));
        }
        res.writeHead(httpStatus, { 'content-type': req.headers['content-type'] ?? '' });
        res.end(json ? partialInJson(state) : partialInProtobuf(state));
      };
      take(state, req.headers, answer);
    });
  });
  return server.on('connection', () => (state.connections += 1));
}

/** `ExportTraceServiceResponse`: only what was refused is told. */
function partialInJson({ refusedSpans }: State): string {
  if (refusedSpans === 0) return '{}';
  const partialSuccess = { rejectedSpans: String(refusedSpans), errorMessage: 'too many' };
  return JSON.stringify({ partialSuccess });
}

/** Fewer than 128 spans, so that lengths and numbers have a byte each. */
function partialInProtobuf({ refusedSpans }: State): Buffer {
  return refusedSpans === 0 ? Buffer.alloc(0) : Buffer.from([0x0a, 2, 0x08, refusedSpans]);
}

function take(state: State, headers: Readonly<Record<string, unknown>>, answer: () => void): void {
  state.requests.push(headers);
  if (state.frozen) state.owed.push(answer);
  else answer();
}

const asIs = (bytes: Buffer): Buffer => bytes;

async function openGrpc(state: State): Promise<{ server: Server; port: number }> {
  const server = new Server();
  const Export: UntypedHandleCall = (
    call: { request: Buffer; metadata: { getMap: () => Record<string, unknown> } },
    reply: (error: { code: number } | null, answer?: Buffer) => void,
  ) => {
    take(state, call.metadata.getMap(), () => {
      if (state.refused > 0) return reply({ code: status.PERMISSION_DENIED });
      state.spans.push(...spansInProtobuf(call.request));
      reply(null, partialInProtobuf(state));
    });
  };
  const definition = {
    Export: {
      path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
      requestStream: false,
      responseStream: false,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
    },
  };
  server.addService(definition, { Export });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { server, port };
}
