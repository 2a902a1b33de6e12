// Faults of MCP servers that replace an answer or interrupt it.

import type { ServerResponse } from 'node:http';

import type { Client } from '../http';
import type { McpDirectives } from './directives';
import type { McpMessage } from './messages';
import { refusal } from './sessions';

/** A cloud's metadata service: no gateway may follow a redirect to it. */
const METADATA_URL = 'http://169.254.169.254/latest/meta-data/';

/** Whether the faults apply to a request with these messages. */
export function faultsApply({ calls }: McpDirectives, messages: readonly McpMessage[]): boolean {
  return calls !== true || messages.some(({ method }) => method === 'tools/call');
}

/** The fault that replaces the answer: a response, or `gone` if the connection got none. */
export async function faultBefore(
  directives: McpDirectives,
  response: ServerResponse,
  client: Client,
  failsYet: () => boolean,
): Promise<Response | 'gone' | undefined> {
  if (directives.reset) {
    response.socket?.resetAndDestroy();
    return 'gone';
  }
  const waitMs = directives['slow-first-byte'];
  if (waitMs !== undefined) await client.wait(waitMs);
  if (directives.timeout) await client.left();
  if (client.gone()) return 'gone';
  const location = locationOf(directives);
  if (location !== undefined) return new Response(null, { status: 307, headers: { location } });
  if (directives.garbage) return new Response('data: this is no MCP\n\n');
  const status = directives.status ?? (failsYet() ? 503 : undefined);
  if (status !== undefined) return failure(status, directives['retry-after']);
  return undefined;
}

function locationOf(directives: McpDirectives): string | undefined {
  if (directives['redirect-away']) return METADATA_URL;
  return directives.redirect ? '/mcp/redirected' : undefined;
}

function failure(status: number, retryAfterS: number | undefined): Response {
  const response = refusal(status, -32_000, `The simulator was asked for ${String(status)}.`);
  if (retryAfterS !== undefined) response.headers.set('retry-after', String(retryAfterS));
  return response;
}
