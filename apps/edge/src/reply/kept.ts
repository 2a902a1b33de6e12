import { costNanoUsd, emptyUsage, formatUsd, priceInTier } from '@tollgate/contracts';
import type { Candidate__Output } from '@tollgate/contracts/node';

import { NO_CHARGE } from '../exchange/charge';
import type { AuthorisedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { priceOf } from '../exchange/known-prices';
import { ClientGone } from '../intake';
import type { KeptAnswer } from '../response-cache';
import { answerHeaders } from './answer-headers';
import { costRemark, withRemark } from './endings';
import { relayedHeader } from './header-text';
import { write } from './write-parts';

/** What is written at once; the client reads it before more is written. */
const PIECE_BYTES = 64 * 1024;
/** A client that reads nothing for this long is disconnected. */
export const STALLED_MS = 60_000;

/** Sends a kept answer as it was sent first. It costs the share that the organisation charges. */
export async function replyKept(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  { candidate, kept }: { candidate: Candidate__Output; kept: KeptAnswer },
): Promise<void> {
  const { allow, cache, ending, job, res } = exchange;
  // Nothing was bought, so a client that gets nothing pays nothing.
  if (exchange.clientGone) throw new ClientGone('the client left before its kept answer was found');
  const price = candidate.price && priceInTier(priceOf(candidate.price), kept.serviceTier);
  const full = price ? costNanoUsd(price, kept.usage, kept.units) : 0n;
  const cost = shareOf(full, allow.responseCache?.pricePercent ?? 0);
  if (cache) cache.cachedCostNanoUsd = full;
  exchange.used = true;
  Object.assign(ending, {
    ...NO_CHARGE,
    usage: emptyUsage(),
    costNanoUsd: cost,
    outcome: 'COMPLETED',
    httpStatus: 200,
    stopReason: kept.stopReason,
    candidate,
    firstTokenMs: Math.max(1, Math.round(gateway.nowMs() - exchange.startedMs)),
  });
  const { body } = kept;
  const headers = answerHeaders(gateway, exchange, answerOf(kept, candidate), cost);
  headers['x-tollgate-cost-usd'] = formatUsd(cost);
  headers['content-type'] = relayedHeader(kept.contentType);
  if (!job.stream) {
    headers['content-length'] = String(body.length);
    exchange.trace?.content?.recorder?.keepWhole(body);
    exchange.keptBodies?.recorder?.keepWhole(body, kept.contentType);
    res.writeHead(200, headers);
    return sendAll(exchange, [body], (piece) => res.write(piece));
  }
  res.writeHead(200, { ...headers, 'cache-control': 'no-cache', 'x-accel-buffering': 'no' });
  const comment = (text: string): string => exchange.format.encodeComment(text);
  const remark = costRemark(exchange, comment, formatUsd(cost), false);
  return sendAll(exchange, withRemark([body], remark), (piece) => write(exchange, [piece]));
}

/** Rounded down, so that it is never more than the share. */
export function shareOf(costNanoUsdOfAll: bigint, percent: number): bigint {
  return (costNanoUsdOfAll * BigInt(percent)) / 100n;
}

/** As an answer without an attempt, for the headers that all answers have. */
function answerOf(kept: KeptAnswer, candidate: Candidate__Output) {
  const { body, contentType, dropped, model } = kept;
  const answered = { body, contentType, report: { model } };
  return { kind: 'unary' as const, candidate, dropped, relayed: {}, answered, attempt: undefined };
}

/** Writes at the client's speed. */
export async function sendAll(
  exchange: Pick<AuthorisedExchange, 'res' | 'onClientGone' | 'clientGone' | 'ending'>,
  parts: readonly Buffer[],
  send: (piece: Buffer) => boolean,
): Promise<void> {
  const { res } = exchange;
  // One listener for all pieces, of a client that may read slowly or leave.
  let wake = (): void => {};
  exchange.onClientGone = () => wake();
  res.on('drain', () => wake());
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) {
      if (exchange.clientGone) return left(exchange);
      if (send(part.subarray(at, at + PIECE_BYTES))) continue;
      // Kept answers share a buffer, so a client that reads nothing must not hold one for good.
      const stalled = setTimeout(() => res.destroy(), STALLED_MS);
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (exchange.clientGone || !res.writableNeedDrain) resolve();
      });
      clearTimeout(stalled);
    }
  }
  if (exchange.clientGone) return left(exchange);
  res.end();
}

function left({ ending }: Pick<AuthorisedExchange, 'ending'>): void {
  ending.outcome = 'CLIENT_CLOSED';
  ending.httpStatus = 499;
}
