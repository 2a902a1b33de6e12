// The path of one request to an endpoint that the gateway does not know. Rules of the provider say what may be called
// and what it costs; policy holds that before anything of the body is read.

import type { ServerResponse } from 'node:http';

import { namesDryRun } from '../dry-run';
import type { ClientRequest } from '../exchange/exchange';
import { ClientGone, readBody } from '../intake';
import { readKey } from '../intake/read-key';
import { PASSTHROUGH_KEYS } from '../routes';
import { beginTrace, endedNow } from '../tracing';
import { admit } from './admit';
import { servePassthroughDryRun } from './dry-run';
import {
  openPassthroughExchange,
  type AdmittedPassthrough,
  type PassthroughGateway,
} from './exchange';
import { passthroughTrace } from './passthrough-trace';
import { placeOf } from './place';
import { refuse } from './refuse';
import { relay } from './relay';
import { noteRequest } from './request-log';
import { settle } from './settle';

export type { PassthroughGateway } from './exchange';
export { PASSTHROUGH_PREFIX } from './place';

/** Serves one request with any method. Never rejects. */
export async function servePassthrough(
  gateway: PassthroughGateway,
  req: ClientRequest,
  res: ServerResponse,
): Promise<void> {
  if (namesDryRun(req.headers)) return servePassthroughDryRun(gateway, req, res);
  const exchange = openPassthroughExchange(req, res, gateway.nowMs());
  beginTrace(gateway.tracing, exchange);
  try {
    const keySha256 = (exchange.keySha256 = readKey(req, PASSTHROUGH_KEYS));
    const placed = Object.assign(exchange, { keySha256, place: placeOf(req) });
    const admitted = await admit(gateway, placed);
    if (exchange.clientGone) throw new ClientGone('the client closed its connection');
    await receive(gateway, admitted);
    await relay(gateway, admitted);
  } catch (error) {
    refuse(gateway, exchange, error);
  } finally {
    settle(gateway, exchange);
    noteRequest(gateway, exchange);
    const spans = exchange.trace && passthroughTrace(endedNow(gateway), exchange);
    if (spans) gateway.tracing?.add(spans);
    exchange.lease?.release();
  }
}

/** @throws GatewayError `invalid_request` naming the limit, `overloaded`; ClientGone */
async function receive(
  { bodies, limits }: PassthroughGateway,
  exchange: AdmittedPassthrough,
): Promise<void> {
  const owner = exchange.keySha256.toString('latin1');
  const lease = (exchange.lease = bodies.open());
  lease.confirm(owner);
  exchange.body = await readBody(exchange.req, {
    limitBytes: Math.min(exchange.target.rule.maxRequestBytes, limits.bodyBytes),
    lease,
    confirm: () => owner,
    held: true,
  });
  exchange.requestBytes = exchange.body.length;
}
