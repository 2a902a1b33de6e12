// Stands between the SDKs and the edge, and notes every request that really went out, retries
// included: Python's clients cannot be given a `fetch`.

import { createServer, request, type IncomingHttpHeaders } from 'node:http';

export interface Attempt {
  readonly path: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

export interface Recorder {
  readonly url: string;
  /** What went out since it was asked last. */
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
      // What breaks off there breaks off here.
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
