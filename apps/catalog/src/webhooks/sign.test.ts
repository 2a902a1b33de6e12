import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';

import { isWebhookSecret, newWebhookSecret, signatureHeaders } from './sign';

const nowMs = (): number => Date.now();

test('the reference library accepts every signature, and none of a changed message', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.uuid(), (text, id) => {
      const secret = newWebhookSecret();
      const body = JSON.stringify({ text });
      const headers = signatureHeaders({ id, sentAtMs: nowMs(), body }, [secret]);
      expect(new Webhook(secret).verify(body, headers)).toEqual({ text });
      const other = signatureHeaders({ id: 'other', sentAtMs: nowMs(), body }, [secret]);
      expect(() =>
        new Webhook(secret).verify(body, {
          ...headers,
          'webhook-signature': other['webhook-signature'],
        }),
      ).toThrow();
      expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
    }),
  );
});

test('after a rotation, both secrets accept a delivery', () => {
  const secrets = [newWebhookSecret(), newWebhookSecret()];
  const body = Buffer.from('{}');
  const headers = signatureHeaders({ id: 'm', sentAtMs: nowMs(), body }, secrets);
  for (const secret of secrets) {
    expect(new Webhook(secret).verify(body.toString(), headers)).toEqual({});
  }
  expect(() => new Webhook(newWebhookSecret()).verify('{}', headers)).toThrow();
});

const encoded = (bytes: number): string => randomBytes(bytes).toString('base64');

test.each([
  ['one of our own', newWebhookSecret(), true],
  ['24 bytes without the prefix', encoded(24), true],
  ['64 bytes', `whsec_${encoded(64)}`, true],
  ['23 bytes', `whsec_${encoded(23)}`, false],
  ['65 bytes', `whsec_${encoded(65)}`, false],
  ['no base64', 'whsec_not a secret of any kind, though long', false],
  ['nothing', '', false],
])('a secret of a receiver: %s', (_, secret, usable) => {
  expect(isWebhookSecret(secret)).toBe(usable);
});
