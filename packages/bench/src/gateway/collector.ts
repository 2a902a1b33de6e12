import { createServer } from 'node:http';

import { portOf } from './options';

/** A process that takes spans by OTLP over HTTP and forgets them. It is frozen by SIGSTOP. */

createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    response.writeHead(200, { 'content-type': 'application/x-protobuf' });
    response.end();
  });
}).listen(portOf(process.argv[2]), '127.0.0.1');
