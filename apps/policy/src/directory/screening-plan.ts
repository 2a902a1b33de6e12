import { isOneOf, SCREENING_SCOPES, type ScreeningScope } from '@tollgate/contracts';
import type {
  ScreeningEntry__Output,
  ScreeningRef,
  ScreeningServicePlace__Output,
} from '@tollgate/contracts/node';

/** A screening policy of an organisation, prepared for many decisions. */
export interface PlannedScreening {
  readonly ref: ScreeningRef;
  /** It is attached to a scope that this release does not know, so it applies to every request. */
  readonly always: boolean;
  /** Ids of what it is attached to. */
  readonly attached: Readonly<Record<ScreeningScope, ReadonlySet<string>>>;
  /** Services that get the texts of requests. */
  readonly services: readonly ScreeningServicePlace__Output[];
}

export function plannedScreening({
  policyId,
  version,
  attachedTo,
  services,
}: ScreeningEntry__Output): PlannedScreening {
  const attached = {
    ORGANISATION: new Set<string>(),
    TEAM: new Set<string>(),
    API_KEY: new Set<string>(),
    MODEL: new Set<string>(),
    MCP_SERVER: new Set<string>(),
  };
  let always = false;
  for (const { scopeType, scopeId } of attachedTo) {
    if (isOneOf(SCREENING_SCOPES, scopeType)) attached[scopeType].add(scopeId);
    else always = true;
  }
  return { ref: { policyId, version }, always, attached, services };
}
