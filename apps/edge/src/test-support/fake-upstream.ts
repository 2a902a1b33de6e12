// A provider whose answers a test scripts.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** Empty if the body is not JSON. */
  body: Record<string, unknown>;
  raw: Buffer;
  /** Whether the caller disconnected before the answer was complete. */
  aborted: boolean;
}

export type Script = (res: ServerResponse, received: Received) => void | Promise<void>;

export type FakeUpstream = Awaited<ReturnType<typeof startFakeUpstream>>;

export async function startFakeUpstream() {
  const fake = {
    url: '',
    received: [] as Received[],
    script: ((res) => completion(res, {})) as Script,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const raw = Buffer.concat(chunks);
      const json = req.headers['content-type'] === 'application/json';
      const received: Received = {
        method: req.method ?? '',
        path: req.url ?? '',
        headers: req.headers,
        body: json ? (JSON.parse(raw.toString('utf8')) as Record<string, unknown>) : {},
        raw,
        aborted: false,
      };
      fake.received.push(received);
      res.on('close', () => {
        received.aborted = !res.writableFinished;
      });
      void fake.script(res, received);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return fake;
}

export const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** Sends any JSON with status 200. */
export function answerJson(res: ServerResponse, body: object): void {
  res.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'upstream-req-1' });
  res.end(JSON.stringify(body));
}

/** Parses a form, as a server does. */
export function formIn({ raw, headers }: Received): Promise<FormData> {
  return new Response(new Uint8Array(raw), {
    headers: { 'content-type': headers['content-type'] ?? '' },
  }).formData();
}

/** A whole chat completion. */
export function completion(
  res: ServerResponse,
  over: { text?: string; usage?: object | null; extra?: object },
): void {
  const body = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'gpt-upstream',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: over.text ?? 'Hello there' },
        finish_reason: 'stop',
      },
    ],
    ...(over.usage === null ? {} : { usage: over.usage ?? USAGE }),
    ...over.extra,
  };
  res.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'upstream-req-1' });
  res.end(JSON.stringify(body));
}

export function errorAnswer(res: ServerResponse, status: number, headers = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers });
  res.end(JSON.stringify({ error: { message: `upstream says ${status}`, type: 't', code: 'c' } }));
}

/** Starts an event stream. */
export function openSse(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'upstream-req-1' });
}

export function chunk(fields: object): string {
  const common = { id: 'chatcmpl-1', object: 'chat.completion.chunk', model: 'gpt-upstream' };
  return `data: ${JSON.stringify({ ...common, created: 1_700_000_000, ...fields })}\n\n`;
}

export function delta(text: string): string {
  return chunk({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] });
}

export function role(): string {
  const start = { role: 'assistant', content: '' };
  return chunk({ choices: [{ index: 0, delta: start, finish_reason: null }] });
}

export function stop(): string {
  return chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
}

export function usageChunk(usage: object = USAGE): string {
  return chunk({ choices: [], usage });
}

export const DONE = 'data: [DONE]\n\n';

/** A whole stream, with usage if it was requested. */
export function streamed(res: ServerResponse, texts: readonly string[]): void {
  openSse(res);
  res.write(role());
  for (const text of texts) res.write(delta(text));
  res.write(stop());
  res.write(usageChunk());
  res.end(DONE);
}
