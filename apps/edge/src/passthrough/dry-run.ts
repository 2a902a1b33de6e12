// Answers what policy would decide about a request, without a hold and without the provider.

import type { ServerResponse } from 'node:http';
import { describeDecision } from '@tollgate/contracts/node';

import { checkDryRun, sendDryRun } from '../dry-run';
import { denialError } from '../exchange/denial';
import type { ClientRequest } from '../exchange/exchange';
import { discard } from '../intake/discard';
import { readKey } from '../intake/read-key';
import { refusedOf } from '../refusals/refused-exchange';
import { PASSTHROUGH_KEYS } from '../routes';
import { questionOf } from './admit';
import {
  openPassthroughExchange,
  type PassthroughExchange,
  type PassthroughGateway,
} from './exchange';
import { placeOf } from './place';
import { sendRefusal } from './refuse';

/** Serves one dry run. Never rejects. Only a key that is not valid is in the list of refusals. */
export async function servePassthroughDryRun(
  gateway: PassthroughGateway,
  req: ClientRequest,
  res: ServerResponse,
): Promise<void> {
  const exchange = openPassthroughExchange(req, res, gateway.nowMs());
  let outcome = 'failed';
  try {
    checkDryRun(req.headers);
    outcome = await answer(gateway, exchange);
  } catch (error) {
    if (exchange.clientGone) return;
    const { code, status } = sendRefusal(gateway, exchange, error);
    outcome = code;
    // Whoever guesses keys is listed like any other.
    if (status === 401) {
      const refused = refusedOf(exchange, { model: '', attempts: [] }, gateway.wallMs());
      if (refused !== undefined) gateway.refusals.note(refused);
    }
  } finally {
    gateway.metrics.dryRun(outcome);
  }
}

async function answer(gateway: PassthroughGateway, exchange: PassthroughExchange): Promise<string> {
  const { dryRuns, log } = gateway;
  const { req, requestId, res } = exchange;
  const keySha256 = dryRuns.readTicket(req.headers) ?? readKey(req, PASSTHROUGH_KEYS);
  dryRuns.rate.check(keySha256);
  const placed = Object.assign(exchange, { keySha256, place: placeOf(req) });
  const reply = await dryRuns.ask(questionOf(placed));
  exchange.denial = reply.denial ?? undefined;
  const error = reply.denial ? denialError(log, reply.denial) : undefined;
  if (error?.code === 'invalid_api_key') throw error;
  dryRuns.rate.take(keySha256);
  discard(req);
  const described = { requestId, error, checks: [], screening: null };
  sendDryRun(res, requestId, describeDecision(reply, described));
  return error?.code ?? 'allow';
}
