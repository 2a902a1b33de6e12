import { operationServes } from '@tollgate/contracts';
import type { GrantedModel } from '@tollgate/contracts/node';

import { regionServes } from '../decide';
import { familiesOf, isPastSunset, modelNamed, type KeyPlan } from '../directory';

/**
 * A key's routing policy as a model that its requests may name, for model lists. Undefined where a
 * request naming it would not be routed: there is no policy, it applies only to the gateway's own
 * route, a model has its name, or no candidate can chat for this key.
 */
export function listedPolicy(plan: KeyPlan, nowMs: number): GrantedModel | undefined {
  const { routing, routeCompatRequests, subject } = plan;
  if (routing === undefined || !routeCompatRequests) return undefined;
  if (modelNamed(plan, routing.name) !== undefined) return undefined;
  if (plan.organisation.aliases.has(routing.name)) return undefined;
  const models = routing.candidates.flatMap(({ model }) =>
    model?.granted === true &&
    regionServes(plan, model, routing.candidates) &&
    !isPastSunset(model.retirement, nowMs) &&
    operationServes('chat', model.type)
      ? [model]
      : [],
  );
  const entries = models.map(({ entry }) => entry);
  if (entries.length === 0) return undefined;
  const most = (of: (entry: (typeof entries)[number]) => number): number =>
    Math.max(...entries.map(of));
  const labels = new Set(entries.map(({ providerLabel }) => providerLabel));
  const [label = ''] = labels;
  return {
    id: routing.policyId,
    name: routing.name,
    type: 'chat',
    // With several labels, the organisation is named as the provider.
    provider: labels.size === 1 ? label : subject.organisationSlug,
    // Requests beyond every candidate are refused; others go to a candidate that fits.
    contextTokens: most(({ contextTokens }) => contextTokens),
    createdAtMs: Math.min(...entries.map(({ createdAtMs }) => createdAtMs)),
    defaultMaxOutputTokens: most(({ defaultMaxOutputTokens }) => defaultMaxOutputTokens),
    displayName: routing.name,
    inputTokenLimit: most(({ contextTokens }) => contextTokens),
    outputTokenLimit: most((entry) => entry.maxOutputTokens || entry.defaultMaxOutputTokens),
    families: familiesOf(plan, models),
  };
}
