// What each generation of the vendor's models accepts: one refuses what another requires.

export interface Generation {
  /** Accepts a thinking budget in tokens. */
  budgets: boolean;
  /** Adaptive thinking: the model decides how long to think, guided by an effort. */
  adapts: boolean;
  /** With adaptive thinking: whether it knows the effort between high and max. */
  efforts?: 'no xhigh';
  /**
   * With adaptive thinking: how it is turned off, by default or by the request. Absent: no known
   * way.
   */
  thinkingOff?: 'by default' | 'when told';
  /** How many of temperature, top_p and top_k a request may set. */
  samplers: 'all' | 'one of temperature and top_p' | 'none';
}

const ONE = 'one of temperature and top_p';

/** The newest version of a row, as major × 100 + minor; the first match counts. */
const GENERATIONS: readonly (Generation & { upTo: number })[] = [
  { upTo: 305, budgets: false, adapts: false, samplers: 'all' },
  { upTo: 400, budgets: true, adapts: false, samplers: 'all' },
  { upTo: 405, budgets: true, adapts: false, samplers: ONE },
  {
    upTo: 406,
    budgets: true,
    adapts: true,
    thinkingOff: 'by default',
    efforts: 'no xhigh',
    samplers: ONE,
  },
  { upTo: 499, budgets: false, adapts: true, thinkingOff: 'by default', samplers: 'none' },
];
const NEWEST: Generation = {
  budgets: false,
  adapts: true,
  thinkingOff: 'when told',
  samplers: 'none',
};

/** A name without a version does not tell whether thinking is off by default. */
const UNVERSIONED: Generation = { budgets: false, adapts: true, samplers: 'none' };

/** Models of other vendors, behind compatible servers. */
const FOREIGN: Generation = {
  budgets: true,
  adapts: true,
  thinkingOff: 'when told',
  samplers: 'all',
};

/** Matches `claude-3-7-sonnet-20250219` and `claude-opus-4-5`; a date is not a version. */
const VERSION = /claude-(?:[a-z]+-)?(\d)(?:[-.](\d{1,2}))?(?!\d)/;

export function generationOf(model: string): Generation {
  const name = model.toLowerCase();
  if (!name.includes('claude')) return FOREIGN;
  const found = VERSION.exec(name);
  if (found === null) return UNVERSIONED;
  const version = Number(found[1]) * 100 + Number(found[2] ?? 0);
  return GENERATIONS.find(({ upTo }) => version <= upTo) ?? NEWEST;
}

/**
 * The first version that accepts system messages between turns, and the first later one that may
 * not.
 */
const SYSTEM_TURNS_FROM = 408;
const WITHOUT_SYSTEM_TURNS = /claude-sonnet-5(?![-.]\d{1,2}(?!\d))/;

/** An unknown model is assumed to refuse them. */
export function takesSystemTurns(model: string): boolean {
  const name = model.toLowerCase();
  const found = VERSION.exec(name);
  if (found === null || WITHOUT_SYSTEM_TURNS.test(name)) return false;
  return Number(found[1]) * 100 + Number(found[2] ?? 0) >= SYSTEM_TURNS_FROM;
}
