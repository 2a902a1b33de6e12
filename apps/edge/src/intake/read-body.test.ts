import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

import { createByteBudget } from './byte-budget';
import { ClientGone, readBody } from './read-body';

const lease = () => createByteBudget({ totalBytes: 1_000_000 }).open();
const options = () => ({ limitBytes: 1_000, lease: lease(), confirm: () => 'owner' });

/** What `read` gives for a request whose client leaves after it has sent everything. */
async function afterLeaving(
  head: string,
  read: (req: IncomingMessage, left: Promise<unknown>) => Promise<unknown>,
): Promise<unknown> {
  const server = createServer().listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write(head);
    const [req, res] = (await once(server, 'request')) as [IncomingMessage, IncomingMessage];
    const left = once(res, 'close');
    client.resetAndDestroy();
    return await read(req, left).catch((error: unknown) => error);
  } finally {
    server.close();
  }
}

const WITHOUT_BODY = 'GET / HTTP/1.1\r\nhost: edge\r\n\r\n';
const SMALL = 'POST / HTTP/1.1\r\nhost: edge\r\ncontent-length: 3\r\n\r\nabc';

// Node emits no 'end' once the connection is closed, even if the whole body has arrived.
test.each([
  ['without a body', WITHOUT_BODY],
  ['with a small body', SMALL],
])('a client that left before its request %s was read is gone', async (_, head) => {
  const read = async (req: IncomingMessage, left: Promise<unknown>) => {
    await left;
    return readBody(req, options());
  };
  expect(await afterLeaving(head, read)).toBeInstanceOf(ClientGone);
});
