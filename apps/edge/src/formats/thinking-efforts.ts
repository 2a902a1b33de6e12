// How much a model thinks before it answers: an effort, a level or a token budget, depending on the
// format. All codecs convert by this table, which docs/thinking.md repeats.

/** In ascending order. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

export interface ThinkingEffort {
  effort: Effort;
  /** The budget that the effort maps to. */
  tokens: number;
  /** The smallest budget that maps to the effort. */
  fromTokens: number;
  /** `output_config.effort` of the messages format; absent: it has none. */
  messages?: string;
  /** `thinkingLevel` of the Gemini format. */
  gemini: 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH';
}

export const THINKING_EFFORTS: readonly ThinkingEffort[] = [
  { effort: 'none', tokens: 0, fromTokens: 0, gemini: 'MINIMAL' },
  { effort: 'minimal', tokens: 512, fromTokens: 1, messages: 'low', gemini: 'MINIMAL' },
  { effort: 'low', tokens: 2_048, fromTokens: 1_024, messages: 'low', gemini: 'LOW' },
  { effort: 'medium', tokens: 8_192, fromTokens: 4_096, messages: 'medium', gemini: 'MEDIUM' },
  { effort: 'high', tokens: 16_384, fromTokens: 12_288, messages: 'high', gemini: 'HIGH' },
  { effort: 'xhigh', tokens: 24_576, fromTokens: 20_480, messages: 'xhigh', gemini: 'HIGH' },
  { effort: 'max', tokens: 32_768, fromTokens: 28_672, messages: 'max', gemini: 'HIGH' },
];

/** A budget that lets the model decide. */
export const MODEL_DECIDES = -1;

/** Replaces `MODEL_DECIDES` for models that need an amount. */
export const MIDDLE_EFFORT: Effort = 'medium';

const BY_EFFORT = new Map<string, ThinkingEffort>(
  THINKING_EFFORTS.map((row) => [row.effort, row] as const),
);

/** Undefined for a word that is not in the table. */
export function thinkingEffort(word: string | undefined): ThinkingEffort | undefined {
  return word === undefined ? undefined : BY_EFFORT.get(word);
}

/** The effort of a budget; the budget must not be `MODEL_DECIDES`. */
export function effortOf(tokens: number): Effort {
  return THINKING_EFFORTS.findLast(({ fromTokens }) => fromTokens <= tokens)?.effort ?? 'none';
}

export function tokensOf(effort: Effort): number {
  return BY_EFFORT.get(effort)?.tokens ?? 0;
}

/**
 * The highest accepted value that is not above the requested one, else the lowest. Both lists are in
 * ascending order.
 */
export function nearestOf<T>(order: readonly T[], asked: T, accepted: readonly T[]): T | undefined {
  const at = order.indexOf(asked);
  return accepted.findLast((value) => order.indexOf(value) <= at) ?? accepted[0];
}
