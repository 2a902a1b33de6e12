// The only table with vendor names. A wire label can stand for several types (provider_a is the
// vendor itself and its cloud-hosted variant); a type name or a real name stands for one.
import type { ProviderType } from './enums';

export const UPSTREAM_FORMATS = ['openai', 'anthropic', 'gemini', 'vllm'] as const;
export type UpstreamFormat = (typeof UPSTREAM_FORMATS)[number];

export const PROVIDER_LABELS = [
  'provider_a',
  'provider_b',
  'provider_c',
  'provider_d',
  'provider_e',
] as const;
export type ProviderLabel = (typeof PROVIDER_LABELS)[number];

export interface Vendor {
  readonly type: ProviderType;
  /** The label in answers and records. */
  readonly label: ProviderLabel;
  /** Real names, accepted on input in any case; the first is the usual one. */
  readonly names: readonly [string, ...string[]];
  /** For people. */
  readonly title: string;
  /** The base URL of the vendor's own service; null: every customer has another one. */
  readonly baseUrl: string | null;
  /** The upstream format; null: chosen for each provider. */
  readonly upstreamFormat: UpstreamFormat | null;
}

export const VENDORS: readonly Vendor[] = [
  {
    type: 'PROVIDER_A',
    label: 'provider_a',
    names: ['openai'],
    title: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    upstreamFormat: 'openai',
  },
  {
    type: 'PROVIDER_B',
    label: 'provider_b',
    names: ['anthropic'],
    title: 'Anthropic',
    baseUrl: 'https://api.anthropic.com',
    upstreamFormat: 'anthropic',
  },
  {
    type: 'PROVIDER_C',
    label: 'provider_c',
    names: ['gemini', 'google'],
    title: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com',
    upstreamFormat: 'gemini',
  },
  {
    type: 'PROVIDER_D',
    label: 'provider_d',
    names: ['vllm'],
    title: 'vLLM',
    baseUrl: null,
    upstreamFormat: 'vllm',
  },
  // The enumeration has no type for the fifth vendor, so its providers are CUSTOM.
  {
    type: 'CUSTOM',
    label: 'provider_e',
    names: ['custom'],
    title: 'Custom',
    baseUrl: null,
    upstreamFormat: null,
  },
  {
    type: 'PROVIDER_F',
    label: 'provider_a',
    names: ['azure'],
    title: 'Azure OpenAI',
    baseUrl: null,
    upstreamFormat: 'openai',
  },
];

/** The spellings served for the path segment `{provider_d}`. */
export const PATH_NAMES = ['provider_d', 'vllm'] as const;

/** The format family of a route, and the provider types it is fixed to (empty: any). */
export const ROUTE_FAMILIES = {
  unified: { providerTypes: [] },
  openai: { providerTypes: ['PROVIDER_A', 'PROVIDER_F'] },
  anthropic: { providerTypes: [] },
  gemini: { providerTypes: [] },
  vllm: { providerTypes: ['PROVIDER_D'] },
} as const satisfies Record<string, { providerTypes: readonly ProviderType[] }>;
export type RouteFamily = keyof typeof ROUTE_FAMILIES;

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
