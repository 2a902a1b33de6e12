// Regions of connections, and where requests may be processed. A region is a name that the organisation
// chooses. A connection without one is in no region, so it is outside of every set: unknown is not inside.
import { z } from 'zod';

/** Most regions that one organisation, team, key or model may allow. */
export const MOST_REGIONS = 16;
export const REGION_CHARACTERS = 32;

/** What stands in a record in place of names of regions. */
export const UNKNOWN_REGION = 'unknown';
export const NO_REGION = 'none';
/** What a filter calls records without an entry; no record has it. */
export const NOT_RECORDED = 'not-recorded';
const RESERVED: readonly string[] = [UNKNOWN_REGION, NO_REGION, NOT_RECORDED];

/** The longest text of a record's regions: those of 64 attempts at most. */
export const REGIONS_CHARACTERS = 64 * (REGION_CHARACTERS + 2);

export const regionWord = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/,
    `lower-case letters, digits and inner hyphens only, at most ${String(REGION_CHARACTERS)}`,
  );

export const regionName = regionWord
  .refine((name) => !RESERVED.includes(name), `${RESERVED.join(', ')} are reserved`)
  .meta({ description: 'A region, by a name that the organisation chooses, such as `eu`.' });

/** A set of regions; an empty one allows any, and connections without a region too. */
export const regionSet = z
  .array(regionName)
  .max(MOST_REGIONS)
  .refine((names) => new Set(names).size === names.length, 'each region once');

/** The allowed regions of a scope, as far as it has any. */
export interface RegionRule {
  /** ORGANISATION, TEAM, API_KEY, MODEL */
  readonly scopeType: string;
  readonly regions: readonly string[];
}

/** What all rules allow, sorted. Undefined: no rule is set, so every connection is allowed. */
export function regionsAllowedBy(rules: readonly RegionRule[]): readonly string[] | undefined {
  const [first, ...others] = rules.filter(({ regions }) => regions.length > 0);
  if (first === undefined) return undefined;
  return first.regions
    .filter((name) => others.every(({ regions }) => regions.includes(name)))
    .toSorted();
}

/** `region` is empty where it is unknown. */
export function isRegionAllowed(allowed: readonly string[] | undefined, region: string): boolean {
  return allowed === undefined || (region !== '' && allowed.includes(region));
}

/** A record's text for the regions of its attempts; an empty one is unknown. */
export function regionsText(regions: readonly string[]): string {
  if (regions.length === 0) return NO_REGION;
  const distinct = new Set(regions.map((region) => region || UNKNOWN_REGION));
  return [...distinct].toSorted().join(', ');
}
