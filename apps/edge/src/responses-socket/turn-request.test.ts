import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import type { ReceivedMessage } from '../exchange/exchange';
import { turnRequests } from './turn-request';

const MESSAGE: ReceivedMessage = {
  lease: {
    take: () => true,
    takeSoon: () => Promise.resolve(),
    confirm: () => undefined,
    give: () => undefined,
    release: () => undefined,
  },
  body: () => ({ json: {}, bytes: Buffer.alloc(0), offLoop: false }),
};

function connection(headers: IncomingMessage['headers']): IncomingMessage {
  const req = new IncomingMessage(new Socket());
  return Object.assign(req, { method: 'GET', url: '/v1/responses?x=1', headers });
}

test('a message has the headers of its connection, without those of the upgrade', () => {
  const req = turnRequests(
    connection({
      authorization: 'Bearer k',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'k',
      'sec-websocket-extensions': 'permessage-deflate',
      'content-encoding': 'gzip',
      'session-id': 's',
    }),
  )(MESSAGE, undefined);
  expect(req.headers).toEqual({ authorization: 'Bearer k', 'session-id': 's' });
  expect(req).toMatchObject({ method: 'GET', url: '/v1/responses?x=1', complete: true });
});

test.each([
  ['responses_websockets=2026-02-06', undefined],
  ['responses_websockets=2026-02-06,other=v1', 'other=v1'],
  ['other=v1', 'other=v1'],
])('openai-beta: %s goes on as %s', (beta, kept) => {
  const req = turnRequests(connection({ 'openai-beta': beta }))(MESSAGE, undefined);
  expect(req.headers['openai-beta']).toBe(kept);
});

test('the trace of a message counts before that of its connection', () => {
  const of = connection({ traceparent: 'of the connection' });
  const requestOf = turnRequests(of);
  expect(requestOf(MESSAGE, 'of the message').headers['traceparent']).toBe('of the message');
  expect(requestOf(MESSAGE, undefined).headers['traceparent']).toBe('of the connection');
  expect(of.headers['traceparent']).toBe('of the connection');
});
