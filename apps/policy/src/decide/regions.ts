// Where a request may be processed: docs/residency.md. Unknown is not inside.
import { isRegionAllowed, regionsAllowedBy, type RegionRule } from '@tollgate/contracts';

import type { KeyPlan, McpServerPlan, ModelPlan, PassthroughPlan } from '../directory';
import type { Ask, Passed, Refusal } from './ask';
import type { Issuer, StoredItems } from './owner';

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

/** Whether a new request of the key to the model could be processed in an allowed region. */
export function regionServes(model: ModelPlan): boolean {
  return isRegionAllowed(model.regions, regionAt(model, model.entry.connectionVersion));
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

export function mcpRegionFits(
  { regionRules }: Pick<KeyPlan, 'regionRules'>,
  { entry }: McpServerPlan,
): Refusal | Passed {
  const { identifier, region } = entry;
  if (isRegionAllowed(regionsAllowedBy(regionRules), region)) return undefined;
  return regionRefusal(`The MCP server "${identifier}"`, region, regionRules, {
    server: identifier,
  });
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
