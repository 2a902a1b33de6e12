import { createServer } from 'node:http';
import { Pool } from 'undici';

/**
 * The floor: the minimum cost of a proxy in this language. `node:http` in, undici out, bytes passed
 * through; no key, limit or record.
 */
const [port = '', origin = ''] = process.argv.slice(2);
const pool = new Pool(origin, { connections: 1_024, pipelining: 1 });

const server = createServer((request, response) => {
  const fail = (error: unknown): void => {
    if (!response.headersSent) response.writeHead(502);
    response.end(String(error));
  };
  pool
    .stream(
      {
        path: request.url ?? '/',
        method: 'POST',
        headers: {
          'content-type': request.headers['content-type'] ?? 'application/json',
          authorization: request.headers.authorization ?? '',
          ...(request.headers['content-length'] === undefined
            ? {}
            : { 'content-length': request.headers['content-length'] }),
        },
        body: request,
      },
      ({ statusCode, headers }) => {
        const length = headers['content-length'];
        response.writeHead(statusCode, {
          'content-type': String(headers['content-type']),
          ...(length === undefined ? {} : { 'content-length': String(length) }),
        });
        return response;
      },
    )
    .catch(fail);
});
server.keepAliveTimeout = 60_000;
server.listen(Number(port), '127.0.0.1');
