// Metadata of a protected resource (RFC 9728), by which clients find the identity provider.

import type { ServerResponse } from 'node:http';

import { resourceUrl, type ResourcePath } from './resource';
import type { SignIn } from './sign-ins';

const KEPT_SECONDS = 60;

export function resourceDocument(
  publicUrl: string,
  path: ResourcePath,
  { issuer, scopes }: SignIn,
) {
  return {
    resource: resourceUrl(publicUrl, path),
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    resource_name: `MCP server ${path.server}`,
  };
}

/** The document is public: pages of any origin may read it. */
export function sendDocument(res: ServerResponse, document: object): void {
  res.writeHead(200, {
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
    'cache-control': `public, max-age=${KEPT_SECONDS}`,
  });
  res.end(JSON.stringify(document));
}
