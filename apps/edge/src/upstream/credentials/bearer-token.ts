// Tokens that a request carries in its Authorization header: those of Google and of Microsoft Entra.

import { readBearerToken } from '@tollgate/contracts/node';

import { noCredential } from './ask-issuer';
import type { Issued } from './renewed';

/** @throws UpstreamFailure */
export function readTokenAnswer(issuer: string, text: string): Issued<string> {
  const read = readBearerToken(text);
  if (read === undefined) throw noCredential(`${issuer} answered with no usable bearer token`);
  return { credential: read.token, lifetimeMs: read.lifetimeMs };
}
