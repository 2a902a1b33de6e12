import type { ScreeningRef__Output } from '@tollgate/contracts/node';
import { createScreening, type Screening } from '@tollgate/screening';

import type { Gateway } from '../exchange/gateway';
import type { RequestTrace } from '../exchange/request-trace';
import type { Checks } from '../exchange/screening';
import { createChecks } from './checks';

export interface Screened {
  readonly requestId: string;
  readonly trace: RequestTrace | undefined;
  /** Undefined: it is not known. */
  readonly apiKeyId: string | undefined;
  /** The policies that apply. */
  readonly refs: readonly ScreeningRef__Output[];
  /** Numbers of placeholders begin after it. */
  readonly placeholdersFrom?: number;
  /** The first `policies` have judged the request already, as `before` says. */
  readonly joins?: { readonly before: Screening; readonly policies: number };
}

/**
 * The screening of one request by all policies that apply to it.
 * @throws GatewayError `dependency_unavailable`
 */
export async function openScreening(
  gateway: Pick<Gateway, 'log' | 'metrics' | 'nowMs' | 'random' | 'screening'>,
  { apiKeyId, joins, placeholdersFrom = 0, refs, requestId, trace }: Screened,
): Promise<{ screening: Screening; checks: Checks | undefined }> {
  const found = gateway.screening.get(refs, joins?.policies);
  const { program, serviceKeyIds, services } = found instanceof Promise ? await found : found;
  // A judge behind this gateway would be asked about its own requests, without end.
  const asks = !serviceKeyIds.has(apiKeyId ?? '');
  const { random } = gateway;
  const screening = joins
    ? joins.before.joined(program)
    : createScreening({ program, random, asks, placeholdersFrom });
  const isAsked = asks && services.size > 0;
  const checks = isAsked
    ? createChecks(gateway, { requestId, screening, services, trace })
    : undefined;
  return { screening, checks };
}
