import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface Listening {
  readonly url: string;
  stop(): Promise<void>;
}

/** A server on loopback that hands over whole requests. */
export async function listen(
  handle: (request: IncomingMessage, body: Buffer, response: ServerResponse) => void,
): Promise<Listening> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handle(request, Buffer.concat(chunks), response));
    // A client that goes away in the middle of its body has delivered nothing.
    request.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export type Line = Readonly<Record<string, unknown>> & { readonly id: string };

/** The lines of a delivered body. */
export function linesOf(body: Buffer, encoding: string | undefined): Line[] {
  const text = (encoding === 'gzip' ? gunzipSync(body) : body).toString('utf8');
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** How a receiver misbehaves. SILENT: it never answers. CUT: it closes the connection. */
export type Misbehaviour = number | 'SILENT' | 'CUT';

/** Returns whether the request was dealt with. */
export function misbehave(
  how: Misbehaviour | undefined,
  response: ServerResponse,
  body = '',
): boolean {
  if (how === undefined) return false;
  if (how === 'CUT') response.destroy();
  else if (how !== 'SILENT') response.writeHead(how).end(body);
  return true;
}
