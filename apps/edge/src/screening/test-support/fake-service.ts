// A fake screening service, over HTTP in any protocol or over gRPC.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Server,
  ServerCredentials,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerUnaryCall,
} from '@grpc/grpc-js';
import { rest } from '@tollgate/contracts';
import {
  parseKeyRing,
  ScreeningDefinition,
  screeningSecretContext,
  sealSecret,
  type CheckedPiece__Output,
  type CheckReply,
  type CheckRequest__Output,
  type CheckStreamReply,
  type CheckStreamRequest__Output,
  type ScreeningService,
} from '@tollgate/contracts/node';
import type { z } from 'zod';

import { KEY_RING } from '../../test-support/fake-catalog';

export const SERVICE_SECRET = 'service-secret-0123456789';

export interface Asked {
  path: string;
  headers: Readonly<Record<string, unknown>>;
  body: Record<string, unknown>;
}

export type FakeService = Awaited<ReturnType<typeof startFakeService>>;

export async function startFakeService() {
  const fake = {
    url: '',
    asked: [] as Asked[],
    /** Answers one call; the default finds nothing. */
    answer: (_: Asked, res: ServerResponse): void => json(res, { verdict: 'PASS' }),
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      const asked = { path: req.url ?? '', headers: req.headers, body };
      fake.asked.push(asked);
      fake.answer(asked, res);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

export function json(res: ServerResponse, body: unknown, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Answers a piece of a streamed answer; undefined: it does not. `said`: the text so far. */
export type Judge = (piece: CheckedPiece__Output, said: string) => CheckStreamReply | undefined;

type StreamCall = ServerDuplexStream<CheckStreamRequest__Output, CheckStreamReply>;

function createStreams(judge: Judge) {
  const streams = {
    starts: [] as unknown[],
    pieces: [] as CheckedPiece__Output[],
    open: 0,
  };
  const serve = (call: StreamCall): void => {
    const said = new Map<string, string>();
    streams.open += 1;
    call.on('data', ({ piece, start }) => {
      if (start) streams.starts.push({ ...start, token: call.metadata.get('authorization')[0] });
      if (!piece) return;
      streams.pieces.push(piece);
      const text = (said.get(piece.textId) ?? '') + piece.text;
      said.set(piece.textId, text);
      const reply = judge(piece, text);
      if (reply) call.write({ number: piece.number, verdict: 'PASS', ...reply });
    });
    call.on('end', () => call.end());
    call.on('close', () => {
      streams.open -= 1;
    });
    call.on('error', () => undefined);
  };
  return { serve, streams };
}

export async function startFakeGrpcService(
  answer: (request: CheckRequest__Output) => CheckReply | undefined,
  judge: Judge = (_, said) => ({ released: Array.from(said).length }),
) {
  const asked: CheckRequest__Output[] = [];
  const { serve, streams } = createStreams((piece, said) => fake.judge(piece, said));
  const tokens: unknown[] = [];
  const server = new Server();
  server.addService(ScreeningDefinition, {
    check: (
      { metadata, request }: ServerUnaryCall<CheckRequest__Output, CheckReply>,
      callback: sendUnaryData<CheckReply>,
    ) => {
      asked.push(request);
      tokens.push(metadata.get('authorization')[0]);
      const reply = answer(request);
      if (reply) callback(null, reply);
    },
    checkStream: serve,
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const url = `http://127.0.0.1:${port}`;
  const fake = { asked, tokens, streams, judge, url, stop: () => server.forceShutdown() };
  return fake;
}

/** A service as the catalog tells it. */
export function serviceAt(
  url: string,
  protocol: z.input<typeof rest.screeningProtocol> = { type: 'TOLLGATE_HTTP' },
): ScreeningService {
  const serviceId = 'service-1';
  const context = screeningSecretContext(serviceId);
  return {
    serviceId,
    identifier: 'checker',
    url,
    protocolJson: JSON.stringify(rest.screeningProtocol.parse(protocol)),
    auth: { type: 'BEARER' },
    secret: sealSecret(parseKeyRing(KEY_RING), SERVICE_SECRET, context),
  };
}
