import { createServer, get, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createAddressOf, markAddresses, newAddressHeader } from './client-address';

/** What a server hears of one request, with the header that says the address. */
async function heard(
  trusted: string[],
  headers: Record<string, string>,
): Promise<{ address: unknown; headers: IncomingHttpHeaders }> {
  const name = newAddressHeader();
  const unmark = markAddresses(name, createAddressOf(trusted));
  const server = createServer((request, response) => {
    response.end(JSON.stringify({ address: request.headers[name], headers: request.headers }));
  });
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const answer = await new Promise<string>((resolve, reject) => {
      const asked = get({ host: '127.0.0.1', port, headers, agent: false }, (response) => {
        let text = '';
        response.on('data', (piece: Buffer) => (text += piece.toString()));
        response.on('end', () => resolve(text));
      });
      asked.on('error', reject);
    });
    return JSON.parse(answer) as { address: unknown; headers: IncomingHttpHeaders };
  } finally {
    unmark();
    await new Promise((resolve) => server.close(resolve));
  }
}

test.each([
  ['nobody is believed: the connection says', [], '9.9.9.9', '127.0.0.1'],
  ['one proxy that is trusted names the client', ['127.0.0.1'], '9.9.9.9', '9.9.9.9'],
  [
    'what the client made up before that is passed over',
    ['127.0.0.1'],
    '6.6.6.6, 9.9.9.9',
    '9.9.9.9',
  ],
  ['two proxies', ['127.0.0.0/8', '10.0.0.0/8'], '6.6.6.6, 9.9.9.9, 10.1.2.3', '9.9.9.9'],
  ['an address of six', ['127.0.0.1'], '2001:db8::1', '2001:db8::1'],
  ['an address of four written as one of six', ['127.0.0.1'], '::ffff:9.9.9.9', '9.9.9.9'],
  ['a trusted proxy that says nothing', ['127.0.0.1'], undefined, '127.0.0.1'],
  ['a trusted proxy that names no address', ['127.0.0.1'], 'unknown', undefined],
])('%s', async (_, trusted, forwarded, address) => {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  expect((await heard(trusted, headers)).address).toBe(address);
});

test('nobody can know the name of the header', () => {
  expect(newAddressHeader()).not.toBe(newAddressHeader());
  expect(newAddressHeader()).toMatch(/^x-address-[0-9a-f]{32}$/);
});

test('what is no address is refused', () => {
  expect(() => createAddressOf(['10.0.0.0/8', 'everywhere'])).toThrow(TypeError);
});
