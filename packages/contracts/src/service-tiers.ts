// Processing tiers that providers charge at another price: the keys of a price's `tierPercent`, and what a record's
// `serviceTier` consists of.

export type TierKind = 'service' | 'speed' | 'region';

interface Tier {
  readonly kind: TierKind;
  /** It may cost more than standard processing. Others are never refused for want of a percentage. */
  readonly dearer: boolean;
  readonly meaning: string;
}

export const SERVICE_TIERS = {
  priority: tier('service', true, 'OpenAI priority and its `fast`, Gemini priority'),
  ultrafast: tier('service', true, 'OpenAI ultrafast'),
  scale: tier('service', true, 'OpenAI scale'),
  flex: tier('service', false, 'OpenAI flex, Gemini flex'),
  batch: tier('service', false, 'Anthropic batch'),
  offpeak: tier('service', false, 'Vertex AI off-peak'),
  provisioned: tier('service', false, 'Vertex AI provisioned throughput'),
  fast: tier('speed', true, 'Anthropic `speed: "fast"`'),
  us: tier('region', true, 'Anthropic `inference_geo: "us"`'),
  other: tier('service', true, 'a tier, speed or region that is not in this list'),
} as const satisfies Readonly<Record<string, Tier>>;

export type ServiceTierName = keyof typeof SERVICE_TIERS;

export const SERVICE_TIER_NAMES = Object.keys(SERVICE_TIERS) as ServiceTierName[];

/** Vendors' words, in lower case. An empty name is standard processing. */
const WORDS: Readonly<Record<TierKind, Readonly<Record<string, ServiceTierName | ''>>>> = {
  service: {
    auto: '',
    default: '',
    standard: '',
    standard_only: '',
    unspecified: '',
    on_demand: '',
    traffic_type_unspecified: '',
    priority: 'priority',
    // OpenAI answers `fast` with `priority`.
    fast: 'priority',
    on_demand_priority: 'priority',
    ultrafast: 'ultrafast',
    scale: 'scale',
    flex: 'flex',
    on_demand_flex: 'flex',
    batch: 'batch',
    on_demand_offpeak: 'offpeak',
    provisioned_throughput: 'provisioned',
  },
  speed: { standard: '', fast: 'fast' },
  region: { global: '', not_available: '', us: 'us' },
};

/** A vendor's words of a request or an answer. Absent: it says nothing. */
export type TierWords = Readonly<Partial<Record<TierKind, string>>>;

/** The tier of a vendor's word; empty: standard processing. */
export function serviceTierOf(kind: TierKind, word: string): ServiceTierName | '' {
  const words = WORDS[kind];
  const name = word.trim().toLowerCase();
  if (name === '') return '';
  return Object.hasOwn(words, name) ? (words[name] ?? '') : 'other';
}

/**
 * The tiers that an answer is billed by, such as `fast, us`: those it reports, else those asked for. Empty: standard
 * processing.
 */
export function billedTiers(asked: string, reported: TierWords = {}): string {
  // `auto` repeats what was asked for, so it says nothing.
  const said = Object.entries(reported).filter(([, word]) => word !== 'auto');
  const names = new Set(
    tierNames(asked).filter((name) => said.every(([kind]) => kind !== kindOf(name))),
  );
  for (const [kind, word] of said as [TierKind, string][]) {
    const name = serviceTierOf(kind, word);
    if (name !== '') names.add(name);
  }
  return tiersText(names);
}

/** Names as a text, each once and in the order of the table; then those that only another release knows. */
export function tiersText(names: Iterable<string>): string {
  const all = new Set(names);
  const others = [...all].filter((name) => !isServiceTier(name)).toSorted();
  return [...SERVICE_TIER_NAMES.filter((name) => all.has(name)), ...others].join(SEPARATOR);
}

export function tierNames(text: string): string[] {
  return text === '' ? [] : text.split(SEPARATOR);
}

/** Whether a text could be the name of a tier, of this release or of another one. */
export function isTierName(name: string): boolean {
  return /^[a-z0-9_]{1,32}$/.test(name);
}

export function isServiceTier(name: string): name is ServiceTierName {
  return Object.hasOwn(SERVICE_TIERS, name);
}

/** Percentages by the names of the table, with at most two decimals. */
export type TierPercent = Readonly<Record<string, number>>;

/** Percentages as decimal texts. */
export function percentToWire(percent: TierPercent = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(percent).map(([name, share]) => [name, String(share)]));
}

/** A RangeError says what is invalid. */
export function percentFromWire(wire: Readonly<Record<string, string>> = {}): {
  tierPercent?: TierPercent;
} {
  const entries = Object.entries(wire);
  if (entries.length === 0) return {};
  return { tierPercent: Object.fromEntries(entries.map(([name, text]) => [name, share(text)])) };
}

function share(text: string): number {
  if (/^\d{1,5}(?:\.\d{1,2})?$/.test(text)) return Number(text);
  throw new RangeError('a percentage has at most two decimals');
}

const SEPARATOR = ', ';

/** Limit of a text with all names. */
export const SERVICE_TIER_CHARACTERS = 128;

function kindOf(name: string): TierKind {
  return isServiceTier(name) ? SERVICE_TIERS[name].kind : 'service';
}

function tier(kind: TierKind, dearer: boolean, meaning: string): Tier {
  return { kind, dearer, meaning };
}
