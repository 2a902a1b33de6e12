// The head of an answer that is passed on: few of the server's headers, and the gateway's own.

import { formatUsd, gatewayError, RUNNER_REPLICA_HEADER } from '@tollgate/contracts';

import type { UpstreamHeaders } from '../../formats';
import { requestIdHeaders } from '../../reply/answer-headers';
import { relayedHeader } from '../../reply/header-text';
import { limitHeaders, softExceeded } from '../../reply/limit-headers';
import { SESSION_HEADER } from '../connect';
import type { ConnectedExchange } from '../exchange';
import type { McpGateway } from '../gateway';

/** Of a server's headers only these are passed on. */
const RELAYED = ['content-type', 'allow'] as const;

/** @throws GatewayError `upstream_error` for a session that cannot be sealed */
export function answerHead(
  gateway: McpGateway,
  exchange: ConnectedExchange,
  headers: UpstreamHeaders,
  { stream }: { stream: boolean },
): Record<string, string> {
  const head = requestIdHeaders(exchange.requestId);
  for (const name of RELAYED) {
    const value = headers[name];
    if (value !== undefined) head[name] = relayedHeader(String(value));
  }
  head['cache-control'] = stream ? 'no-cache, no-transform' : 'no-store';
  if (stream) head['x-accel-buffering'] = 'no';
  const session = sessionHeader(gateway, exchange, headers);
  if (session !== undefined) head[SESSION_HEADER] = session;
  addLimits(gateway, exchange, head);
  return head;
}

function sessionHeader(
  gateway: McpGateway,
  exchange: ConnectedExchange,
  headers: UpstreamHeaders,
): string | undefined {
  const { principal, modern, req, session, upstream } = exchange;
  const upstreamId = headers[SESSION_HEADER];
  if (modern || upstreamId === undefined) return undefined;
  // A client keeps the id that it has.
  if (session?.upstreamId === upstreamId) return String(req.headers[SESSION_HEADER]);
  exchange.session = {
    serverId: upstream.serverId,
    connectionVersion: upstream.version,
    upstreamId: String(upstreamId),
    runnerUrl: replicaOf(gateway, exchange, headers),
  };
  const sealed = gateway.seals.seal(exchange.session, principal);
  if (sealed !== undefined) return sealed;
  gateway.log.error('the session id of an MCP server cannot be sealed', {
    server: exchange.server,
    characters: String(upstreamId).length,
  });
  throw gatewayError('upstream_error', 'The session id of the MCP server is too long.');
}

/** The replica that has the session; empty: the server has no runner. */
function replicaOf(
  { log, runner }: McpGateway,
  { upstream }: ConnectedExchange,
  headers: UpstreamHeaders,
): string {
  const named = headers[RUNNER_REPLICA_HEADER];
  if (upstream.transport === 'STREAMABLE_HTTP' || named === undefined) return '';
  const url = String(named);
  if (runner?.mayCall(url)) return url;
  log.error('a runner names itself by an address that RUNNER_HOSTS does not allow', { url });
  throw gatewayError('dependency_unavailable', undefined, { details: { dependency: 'runner' } });
}

function addLimits(
  gateway: McpGateway,
  { allow }: ConnectedExchange,
  head: Record<string, string>,
): void {
  if (!allow) return;
  const { heldNanoUsd, limits, softExceeded: exceeded } = allow;
  if (heldNanoUsd !== '') head['x-tollgate-held-usd'] = formatUsd(BigInt(heldNanoUsd));
  limitHeaders('unified', limits, gateway.wallMs(), 0n, head);
  const passed = softExceeded(limits, exceeded);
  if (passed !== '') head['x-tollgate-soft-exceeded'] = relayedHeader(passed);
}
