// The differences between the vendor's models. A difference is a column, a generation a row.

export interface Generation {
  /** How thinking is controlled: by a token budget, by a level, or not at all. */
  thinking: 'budget' | 'level' | 'none';
  /** Refuses a function call in the conversation without its signature. */
  signedCalls: boolean;
  /** Accepts images inside a function result. */
  mediaResults: boolean;
  /** Has a mode that enforces the schemas of function calls without forcing a call. */
  validatedCalls: boolean;
  /** When the search tool of newer models is used: never, unless JSON is requested, or always. */
  searches: 'never' | 'in text' | 'always';
}

const BEFORE_THINKING: Generation = {
  thinking: 'none',
  signedCalls: false,
  mediaResults: false,
  validatedCalls: false,
  searches: 'in text',
};
const WITHOUT_SEARCH: Generation = { ...BEFORE_THINKING, searches: 'never' };
const BUDGETED: Generation = { ...BEFORE_THINKING, thinking: 'budget', validatedCalls: true };
const NEWEST: Generation = {
  thinking: 'level',
  signedCalls: true,
  mediaResults: true,
  validatedCalls: true,
  searches: 'always',
};

/** The newest version of a row, as major × 100 + minor; the first match counts. */
const GENERATIONS: readonly { upTo: number; generation: Generation }[] = [
  { upTo: 199, generation: WITHOUT_SEARCH },
  { upTo: 204, generation: BEFORE_THINKING },
  { upTo: 299, generation: BUDGETED },
];

const VERSION = /gemini-(\d{1,2})(?:[.-](\d{1,2}))?(?!\d)/;
const OPEN_WEIGHTS = /(?:^|\/)gemma/;

/** A name without a version counts as the newest. */
export function generationOf(model: string): Generation {
  const name = model.toLowerCase();
  if (OPEN_WEIGHTS.test(name)) return WITHOUT_SEARCH;
  const found = VERSION.exec(name);
  const version = found ? Number(found[1]) * 100 + Number(found[2] ?? 0) : Infinity;
  return GENERATIONS.find(({ upTo }) => version <= upTo)?.generation ?? NEWEST;
}

/** The vendor's largest models always think. */
export function alwaysThinks(model: string): boolean {
  return /(?:^|-)pro(?:-|$)/.test(model.toLowerCase());
}
