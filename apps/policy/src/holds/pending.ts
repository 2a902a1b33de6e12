import type { AuthorizeRequest__Output, PendingResponse } from '@tollgate/contracts/node';

import { regionAt, type Issuer } from '../decide';
import { modelWithId, type KeyPlan } from '../directory';
import { Failure } from '../failure';
import type { HoldTokens } from './hold-token';

/**
 * What settles the request of a response that its provider continues. Null when its hold token was
 * signed with an unknown secret or by an unknown release: the hold's charge stands then.
 */
export function pendingIn(
  { holdTokens }: { readonly holdTokens: Pick<HoldTokens, 'read'> },
  plan: KeyPlan,
  { storedId }: AuthorizeRequest__Output,
  issuer: Issuer | undefined,
): PendingResponse | null {
  if (storedId === '' || !issuer?.pending) return null;
  const { holdToken, requestId, turn } = issuer.pending;
  const ticket = ticketIn(holdTokens, requestId, holdToken);
  // The one that accepted it, which need not be the first that was tried.
  const candidate = ticket?.candidates.find((one) => one.modelId === issuer.modelId);
  if (ticket === undefined || candidate === undefined) return null;
  const { modelId, priceId, providerId } = candidate;
  const model = modelWithId(plan, modelId);
  const prices = model?.prices;
  const price = prices?.find((planned) => planned.price.priceId === priceId)?.wire ?? null;
  // Without a price it would be booked as free.
  if (price === null && priceId !== '') return null;
  return {
    requestId,
    holdToken,
    modelId,
    providerId,
    price,
    inputTokensEstimate: ticket.inputTokens,
    region: model === undefined ? '' : regionAt(model, candidate.connectionVersion),
    ...turn,
  };
}

function ticketIn(holdTokens: Pick<HoldTokens, 'read'>, requestId: string, holdToken: Buffer) {
  try {
    return holdTokens.read(requestId, holdToken).ticket;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
