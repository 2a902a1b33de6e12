import { createHmac, randomBytes } from 'node:crypto';

/** Signatures of the Standard Webhooks specification, version v1: HMAC-SHA256. */

const PREFIX = 'whsec_';
/** The specification allows keys of 24 to 64 bytes. */
const KEY_BYTES = 32;
const KEY_BYTES_MIN = 24;
const KEY_BYTES_MAX = 64;

/** A new secret as its receiver enters it: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString('base64');
}

/** Whether a secret can sign: 24 to 64 bytes in base64, with or without the prefix `whsec_`. */
export function isWebhookSecret(secret: string): boolean {
  const text = withoutPrefix(secret);
  const key = Buffer.from(text, 'base64');
  const whole = key.toString('base64') === text;
  return whole && key.length >= KEY_BYTES_MIN && key.length <= KEY_BYTES_MAX;
}

export interface Signed {
  /** Stable over repeated deliveries, so that a receiver can drop a message it has seen. */
  readonly id: string;
  /** Of this delivery, in milliseconds since 1970; it is signed in whole seconds. */
  readonly sentAtMs: number;
  readonly body: string | Buffer;
}

/**
 * The three headers of a signed delivery. With several secrets there is a signature for each, so
 * that a receiver may still use the one before a rotation.
 */
export function signatureHeaders(
  { id, sentAtMs, body }: Signed,
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(sentAtMs / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(withoutPrefix(secret), 'base64');
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
    return `v1,${hmac.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

function withoutPrefix(secret: string): string {
  return secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
}
