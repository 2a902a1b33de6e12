import type { ScreeningRef__Output } from '@tollgate/contracts/node';

import type { AuthorisedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import type { Received } from '../operations';
import { screenByAdded, screenRequest } from '../screening';
import { beginScreening, endScreening } from '../tracing';
import { decode } from './decode';

/**
 * Screens the request, and decodes it again if texts of it were masked. Its hold stays: masked texts are
 * about as long.
 * @returns the model that a plugin chose; undefined: the one that the request asks for
 * @throws GatewayError `content_blocked`, `plugin_blocked`, `dependency_unavailable`
 */
export async function screen(
  gateway: Gateway,
  exchange: AuthorisedExchange,
): Promise<string | undefined> {
  await changedBy(gateway, exchange, () => screenRequest(gateway, exchange, exchange.received));
  return exchange.screening?.chosenModel();
}

/**
 * Screens the request by the policies of a model that a plugin chose. `judged`: those that have done so.
 * @throws as `screen`
 */
export async function screenForModel(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  judged: readonly ScreeningRef__Output[],
): Promise<void> {
  await changedBy(gateway, exchange, () =>
    screenByAdded(gateway, exchange, exchange.received, judged),
  );
}

/** Measures a screening, and decodes what it has changed. */
async function changedBy(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  screening: () => Promise<Received | undefined>,
): Promise<void> {
  const startMs = gateway.nowMs();
  beginScreening(exchange.trace);
  const masked = await screening().finally(() => {
    const endMs = gateway.nowMs();
    gateway.metrics.screening(endMs - startMs);
    endScreening(exchange.trace, { startMs, endMs });
  });
  if (!masked) return;
  exchange.received = masked;
  const { assumedTokens, readTokens } = exchange.job;
  exchange.job = decode(exchange, masked);
  // What policy has said of it holds on.
  if (readTokens !== undefined) exchange.job.readTokens = readTokens;
  if (assumedTokens !== undefined) exchange.job.assumedTokens = assumedTokens;
}
