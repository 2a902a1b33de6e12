// A proxy between the SDKs and the edge that records every request on the wire, retries included,
// because Python's clients do not accept a `fetch`.

import { createServer, request, type IncomingHttpHeaders } from 'node:http';

export interface Attempt {
  readonly path: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

export interface Recorder {
  readonly url: string;
  /** The requests since the last call. */
  readonly taken: () => Attempt[];
  readonly stop: () => Promise<void>;
}

export async function startRecorder(edgeUrl: string): Promise<Recorder> {
  const attempts: Attempt[] = [];
  const { hostname, port } = new URL(edgeUrl);
  const server = createServer((from, to) => {
    const { method, url: path = '', headers } = from;
    const onward = request({ hostname, port, method, path, headers }, (answer) => {
      const status = answer.statusCode ?? 0;
      attempts.push({ path, status, headers: answer.headers });
      to.writeHead(status, answer.headers);
      answer.pipe(to);
      // An interrupted answer is interrupted for the client too.
      answer.on('error', () => to.destroy());
    });
    onward.on('error', () => to.destroy());
    from.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the recorder has no port');
  return {
    url: `http://127.0.0.1:${String(address.port)}`,
    taken: () => attempts.splice(0),
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
