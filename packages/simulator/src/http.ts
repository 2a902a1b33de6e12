// Small HTTP functions: read bodies, write JSON, and waits that end when the client disconnects.

import type { IncomingMessage, ServerResponse } from 'node:http';

/** Limit of a request body. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Undefined if the body is too large, or the client disconnected before its end. */
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
  /** Whether the client disconnected before the answer was complete. */
  gone(): boolean;
  /** Waits, but ends early if the client disconnects. */
  wait(ms: number): Promise<void>;
  /** Waits until the client disconnects. */
  left(): Promise<void>;
  /** Waits until written data is flushed, or the client disconnects. */
  drained(): Promise<void>;
  /** Yields to everything else that is ready. */
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
      // A `drain` event also ends a wait, so the rest of the time is waited again.
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
