// The addresses of an MCP server as a protected resource.

/** Where a server is: by the organisation in its path, or without one. */
export interface ResourcePath {
  /** Slug of the organisation in the path; undefined: the path has none. */
  readonly organisation: string | undefined;
  readonly server: string;
}

export const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** The identifier of the resource (RFC 8707), which is the address that clients connect to. */
export function resourceUrl(publicUrl: string, path: ResourcePath): string {
  return `${publicUrl}${pathOf(path)}`;
}

export function metadataUrl(publicUrl: string, path: ResourcePath): string {
  return `${publicUrl}${WELL_KNOWN}${pathOf(path)}`;
}

function pathOf({ organisation, server }: ResourcePath): string {
  const names = organisation === undefined ? [server] : [organisation, server];
  return `/v1/mcp/${names.map(encodeURIComponent).join('/')}`;
}
