import { createAddressRules } from '@tollgate/contracts/node';
import { Webhook } from 'standardwebhooks';

import {
  startUpstream,
  type UpstreamServer,
} from '../resources/providers/test-support/upstream-server';
import { postWebhook, type WebhookLimits } from './post';
import { newWebhookSecret } from './sign';

let receiver: UpstreamServer;
beforeAll(async () => {
  receiver = await startUpstream();
});
afterAll(() => receiver.stop());

const SECRET = newWebhookSecret();
const MESSAGE = { id: 'msg_1', body: '{"type":"test"}', contentType: 'application/json' };
const LIMITS: WebhookLimits = {
  addressRules: createAddressRules({ allowed: ['127.0.0.0/8'] }),
  timeoutMs: 60_000,
};

function post(limits: Partial<WebhookLimits> = {}, secrets: string[] = [SECRET]) {
  const target = { url: `${receiver.url}/hooks?a=1`, secrets };
  return postWebhook(target, MESSAGE, { ...LIMITS, ...limits }, Date.now());
}

test('a delivery is signed, and any status of success counts', async () => {
  receiver.serve(() => ({ status: 204, body: '' }));
  expect(await post()).toEqual({ ok: true, status: 204 });
  const [seen] = receiver.seen;
  expect(seen).toMatchObject({ path: '/hooks?a=1', headers: { 'webhook-id': 'msg_1' } });
  const headers = seen?.headers as Record<string, string>;
  expect(new Webhook(SECRET).verify(MESSAGE.body, headers)).toEqual({ type: 'test' });
});

test('without a secret nothing is signed, and the id is sent', async () => {
  receiver.serve(() => ({ body: 'ok' }));
  expect(await post({}, [])).toEqual({ ok: true, status: 200 });
  expect(receiver.seen[0]?.headers).toMatchObject({ 'webhook-id': 'msg_1' });
  expect(receiver.seen[0]?.headers).not.toHaveProperty('webhook-signature');
});

test.each([
  [302, 'redirected'],
  [410, 'gone'],
  [400, 'rejected'],
  [503, 'rejected'],
])('status %i is %s, and the body is not told', async (status, code) => {
  const headers = { location: `${receiver.url}/elsewhere` };
  receiver.serve(() => ({ status, body: 'inner secret', headers }));
  const outcome = await post();
  expect(outcome).toMatchObject({ ok: false, status, code, retryAfterMs: null });
  expect(JSON.stringify(outcome)).not.toContain('inner secret');
  expect(receiver.seen).toHaveLength(1);
});

test.each([
  ['7', 7_000],
  ['999999999', 86_400_000],
  ['soon', null],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
])('retry-after: %s', async (value, retryAfterMs) => {
  receiver.serve(() => ({ status: 429, body: '', headers: { 'retry-after': value } }));
  expect(await post()).toMatchObject({ ok: false, retryAfterMs });
});

test('a private address is refused before anything is sent', async () => {
  receiver.serve(() => ({ body: '' }));
  const outcome = await post({ addressRules: createAddressRules({ allowed: [] }) });
  expect(outcome).toMatchObject({ ok: false, code: 'address_refused', status: null });
  expect(receiver.seen).toHaveLength(0);
});

test('a receiver that is silent, and one that is gone', async () => {
  receiver.serve(() => () => undefined);
  expect(await post({ timeoutMs: 50 })).toMatchObject({ ok: false, code: 'timed_out' });
  const closed = await startUpstream();
  await closed.stop();
  const target = { url: closed.url, secrets: [SECRET] };
  expect(await postWebhook(target, MESSAGE, LIMITS, Date.now())).toMatchObject({
    ok: false,
    code: 'not_reachable',
  });
});

test('an endless answer neither fills memory nor makes a success a failure', async () => {
  receiver.serve(() => (response) => {
    const chunk = Buffer.alloc(1024 * 1024);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk)) continue;
    };
    response.on('drain', more);
    more();
  });
  expect(await post()).toEqual({ ok: true, status: 200 });
});
