import type { IncomingMessage, ServerResponse } from 'node:http';
import { hashApiKey } from '@tollgate/contracts/node';

import { openExchange, type ClientRequest } from '../exchange/exchange';
import { parseSmallBody } from '../intake';
import { readKey } from '../intake/read-key';
import { ROUTES, type KeyPlace, type Route } from '../routes';
import { decode } from './decode';

const places: readonly KeyPlace[] = [
  { bearer: true },
  { header: 'x-goog-api-key' },
  { query: 'key' },
];
const request = (headers: Record<string, string>, url = '/'): IncomingMessage =>
  ({ headers, url }) as unknown as IncomingMessage;

describe('the key', () => {
  test.each([
    [request({ authorization: 'Bearer tg_one' }), 'tg_one'],
    [request({ authorization: 'bearer tg_one ' }), 'tg_one'],
    [request({ 'x-goog-api-key': 'tg_two' }), 'tg_two'],
    [request({}, '/v1/x?alt=sse&key=tg_three'), 'tg_three'],
    [request({ authorization: 'Bearer tg_one' }, '/?key=tg_three'), 'tg_one'],
  ])('is read where the route expects it %#', (req, key) => {
    expect(readKey(req, places)).toEqual(hashApiKey(key));
  });

  test('is read nowhere else', () => {
    const req = request({ 'x-goog-api-key': 'tg_two' }, '/?key=tg_three');
    expect(() => readKey(req, [{ bearer: true }])).toThrow(
      expect.objectContaining({ code: 'missing_api_key' }),
    );
  });
});

test('a model in the path may contain slashes', () => {
  const [row] = ROUTES;
  if (!row) throw new Error('there are no routes');
  const route: Route = {
    ...row,
    format: 'openai-chat',
    model: { in: 'path', parameter: 'model', stream: true },
  };
  const req = { headers: {}, params: { model: [] } } as unknown as ClientRequest;
  const exchange = openExchange(
    route,
    req,
    { on: () => undefined } as unknown as ServerResponse,
    0,
  );
  const bytes = Buffer.from('{"messages":[]}');
  expect(() => decode(exchange, { json: { messages: [] }, bytes })).toThrow(
    expect.objectContaining({ param: 'model' }),
  );
});

describe('a body', () => {
  test('may be nested up to the limit', () => {
    expect(parseSmallBody(Buffer.from('{"a":{"b":[1]}}'), 2)).toEqual({ a: { b: [1] } });
    expect(() => parseSmallBody(Buffer.from('{"a":{"b":[[1]]}}'), 2)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  test('nested a hundred thousand levels deep is refused, not fatal', () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(() => parseSmallBody(Buffer.from(deep), 64)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});
