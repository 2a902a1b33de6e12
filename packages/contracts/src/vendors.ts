// Vendors by the words that clients use for them. A wire label can stand for several types (provider_a is
// the vendor itself and its cloud-hosted variant); a type name or a real name stands for one.
import type { ProviderType } from './enums';
import { PROVIDER_TYPE_ROWS, type ProviderTypeRow } from './provider-types';

export interface Vendor extends ProviderTypeRow {
  readonly type: ProviderType;
}

export const VENDORS: readonly Vendor[] = Object.entries(PROVIDER_TYPE_ROWS).map(([type, row]) => ({
  ...row,
  type: type as ProviderType,
}));

/** The spellings served for the path segment `{provider_d}`. */
export const PATH_NAMES = ['provider_d', 'vllm'] as const;

/** The format family of a route, and the provider types it is fixed to (empty: any). */
export const ROUTE_FAMILIES = {
  unified: { providerTypes: [] },
  openai: { providerTypes: typesFixedTo('openai') },
  anthropic: { providerTypes: [] },
  gemini: { providerTypes: [] },
  vllm: { providerTypes: typesFixedTo('vllm') },
} satisfies Record<string, { readonly providerTypes: readonly ProviderType[] }>;
export type RouteFamily = keyof typeof ROUTE_FAMILIES;

function typesFixedTo(family: Vendor['fixedFamily']): readonly ProviderType[] {
  return VENDORS.filter(({ fixedFamily }) => fixedFamily === family).map(({ type }) => type);
}

export function isRouteFamily(name: string): name is RouteFamily {
  return Object.hasOwn(ROUTE_FAMILIES, name);
}

/**
 * Whether a family's routes may use providers of a type; if not: 400 `provider_mismatch`.
 * `openCompatRoutes` opens the fixed families to every provider that supports the operation.
 */
export function familyServes(
  family: RouteFamily,
  type: ProviderType,
  openCompatRoutes: boolean,
): boolean {
  return openCompatRoutes || familyOwns(family, type);
}

/** Whether a family's routes may use providers of a type whatever the organisation's setting. */
export function familyOwns(family: RouteFamily, type: ProviderType): boolean {
  const fixed: readonly ProviderType[] = ROUTE_FAMILIES[family].providerTypes;
  return fixed.length === 0 || fixed.includes(type);
}

/** Whether a family is fixed to provider types while `openCompatRoutes` is off. */
export function isFixedFamily(family: RouteFamily): boolean {
  return ROUTE_FAMILIES[family].providerTypes.length > 0;
}

const byType = new Map(VENDORS.map((vendor) => [vendor.type, vendor]));

export function vendorByType(type: ProviderType): Vendor {
  const vendor = byType.get(type);
  if (vendor === undefined) throw new RangeError(`no vendor has the type ${type}`);
  return vendor;
}

/** The vendor of a wire label, type name or real name; of several, the first. */
export function vendorByName(name: string): Vendor | undefined {
  return vendorsNamed(name)[0];
}

/**
 * Whether a client's pin allows providers of a type: `provider_a` allows A and F, `azure` only F.
 */
export function pinMatches(pin: string, type: ProviderType): boolean {
  return vendorsNamed(pin).some((vendor) => vendor.type === type);
}

const named = new Map<string, readonly Vendor[]>();
for (const vendor of VENDORS) {
  named.set(vendor.label, [...(named.get(vendor.label) ?? []), vendor]);
  for (const name of [vendor.type, ...vendor.names]) named.set(name, [vendor]);
}

// Labels and type names differ only in case, so they are matched exactly before real names.
function vendorsNamed(name: string): readonly Vendor[] {
  return named.get(name) ?? named.get(name.toLowerCase()) ?? [];
}
