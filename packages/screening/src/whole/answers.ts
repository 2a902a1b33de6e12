import type { SchemaMatcher } from './json-schema';

/** One choice of an answer. */
export interface AnswerText {
  readonly text: string;
  /** It calls tools, so it is not the answer yet. */
  readonly calls: boolean;
  /** Its output bound ended it. */
  readonly cut: boolean;
}

export type AnswerVerdict =
  'MATCHES' | 'UNDECIDED' | { readonly path: string | undefined; readonly words: string };

/** The verdict about the first choice that does not match. An answer without a choice does not either. */
export function judgeAnswer(match: SchemaMatcher, choices: readonly AnswerText[]): AnswerVerdict {
  if (choices.length === 0) return { path: undefined, words: 'it has no text' };
  let undecided = false;
  for (const { calls, cut, text } of choices) {
    if (calls) continue;
    if (cut) return { path: undefined, words: 'it was cut off at its output limit' };
    const verdict = match(text);
    if (verdict === 'UNDECIDED') undecided = true;
    else if (verdict !== 'MATCHES') return { ...verdict, words: wordsOf(verdict.path) };
  }
  return undecided ? 'UNDECIDED' : 'MATCHES';
}

function wordsOf(path: string | undefined): string {
  if (path === undefined) return 'it is not JSON';
  return path === '' ? 'it does not match the schema' : `${path} does not match the schema`;
}
