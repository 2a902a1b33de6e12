// Requests as a gateway's upstream sees them, without a client's help.

const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

export const CALL = { method: 'tools/call', params: { name: 'sim_echo', arguments: {} } };

/** A request of the stateless revision. */
export function post(
  url: string,
  { method, params }: { method: string; params: object } = CALL,
  headers: Record<string, string> = {},
  init: RequestInit = {},
): Promise<Response> {
  const name = 'name' in params ? { 'mcp-name': String(params.name) } : {};
  return fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...name,
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { ...params, _meta: MODERN_META },
    }),
    ...init,
  });
}
