// Selects the client headers that go upstream. Vendors keep adding headers under their own prefix,
// so those are an open list. Credentials are never forwarded, nor are headers that choose who pays.

import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { gatewayError } from '@tollgate/contracts';

import type { Forwarded } from './endpoints';

const HEADERS = 32;
const VALUE_CHARACTERS = 4_096;

/**
 * Header names that look like credentials: a client's key under another name must not reach the
 * provider.
 */
const CREDENTIAL =
  /(?:^|-)(?:auth|authorization|cookie|credentials?|key|password|secret|token)(?:-|$)/;

/** The provider answers a repeated one with the first answer, whoever of our clients sent it. */
const IDEMPOTENCY = 'idempotency-key';

/**
 * `keySha256`: of the client's API key, which the idempotency key is valid for.
 * @throws GatewayError `invalid_request` naming the header that is too long or exceeds the number
 */
export function forwardedHeaders(
  headers: IncomingHttpHeaders,
  { names, prefix, withheld = [] }: Forwarded,
  keySha256: Buffer,
): Record<string, string> {
  const forwarded: Record<string, string> = {};
  let count = 0;
  const add = (name: string): void => {
    const value = headers[name];
    if (typeof value !== 'string') return;
    count += 1;
    if (count > HEADERS) {
      throw refusal(name, `${name}: at most ${HEADERS} headers can be sent to the provider`);
    }
    if (value.length > VALUE_CHARACTERS) {
      throw refusal(name, `${name}: must not be longer than ${VALUE_CHARACTERS} characters`);
    }
    if (name !== IDEMPOTENCY) forwarded[name] = value;
    else if (value !== '') forwarded[name] = scoped(value, keySha256);
  };
  for (const name of names) add(name);
  if (prefix === undefined) return forwarded;
  for (const name in headers) {
    const stays = CREDENTIAL.test(name) || withheld.includes(name);
    if (name.startsWith(prefix) && !stays) add(name);
  }
  return forwarded;
}

/**
 * All keys of an organisation share an account at the provider. The value is the client's own for one
 * API key: the same for its retries, and another for every other key.
 */
function scoped(value: string, keySha256: Buffer): string {
  return createHmac('sha256', keySha256).update(value).digest('hex');
}

function refusal(param: string, text: string) {
  return gatewayError('invalid_request', text, { param });
}
