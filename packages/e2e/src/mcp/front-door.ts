import { Agent, createServer, request as send, type IncomingMessage } from 'node:http';

// One port before several edges, as a load balancer is: clients know only this address. It passes
// bytes and headers on as they come, `Host` and `Origin` included.

export interface FrontDoor {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

export interface FrontDoorOptions {
  /** Base URLs of the edges. Requests go to each in turn; one that refuses connections is skipped. */
  readonly edges: readonly string[];
  /** Added to requests that have none, for clients that cannot send a key. */
  readonly authorization?: string;
}

export async function startFrontDoor(options: FrontDoorOptions): Promise<FrontDoor> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      turn += 1;
      const rotated = options.edges.map(
        (_, at) => options.edges[(turn + at) % options.edges.length] ?? '',
      );
      pass(request, Buffer.concat(chunks), rotated);
    });

    function pass(from: IncomingMessage, body: Buffer, [edge, ...others]: readonly string[]): void {
      if (edge === undefined) {
        response.writeHead(502).end();
        return;
      }
      const headers = { ...from.headers };
      if (options.authorization !== undefined) headers.authorization ??= options.authorization;
      const call = send(`${edge}${from.url ?? '/'}`, { method: from.method, headers, agent });
      let answered = false;
      call.on('response', (answer) => {
        answered = true;
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        // An edge that dies in the middle of an answer breaks the client's connection too.
        answer.once('error', () => response.destroy());
        answer.pipe(response);
      });
      call.on('error', () => {
        if (answered || response.headersSent) response.destroy();
        else pass(from, body, others);
      });
      response.once('close', () => call.destroy());
      call.end(body);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the front door has no port');
  return {
    url: `http://127.0.0.1:${String(address.port)}`,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}
