import { formatUsd, type Operation } from '@tollgate/contracts';

import type { Answer } from '../exchange/answer';
import type { CacheUse } from '../exchange/cache-use';
import type { AuthorisedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { sentOutputBound } from '../exchange/output-bound';
import { headerList, headerText, relayedHeader } from './header-text';
import { limitHeaders, softExceeded } from './limit-headers';

/** The headers common to all answers, in every format; with the cost, if it is known. */
export function answerHeaders(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  answer: Answer,
  costNanoUsd?: bigint,
): Record<string, string> {
  const { allow, route } = exchange;
  const { attempt, candidate, dropped, relayed } = answer;
  const { limits } = allow;
  const held = BigInt(allow.heldNanoUsd);
  const freed = costNanoUsd === undefined ? 0n : held - costNanoUsd;
  const headers = requestIdHeaders(exchange.requestId);
  headers['x-tollgate-model'] = headerText(candidate.modelName);
  if (allow.tellUpstreamModel) {
    headers['x-tollgate-upstream-model'] = headerText(upstreamModel(answer));
  }
  headers['x-tollgate-provider'] = headerText(candidate.providerLabel);
  // The number of the attempt that answered; 0: no upstream was called.
  headers['x-tollgate-attempt'] = String(attemptNumber(exchange, attempt));
  headers['x-tollgate-held-usd'] = formatUsd(held);
  limitHeaders(route.family, limits, gateway.wallMs(), freed, headers);
  const passed = softExceeded(limits, allow.softExceeded);
  if (passed !== '') headers['x-tollgate-soft-exceeded'] = relayedHeader(passed);
  const evidence = exchange.screening?.evidence() ?? '';
  if (evidence !== '') headers['x-tollgate-screening'] = relayedHeader(evidence);
  if (exchange.cache) addCache(headers, exchange.cache);
  if (allow.clamped) headers['x-tollgate-clamped'] = 'max_output_tokens';
  const added = addedOutputBound(exchange, candidate);
  if (added > 0) headers['x-tollgate-max-output-tokens'] = String(added);
  if (allow.routing) headers['x-tollgate-routing'] = headerText(allow.routing.strategy);
  if (allow.experiment) {
    const { arm, experiment } = allow.experiment;
    headers['x-tollgate-experiment'] = headerText(`${experiment}/${arm}`);
  }
  const upstreamId = attempt?.upstreamRequestId ?? '';
  if (upstreamId !== '') headers['x-tollgate-upstream-request-id'] = relayedHeader(upstreamId);
  for (const [name, value] of Object.entries(relayed)) headers[name] ??= relayedHeader(value);
  if (dropped.length > 0) headers['x-tollgate-dropped'] = headerList(dropped);
  return headers;
}

function addCache(headers: Record<string, string>, { ageSeconds, reason, result }: CacheUse): void {
  headers['x-tollgate-cache'] = result.toLowerCase();
  if (reason !== undefined) headers['x-tollgate-cache-reason'] = reason;
  if (result === 'HIT') headers['age'] = String(ageSeconds);
}

/** The model named in the answer, else the requested one. */
function upstreamModel(answer: Answer): string {
  const { report } = answer.kind === 'stream' ? answer.stream.tap : answer.answered;
  return report.model || answer.candidate.upstreamModel;
}

function attemptNumber({ attempts }: AuthorisedExchange, attempt: Answer['attempt']): number {
  return attempt ? attempts.indexOf(attempt) + 1 : 0;
}

const GENERATING: ReadonlySet<Operation> = new Set(['chat', 'responses']);

/** The output bound added to a request without its own; 0: none was added. */
function addedOutputBound(
  { job, route }: AuthorisedExchange,
  candidate: Answer['candidate'],
): number {
  return job.maxOutputTokens === 0 && GENERATING.has(route.operation)
    ? sentOutputBound(candidate)
    : 0;
}

/** Sets the two header names that SDKs read, and the gateway's own. */
export function requestIdHeaders(requestId: string): Record<string, string> {
  return {
    'x-request-id': requestId,
    'request-id': requestId,
    'x-tollgate-request-id': requestId,
  };
}
