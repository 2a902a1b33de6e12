// Where the vendor's models differ in what they take. A difference is a column, a generation a row.

export interface Generation {
  /** How it is told how much to think: by a bound in tokens, by a level, or not at all. */
  thinking: 'budget' | 'level' | 'none';
  /** Refuses a replayed call of a function that does not bear the signature it was made with. */
  signedCalls: boolean;
  /** Takes pictures inside the result of a function. */
  mediaResults: boolean;
  /** Has a mode that holds calls of functions to their schema without forcing one. */
  validatedCalls: boolean;
  /** Searches the web by the tool of newer models: never, unless JSON is asked for, or always. */
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

/** The newest version that a row is for, as major × 100 + minor; the first that fits counts. */
const GENERATIONS: readonly { upTo: number; generation: Generation }[] = [
  { upTo: 199, generation: WITHOUT_SEARCH },
  { upTo: 204, generation: BEFORE_THINKING },
  { upTo: 299, generation: BUDGETED },
];

const VERSION = /gemini-(\d{1,2})(?:[.-](\d{1,2}))?(?!\d)/;
const OPEN_WEIGHTS = /(?:^|\/)gemma/;

/** A name without a version is taken for the newest. */
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
