// Small pieces of HTTP: bodies in, JSON out, and waiting that ends when the client goes away.

import type { IncomingMessage, ServerResponse } from 'node:http';

/** The largest body that is read. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Undefined when the body is too large, or the client went away before it was whole. */
export function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      else resolve(undefined);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('close', () => resolve(undefined));
  });
}

export function sendBody(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): void {
  if (response.writableEnded || response.destroyed) return;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

export interface Client {
  /** Whether it closed its connection before the answer was whole. */
  gone(): boolean;
  /** Waits, but not beyond the client's leaving. */
  wait(ms: number): Promise<void>;
  /** Waits until it leaves. */
  left(): Promise<void>;
  /** Waits until what was written has been taken, or it leaves. */
  drained(): Promise<void>;
  /** Lets everything else that is ready happen first. */
  tick(): Promise<void>;
}

export function watchClient(response: ServerResponse): Client {
  const state = { gone: response.destroyed };
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const resume of waiting) resume();
    waiting.clear();
  };
  response.on('close', () => {
    state.gone = !response.writableFinished;
    wake();
  });
  response.on('drain', wake);

  function until(start: (resume: () => void) => void): Promise<void> {
    if (state.gone) return Promise.resolve();
    return new Promise((resolve) => {
      waiting.add(resolve);
      start(() => {
        waiting.delete(resolve);
        resolve();
      });
    });
  }

  return {
    gone: () => state.gone,
    async wait(ms) {
      // A `drain` also wakes, so what is left of the wait is waited again.
      const end = performance.now() + ms;
      while (!state.gone) {
        const left = end - performance.now();
        if (left <= 0) return;
        let timer: NodeJS.Timeout | undefined;
        await until((resume) => {
          timer = setTimeout(resume, left);
        });
        clearTimeout(timer);
      }
    },
    async left() {
      while (!state.gone) await until(() => undefined);
    },
    async drained() {
      if (response.writableNeedDrain) await until(() => undefined);
    },
    tick: () => new Promise((resolve) => setImmediate(resolve)),
  };
}
