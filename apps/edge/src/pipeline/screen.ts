import type { AuthorisedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { screenRequest } from '../screening';
import { decode } from './decode';

/**
 * Screens the request, and decodes it again if texts of it were masked. Its hold stays: masked texts are
 * about as long.
 * @throws GatewayError `content_blocked`, `dependency_unavailable`
 */
export async function screen(
  gateway: Gateway,
  exchange: AuthorisedExchange,
): Promise<AuthorisedExchange> {
  const startedMs = gateway.nowMs();
  const screening = screenRequest(gateway, exchange, exchange.received);
  const masked = await screening.finally(() => {
    gateway.metrics.screening(gateway.nowMs() - startedMs);
  });
  exchange.received = undefined;
  if (!masked) return exchange;
  const { readTokens } = exchange.job;
  const job = decode(exchange, masked);
  return Object.assign(exchange, { job: readTokens === undefined ? job : { ...job, readTokens } });
}
