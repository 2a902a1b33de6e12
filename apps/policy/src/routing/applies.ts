import type { AuthorizeRequest__Output } from '@tollgate/contracts/node';

import type { AskedModel, KeyPlan, RoutingPlan } from '../directory';

/**
 * The routing policy that decides about a request for `named`: on the gateway's own chat route, where the request
 * names one of its candidates or the policy itself; on the other routes only where the organisation
 * says so. A stored response, conversation or item is continued only at its own upstream, and a new
 * conversation is made at the upstream of its later turns, so none of these is routed.
 */
export function routingFor(
  plan: KeyPlan,
  { family, model: name, ...request }: AuthorizeRequest__Output,
  { isAlias, model }: AskedModel,
): RoutingPlan | undefined {
  const { routing } = plan;
  if (routing === undefined) return undefined;
  const { conversationId, itemIds, operation, previousResponseId, storedId } = request;
  if (conversationId || previousResponseId || storedId || itemIds.length > 0) return undefined;
  if (operation === 'conversation_create') return undefined;
  if (family !== 'unified' && !plan.routeCompatRequests) return undefined;
  // A model or an alias with the same name takes precedence.
  if (model === undefined) return name === routing.name && !isAlias ? routing : undefined;
  return routing.candidates.some(({ modelId }) => modelId === model.modelId) ? routing : undefined;
}
