import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export type Answer =
  | { status?: number; body: unknown; headers?: Record<string, string> }
  /** Accepts the request and does not respond, or writes raw output. */
  | ((response: ServerResponse) => void);

export interface UpstreamServer {
  readonly url: string;
  readonly seen: Seen[];
  /** Sets the answer by path and query. */
  serve(answer: (seen: Seen) => Answer): void;
  stop(): Promise<void>;
}

/** A real server on loopback with the answers that a test sets. */
export async function startUpstream(): Promise<UpstreamServer> {
  let answer: (seen: Seen) => Answer = () => ({ status: 404, body: {} });
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const one = { path: request.url ?? '', headers: request.headers };
    seen.push(one);
    const given = answer(one);
    if (typeof given === 'function') {
      given(response);
      return;
    }
    const text = typeof given.body === 'string' ? given.body : JSON.stringify(given.body);
    response.writeHead(given.status ?? 200, {
      'content-type': 'application/json',
      ...given.headers,
    });
    response.end(text);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    serve(next) {
      answer = next;
      seen.length = 0;
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A list of models in OpenAI's format. */
export const openAiList = (...ids: string[]) => ({
  object: 'list',
  data: ids.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'x' })),
});
