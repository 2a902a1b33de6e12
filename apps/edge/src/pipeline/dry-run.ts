// Answers what would be decided about a request, without a hold or a call.

import { Readable } from 'node:stream';
import { GatewayError, gatewayError } from '@tollgate/contracts';
import {
  describeDecision,
  type Described,
  type DryRunReply__Output,
} from '@tollgate/contracts/node';

import { planCandidate, unsupportedBy } from '../attempts/plan';
import type { ClientReply } from '../client-reply';
import { checkDryRun, sendDryRun } from '../dry-run';
import { sendError } from '../errors';
import {
  openExchange,
  type ClientRequest,
  type DecodedExchange,
  type Exchange,
} from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { ClientGone } from '../intake';
import { readKey } from '../intake/read-key';
import { refusedOf } from '../refusals/refused-exchange';
import { tellRetirement } from '../reply/retirement-headers';
import type { Route } from '../routes';
import { tryScreening } from '../screening';
import { denialErrorOf, questionOf } from './authorize';
import { decode, receive } from './decode';

/** Serves one dry run. Never rejects. Only a key that is not valid is in the list of refusals. */
export async function serveDryRun(
  gateway: Gateway,
  route: Route,
  req: ClientRequest,
  res: ClientReply,
): Promise<void> {
  const exchange = openExchange(route, req, res, gateway.nowMs());
  const { requestId } = exchange;
  let outcome = 'failed';
  try {
    checkDryRun(req.headers);
    const keySha256 = gateway.dryRuns.readTicket(req.headers) ?? readKey(req, route.keys);
    gateway.dryRuns.rate.check(keySha256);
    const decoded = await receive(gateway, exchange, keySha256);
    const reply = await gateway.dryRuns.ask(questionOf(decoded));
    const { allow, denial } = reply;
    exchange.denial = denial ?? undefined;
    tellRetirement(res, route.family, (allow ?? denial)?.retirement);
    if (denial?.code === 'invalid_api_key') throw denialErrorOf(gateway, decoded, denial);
    gateway.dryRuns.rate.take(keySha256);
    exchange.lease?.confirm();
    const described = allow
      ? await allowed(gateway, Object.assign(decoded, { allow }), reply)
      : denied(gateway, decoded, reply);
    if (exchange.clientGone) return;
    outcome = described.error?.code ?? 'allow';
    sendDryRun(res, requestId, describeDecision(reply, described));
  } catch (error) {
    if (error instanceof ClientGone || exchange.clientGone) return;
    outcome = refuse(gateway, exchange, error);
  } finally {
    gateway.metrics.dryRun(outcome);
    note(gateway, exchange, outcome);
    exchange.lease?.release();
    await exchange.form?.dispose().catch((error: unknown) => {
      gateway.log.error('could not delete an upload', { requestId, error });
    });
  }
}

function denied(
  gateway: Gateway,
  decoded: DecodedExchange,
  { candidates, denial }: DryRunReply__Output,
): Described {
  const { requestId } = decoded;
  const error = denial ? denialErrorOf(gateway, decoded, denial) : gatewayError('internal_error');
  return { requestId, error, checks: [], ways: waysOf(gateway, decoded, candidates).ways };
}

type Allowed = DecodedExchange & { allow: NonNullable<DryRunReply__Output['allow']> };

async function allowed(
  gateway: Gateway,
  exchange: Allowed,
  { candidates }: DryRunReply__Output,
): Promise<Described> {
  const { requestId } = exchange;
  const { blocked, leftOut, received, screening } = await tryScreening(gateway, exchange);
  // Texts that are masked are what is translated.
  if (received) exchange.job = decode(exchange, received);
  const left = candidates.filter(({ modelId }) => !leftOut.includes(modelId));
  const { refused, ways } = waysOf(gateway, exchange, left);
  return {
    requestId,
    error: blocked ?? refused,
    checks: [
      ...(screening === null ? [] : [{ check: 'screening', passed: blocked === undefined }]),
      ...(blocked ? [] : [{ check: 'translation', passed: refused === undefined }]),
    ],
    ways,
    leftOut: leftOut.map((modelId) => ({ modelId, reason: 'screening' })),
    screening,
  };
}

/** How the request would be written for each candidate; `refused`: the first one that is tried refuses it. */
function waysOf(
  gateway: Gateway,
  exchange: DecodedExchange,
  candidates: DryRunReply__Output['candidates'],
): { ways: Map<string, object>; refused: GatewayError | undefined } {
  const ways = new Map<string, object>();
  let first: GatewayError | 'written' | undefined;
  for (const candidate of candidates) {
    const { modelId } = candidate;
    try {
      const planned = planCandidate(gateway, exchange, candidate);
      // Without an endpoint the next candidate is tried.
      if (!planned) ways.set(modelId, { translation: null });
      else if (planned.kind === 'own') {
        first ??= 'written';
        ways.set(modelId, { translation: { format: null, translated: false, dropped: [] } });
      } else {
        const { adapter, endpoint } = planned;
        const { body, dropped } = adapter.encode();
        if (body instanceof Readable) body.destroy();
        first ??= 'written';
        const { format, upstreamFormat } = endpoint;
        const translated = format !== exchange.formatName;
        ways.set(modelId, { translation: { format, upstreamFormat, translated, dropped } });
      }
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      first ??= error;
      const { code, message, param } = error;
      ways.set(modelId, { translation: { error: { code, message, param: param ?? null } } });
    }
  }
  if (first === undefined && candidates.length > 0) first = unsupportedBy(exchange, candidates);
  return { ways, refused: first === 'written' ? undefined : first };
}

function refuse(gateway: Gateway, exchange: Exchange, error: unknown): string {
  const { ending, format, req, requestId, res } = exchange;
  const told = error instanceof GatewayError ? error : gatewayError('internal_error');
  if (told !== error) gateway.log.error('dry run failed', { requestId, error });
  ending.errorCode = told.code;
  if (!res.headersSent) ending.httpStatus = sendError(req, res, format, told, requestId);
  // Whoever guesses keys is listed like any other.
  if (told.status === 401) {
    const refused = refusedOf(exchange, { model: '', attempts: [] }, gateway.wallMs());
    if (refused !== undefined) gateway.refusals.note(refused);
  }
  return told.code;
}

function note({ log, nowMs }: Gateway, exchange: Exchange, outcome: string): void {
  if (!log.enabled('info')) return;
  const { allow, denial, job, requestId, route, startedMs } = exchange;
  log.info('dry run', {
    requestId,
    route: route.path,
    outcome,
    organisationId: (allow ?? denial)?.subject?.organisationId,
    apiKeyId: (allow ?? denial)?.subject?.apiKeyId,
    model: job?.model,
    latencyMs: Math.round(nowMs() - startedMs),
  });
}
