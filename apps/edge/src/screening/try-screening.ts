import { GatewayError } from '@tollgate/contracts';
import type { Allow__Output } from '@tollgate/contracts/node';

import type { AuthorisedExchange, DecodedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import type { Received } from '../operations';
import { screenWithoutServices } from './screen-request';

/** What rules that run in the gateway would do about a request. */
export interface TriedScreening {
  /** A rule refuses the request. */
  readonly blocked: GatewayError | undefined;
  /** The request as it would go on, if a rule masks texts of it. */
  readonly received: Received | undefined;
  /** Models that rules leave out. */
  readonly leftOut: readonly string[];
  /** Null: no screening policy applies. `servicesNotAsked`: rules whose services only a real request asks. */
  readonly screening: { readonly evidence: string; readonly servicesNotAsked: number } | null;
}

/**
 * Screens by rules that run here; services are not asked.
 * @throws GatewayError `dependency_unavailable` if the rules cannot be read
 */
export async function tryScreening(
  gateway: Gateway,
  exchange: DecodedExchange & { allow: Allow__Output },
): Promise<TriedScreening> {
  const { allow } = exchange;
  if (allow.screening.length === 0) {
    return { blocked: undefined, received: undefined, leftOut: [], screening: null };
  }
  const before = allow.candidates.map(({ modelId }) => modelId);
  // Its own list of candidates, which the rules make shorter.
  const tried = Object.assign(exchange, { allow: { ...allow }, hold: NO_HOLD });
  let blocked: GatewayError | undefined;
  let received: Received | undefined;
  try {
    received = await screenWithoutServices(gateway, tried, exchange.received);
  } catch (error) {
    if (!(error instanceof GatewayError) || tried.screening?.blocked() === undefined) throw error;
    blocked = error;
  }
  const { screening } = tried;
  const left = new Set(tried.allow.candidates.map(({ modelId }) => modelId));
  return {
    blocked,
    received,
    leftOut: before.filter((modelId) => !left.has(modelId)),
    screening: {
      evidence: screening?.evidence() ?? '',
      servicesNotAsked: screening?.externalRules('INPUT', 'TOOL_RESULTS').length ?? 0,
    },
  };
}

/** There is no hold. Where rules choose a dearer model, only a real request learns whether it fits. */
const NO_HOLD: AuthorisedExchange['hold'] = {
  requestId: '',
  shard: 0,
  token: () => Buffer.alloc(0),
  session: () => undefined,
  extend: () => Promise.resolve({ granted: true }),
  continueInBackground: () => Promise.resolve({ granted: true }),
  end: () => undefined,
};
