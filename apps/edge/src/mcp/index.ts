// The path of one request to an MCP server. The gateway is a transparent proxy with one server for each
// path: bytes are passed on as they are, both ways, but for lists that a key's rules restrict.

import type { ServerResponse } from 'node:http';

import { namesDryRun } from '../dry-run';
import type { ClientRequest } from '../exchange/exchange';
import { beginTrace, endedNow } from '../tracing';
import { admit } from './admit';
import { connect } from './connect';
import { serveMcpDryRun } from './dry-run';
import { openMcpExchange, type ConnectedExchange } from './exchange';
import type { McpGateway } from './gateway';
import { identify } from './identify';
import { checkMethod, checkOrigin, receive } from './intake';
import { mcpTrace } from './mcp-trace';
import { checkPin } from './pin-check';
import { checkReferences } from './references';
import { refuse } from './refuse';
import { awaitGivingUp } from './relay/giving-up';
import { relay } from './relay/relay';
import { noteRequest } from './request-log';
import { screenMessage } from './screening/screen-message';
import { settle } from './settle';
import type { ResourcePath } from './sign-in';

export { createMcpGateway } from './create-mcp-gateway';
export type { McpGateway } from './gateway';
export { serveMetadata } from './metadata';
export { WELL_KNOWN, type ResourcePath } from './sign-in';

/** Serves one request with any method. Never rejects. */
export async function serveMcp(
  gateway: McpGateway,
  path: ResourcePath,
  req: ClientRequest,
  res: ServerResponse,
): Promise<void> {
  if (namesDryRun(req.headers)) return serveMcpDryRun(gateway, path, req, res);
  const exchange = openMcpExchange(path, req, res, gateway.nowMs());
  beginTrace(gateway.tracing, exchange);
  try {
    checkOrigin(gateway, exchange);
    checkMethod(exchange);
    const caller = await identify(gateway, exchange);
    const received = await receive(gateway, exchange, caller);
    const admitted = await admit(gateway, received);
    checkReferences(admitted);
    const connected = await connect(gateway, admitted);
    await serveConnected(gateway, connected);
  } catch (error) {
    refuse(gateway, exchange, error);
  } finally {
    settle(gateway, exchange);
    noteRequest(gateway, exchange);
    const spans = exchange.trace && mcpTrace(endedNow(gateway), exchange);
    if (spans) gateway.tracing?.add(spans);
    exchange.trace?.call?.content?.close();
    exchange.lease?.release();
  }
}

async function serveConnected(gateway: McpGateway, exchange: ConnectedExchange): Promise<void> {
  const stops = awaitGivingUp(gateway, exchange);
  try {
    await checkPin(gateway, exchange);
    await screenMessage(gateway, exchange);
    await relay(gateway, exchange, stops);
  } finally {
    stops.close();
  }
}
