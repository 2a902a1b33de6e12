// What the vendor's models take of the format, by generation: what one asks for, another refuses.

export interface Generation {
  /** Thinks within a bound in tokens. */
  budgets: boolean;
  /** Decides by itself how long to think, guided by an effort. */
  adapts: boolean;
  /** Where it adapts: whether it knows the effort between high and the most. */
  efforts?: 'no xhigh';
  /**
   * Where it adapts, how it is kept from thinking: it rests unless it is asked to think, or a request
   * says so. Absent: it cannot be kept from it, as far as is known.
   */
  resting?: 'by default' | 'when told';
  /** How many of temperature, top_p and top_k it lets a request set. */
  samplers: 'all' | 'one of temperature and top_p' | 'none';
}

const ONE = 'one of temperature and top_p';

/** The newest that a row is for, as major × 100 + minor; the first that fits counts. */
const GENERATIONS: readonly (Generation & { upTo: number })[] = [
  { upTo: 305, budgets: false, adapts: false, samplers: 'all' },
  { upTo: 400, budgets: true, adapts: false, samplers: 'all' },
  { upTo: 405, budgets: true, adapts: false, samplers: ONE },
  {
    upTo: 406,
    budgets: true,
    adapts: true,
    resting: 'by default',
    efforts: 'no xhigh',
    samplers: ONE,
  },
  { upTo: 499, budgets: false, adapts: true, resting: 'by default', samplers: 'none' },
];
const NEWEST: Generation = { budgets: false, adapts: true, resting: 'when told', samplers: 'none' };

/** A name without a version says nothing about resting. */
const UNVERSIONED: Generation = { budgets: false, adapts: true, samplers: 'none' };

/** Models of others, behind servers that only speak the format. */
const FOREIGN: Generation = {
  budgets: true,
  adapts: true,
  resting: 'when told',
  samplers: 'all',
};

/** `claude-3-7-sonnet-20250219` and `claude-opus-4-5` alike; a date is not a version. */
const VERSION = /claude-(?:[a-z]+-)?(\d)(?:[-.](\d{1,2}))?(?!\d)/;

export function generationOf(model: string): Generation {
  const name = model.toLowerCase();
  if (!name.includes('claude')) return FOREIGN;
  const found = VERSION.exec(name);
  if (found === null) return UNVERSIONED;
  const version = Number(found[1]) * 100 + Number(found[2] ?? 0);
  return GENERATIONS.find(({ upTo }) => version <= upTo) ?? NEWEST;
}

/** The first version that takes instructions among the turns, and the one after it that may not. */
const SYSTEM_TURNS_FROM = 408;
const WITHOUT_SYSTEM_TURNS = /claude-sonnet-5(?![-.]\d{1,2}(?!\d))/;

/** A model that is not known for it is taken for one that refuses them. */
export function takesSystemTurns(model: string): boolean {
  const name = model.toLowerCase();
  const found = VERSION.exec(name);
  if (found === null || WITHOUT_SYSTEM_TURNS.test(name)) return false;
  return Number(found[1]) * 100 + Number(found[2] ?? 0) >= SYSTEM_TURNS_FROM;
}
