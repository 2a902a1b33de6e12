import type { ScreeningRef, Subject__Output } from '@tollgate/contracts/node';

import type { PlannedScreening } from '../directory';

interface WithModel {
  readonly modelId: string;
}

// Shared, so that requests of organisations without policies allocate nothing.
const NONE: ScreeningRef[] = [];

/**
 * The screening policies that apply to a request, in the order of `policies`. A policy that is
 * attached to one of several candidates applies whichever of them answers. `stored`: what made the
 * stored object that the request reads or changes. `mcpServerId`: of a message to an MCP server. The
 * result must not be changed.
 */
export function screeningOf(
  policies: readonly PlannedScreening[],
  subject: Subject__Output,
  candidates: readonly WithModel[],
  stored?: WithModel,
  mcpServerId?: string,
): ScreeningRef[] {
  if (policies.length === 0) return NONE;
  const refs: ScreeningRef[] = [];
  for (const policy of policies) {
    if (applies(policy, subject, candidates, stored, mcpServerId)) refs.push(policy.ref);
  }
  return refs;
}

/** Whether a policy applies to a request; as for `screeningOf`. */
export function applies(
  { always, attached }: PlannedScreening,
  { organisationId, teamId, apiKeyId }: Subject__Output,
  candidates: readonly WithModel[],
  stored?: WithModel,
  mcpServerId?: string,
): boolean {
  return (
    always ||
    attached.ORGANISATION.has(organisationId) ||
    attached.TEAM.has(teamId) ||
    attached.API_KEY.has(apiKeyId) ||
    candidates.some(({ modelId }) => attached.MODEL.has(modelId)) ||
    (stored !== undefined && attached.MODEL.has(stored.modelId)) ||
    (mcpServerId !== undefined && attached.MCP_SERVER.has(mcpServerId))
  );
}
