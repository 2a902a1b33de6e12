// Answers what policy would decide about a JSON-RPC request, without a hold and without the server.

import type { ServerResponse } from 'node:http';
import { gatewayError } from '@tollgate/contracts';
import { describeDecision } from '@tollgate/contracts/node';

import { checkDryRun, sendDryRun } from '../dry-run';
import { denialError } from '../exchange/denial';
import type { ClientRequest } from '../exchange/exchange';
import { ClientGone } from '../intake';
import { refusedOf } from '../refusals/refused-exchange';
import { questionOf } from './admit';
import { openMcpExchange, type McpExchange } from './exchange';
import type { McpGateway } from './gateway';
import { identify } from './identify';
import { checkMethod, checkOrigin, receive } from './intake';
import { sendRefusal } from './refuse';
import type { ResourcePath } from './sign-in';

/** Serves one dry run. Never rejects. Only a key that is not valid is in the list of refusals. */
export async function serveMcpDryRun(
  gateway: McpGateway,
  path: ResourcePath,
  req: ClientRequest,
  res: ServerResponse,
): Promise<void> {
  const exchange = openMcpExchange(path, req, res, gateway.nowMs());
  let outcome = 'failed';
  try {
    checkDryRun(req.headers);
    checkOrigin(gateway, exchange);
    checkMethod(exchange);
    outcome = await answer(gateway, exchange);
  } catch (error) {
    if (error instanceof ClientGone || exchange.clientGone) return;
    const { code, status } = sendRefusal(gateway, exchange, error);
    outcome = code;
    // Whoever guesses keys is listed like any other.
    const refused =
      status === 401
        ? refusedOf(exchange, { model: '', attempts: [] }, gateway.wallMs())
        : undefined;
    if (refused !== undefined) gateway.refusals.note(refused);
  } finally {
    gateway.metrics.dryRun(outcome);
    exchange.lease?.release();
  }
}

async function answer(gateway: McpGateway, exchange: McpExchange): Promise<string> {
  const { dryRuns, log } = gateway;
  const { requestId, res } = exchange;
  const ticketed = dryRuns.readTicket(exchange.req.headers);
  const caller = ticketed
    ? { keySha256: ticketed, principal: ticketed, expiresMs: undefined }
    : await identify(gateway, exchange);
  dryRuns.rate.check(caller.keySha256);
  const received = await receive(gateway, exchange, caller);
  const { message } = received;
  if (message?.kind !== 'request') {
    const text = 'Only a JSON-RPC request with an id can be a dry run.';
    throw gatewayError('invalid_request', text, { param: 'x-tollgate-dry-run' });
  }
  const reply = await dryRuns.ask(questionOf(received, message));
  const { allow, denial } = reply;
  exchange.denial = denial ?? undefined;
  const error = denial ? denialError(log, denial) : undefined;
  if (error?.code === 'invalid_api_key') throw error;
  dryRuns.rate.take(caller.keySha256);
  exchange.lease?.confirm();
  const policies = allow?.screening.length ?? 0;
  const screening = policies === 0 ? null : { evidence: '', policiesNotRun: policies };
  sendDryRun(res, requestId, describeDecision(reply, { requestId, error, checks: [], screening }));
  return error?.code ?? 'allow';
}
