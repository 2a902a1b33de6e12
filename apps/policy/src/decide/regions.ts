// Where a request may be processed: docs/residency.md. Unknown is not inside.
import { isRegionAllowed, regionsAllowedBy, type RegionRule } from '@tollgate/contracts';
import type { ScreeningServicePlace__Output } from '@tollgate/contracts/node';

import type {
  KeyPlan,
  McpServerPlan,
  ModelPlan,
  PassthroughPlan,
  PlannedScreening,
} from '../directory';
import type { Ask, Passed, Refusal } from './ask';
import type { Issuer, StoredItems } from './owner';
import { applies } from './screening';

/** The connection that has what the request continues or refers to, else the provider's current one. */
export function connectionFor(
  { entry }: ModelPlan,
  issuer: Issuer | undefined,
  items: StoredItems | undefined,
): number {
  if (issuer !== undefined) return issuer.connectionVersion;
  const [first, ...others] = items?.issuers ?? [];
  if (first === undefined) return entry.connectionVersion;
  return Math.max(first.connectionVersion, ...others.map((one) => one.connectionVersion));
}

/** Of a version of the provider's connection. Empty: unknown, also for versions newer than the catalog has reported. */
export function regionAt({ entry }: Pick<ModelPlan, 'entry'>, connectionVersion: number): string {
  const { connectionVersion: newest, region, regionFromVersion } = entry;
  return connectionVersion >= regionFromVersion && connectionVersion <= newest ? region : '';
}

/** Whether a new request of the key to the model could be processed in allowed regions only. */
export function regionServes(
  plan: KeyPlan,
  model: ModelPlan,
  alongside?: Ask['alongside'],
): boolean {
  return (
    isRegionAllowed(model.regions, regionAt(model, model.entry.connectionVersion)) &&
    serviceOutside({ alongside }, plan, model) === undefined
  );
}

export function regionFits(
  { issuer, items }: Pick<Ask, 'issuer' | 'items'>,
  plan: KeyPlan,
  model: ModelPlan,
): Refusal | Passed {
  const region = regionAt(model, connectionFor(model, issuer, items));
  if (isRegionAllowed(model.regions, region)) return undefined;
  const { name, entry } = model;
  const rules = [...plan.regionRules, { scopeType: 'MODEL', regions: entry.allowedRegions }];
  return regionRefusal(`The provider of the model "${name}"`, region, rules, { model: name });
}

/** Whether the services that screen a request may have its texts. */
export function screeningRegionFits(
  ask: Screened,
  plan: KeyPlan,
  model: ModelPlan,
): Refusal | Passed {
  const service = serviceOutside(ask, plan, model);
  if (service === undefined) return undefined;
  const rules = [...plan.regionRules, { scopeType: 'MODEL', regions: model.entry.allowedRegions }];
  return serviceRefusal(service, rules, { model: model.name });
}

/** What of a request says which policies screen it. */
type Screened = Partial<Pick<Ask, 'alongside' | 'issuer' | 'request'>>;

// The same policies as those that an allow names: of one of several candidates whichever of them answers, of the
// model that made a stored object, and of a shadow those of its client.
function serviceOutside(
  { alongside, issuer, request }: Screened,
  { client, organisation, subject }: Pick<KeyPlan, 'client' | 'organisation' | 'subject'>,
  model: ModelPlan,
): ScreeningServicePlace__Output | undefined {
  const { regions } = model;
  if (regions === undefined) return undefined;
  const stored = request === undefined || request.storedId === '' ? undefined : issuer;
  return outside(regions, organisation.screening, (policy) =>
    applies(policy, client ?? subject, alongside ?? [model], stored),
  );
}

function outside(
  regions: readonly string[],
  policies: readonly PlannedScreening[],
  screens: (policy: PlannedScreening) => boolean,
): ScreeningServicePlace__Output | undefined {
  for (const policy of policies) {
    const found = policy.services.find(({ region }) => !isRegionAllowed(regions, region));
    if (found !== undefined && screens(policy)) return found;
  }
  return undefined;
}

function serviceRefusal(
  { identifier, region }: ScreeningServicePlace__Output,
  rules: readonly RegionRule[],
  named: Readonly<Record<string, string>>,
): Refusal {
  const what = `The screening service "${identifier}", which would get the texts,`;
  return regionRefusal(what, region, rules, { ...named, screeningService: identifier });
}

export function mcpRegionFits(
  { organisation, regionRules, subject }: Pick<KeyPlan, 'organisation' | 'regionRules' | 'subject'>,
  { entry }: McpServerPlan,
): Refusal | Passed {
  const { identifier, region, serverId } = entry;
  const regions = regionsAllowedBy(regionRules);
  if (regions === undefined) return undefined;
  const named = { server: identifier };
  if (!isRegionAllowed(regions, region)) {
    return regionRefusal(`The MCP server "${identifier}"`, region, regionRules, named);
  }
  const service = outside(regions, organisation.screening, (policy) =>
    applies(policy, subject, [], undefined, serverId),
  );
  return service && serviceRefusal(service, regionRules, named);
}

export function passthroughRegionFits(
  { regionRules }: Pick<KeyPlan, 'regionRules'>,
  { entry }: PassthroughPlan,
): Refusal | Passed {
  const { name, region } = entry;
  if (isRegionAllowed(regionsAllowedBy(regionRules), region)) return undefined;
  return regionRefusal(`The provider "${name}"`, region, regionRules, { provider: name });
}

function regionRefusal(
  what: string,
  region: string,
  rules: readonly RegionRule[],
  named: Readonly<Record<string, string>>,
): Refusal {
  const set = rules.filter(({ regions }) => regions.length > 0);
  const allowed = regionsAllowedBy(set) ?? [];
  const place = region === '' ? 'has no region' : `is in the region ${region}`;
  return {
    code: 'region_not_allowed',
    message: `${what} ${place}. ${allowedSentence(allowed, set)} Nothing was sent.`,
    details: { ...named, region: region || null, ...regionDetails(set) },
  };
}

/** What the request may use, for people. */
export function allowedSentence(allowed: readonly string[], rules: readonly RegionRule[]): string {
  if (allowed.length > 0) return `This request may use only ${allowed.join(', ')}.`;
  const each = rules.map(({ scopeType, regions }) => `${scopeType}: ${regions.join(', ')}`);
  return `No region is allowed by all of ${each.join('; ')}.`;
}

/** What the request may use, for programs. `allowedRegions` is null without a rule: only models restrict. */
export function regionDetails(rules: readonly RegionRule[]) {
  const set = rules.filter(({ regions }) => regions.length > 0);
  return {
    allowedRegions: regionsAllowedBy(set) ?? null,
    regionRules: set.map(({ scopeType, regions }) => ({ scopeType, regions: [...regions] })),
  };
}
