// A proxy before the edge that records what a coding agent sends: requests, and the messages of WebSockets.

import { createServer, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer, type RawData } from 'ws';

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  status: number;
  /** What a WebSocket's client sent; undefined: it was no WebSocket. */
  readonly messages?: unknown[];
}

export interface Recorder {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  readonly stop: () => Promise<void>;
}

export async function startRecorder(edgeUrl: string): Promise<Recorder> {
  const requests: RecordedRequest[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks);
      const kept = { ...headOf(req), body: parsed(body), status: 0 };
      requests.push(kept);
      const passed = request(edgeUrl + kept.path, { method: req.method, headers: req.headers });
      passed.on('response', (answer) => {
        kept.status = answer.statusCode ?? 0;
        res.writeHead(kept.status, answer.headers);
        answer.pipe(res);
      });
      passed.on('error', () => res.destroy());
      res.on('close', () => passed.destroy());
      passed.end(body);
    });
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (req, socket, head) => {
    const messages: unknown[] = [];
    const kept = { ...headOf(req), body: null, status: 101, messages };
    requests.push(kept);
    const upstream = new WebSocket(edgeUrl.replace('http', 'ws') + kept.path, {
      headers: withoutHandshake(req.headers),
    });
    upstream.on('unexpected-response', (_, answer) => {
      kept.status = answer.statusCode ?? 0;
      socket.write(`HTTP/1.1 ${String(kept.status)} Refused\r\nconnection: close\r\n\r\n`);
      socket.end();
    });
    upstream.on('error', () => socket.destroy());
    upstream.on('open', () => {
      sockets.handleUpgrade(req, socket, head, (client) => {
        client.on('message', (data: RawData) => {
          const text = (data as Buffer).toString();
          messages.push(parsed(Buffer.from(text)));
          upstream.send(text);
        });
        upstream.on('message', (data: RawData) => client.send((data as Buffer).toString()));
        client.on('close', () => upstream.close());
        upstream.on('close', () => client.close());
      });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function headOf({ headers, method = '', url = '' }: IncomingMessage) {
  return { method, path: url, headers };
}

function parsed(body: Buffer): unknown {
  if (body.length === 0) return null;
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return body.toString('utf8');
  }
}

function withoutHandshake(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(?:connection|host|upgrade|sec-websocket-)/.test(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
