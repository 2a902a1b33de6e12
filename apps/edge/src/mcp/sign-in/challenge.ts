// What a client is told about signing in, in the header WWW-Authenticate (RFC 6750, RFC 9728).

import { metadataUrl, type ResourcePath } from './resource';
import type { SignIn } from './sign-ins';

export interface Challenge {
  readonly metadataUrl: string;
  readonly scopes: readonly string[];
}

export function challengeOf(publicUrl: string, path: ResourcePath, { scopes }: SignIn): Challenge {
  return { metadataUrl: metadataUrl(publicUrl, path), scopes };
}

/** `error`: why a token that was sent does not do; undefined: none was sent. */
export function wwwAuthenticate(
  { metadataUrl: url, scopes }: Challenge,
  error: 'invalid_token' | 'insufficient_scope' | undefined,
): string {
  const parts = [`resource_metadata="${url}"`];
  if (error !== undefined) parts.push(`error="${error}"`);
  if (scopes.length > 0) parts.push(`scope="${scopes.join(' ')}"`);
  return `Bearer ${parts.join(', ')}`;
}
