// Asks services about texts of an answer, and edits these by the verdicts.

import {
  decodedText,
  type AnswerKind,
  type ExternalRule,
  type Hit,
  type Screening,
} from '@tollgate/screening';

import type { Checks, TextToCheck } from '../exchange/screening';
import { throwIfBlocked } from './refusal';

export interface Asks {
  readonly checks: Checks;
  readonly screening: Screening;
  readonly rules: readonly ExternalRule[];
}

export interface GivenText {
  readonly kind: AnswerKind;
  readonly pieces: readonly string[];
}

/**
 * Asks about all texts at once; one that is repeated is asked about once.
 * @throws GatewayError `content_blocked`, `dependency_unavailable`
 */
export async function editedTexts(
  { checks, rules, screening }: Asks,
  texts: readonly GivenText[],
): Promise<readonly (readonly string[])[]> {
  const asked: TextToCheck[] = [];
  const byText = new Map<string, number>();
  const places = texts.map(({ kind: { json, place }, pieces }) => {
    const text = decodedText(pieces.join(''), json);
    const key = `${place} ${text}`;
    const at = byText.get(key) ?? asked.push(toCheck(place, text)) - 1;
    byText.set(key, at);
    return at;
  });
  const found = await checks.run(rules, asked);
  const counted = new Set<number>();
  const edited = texts.map(({ kind: { json, place }, pieces }, of) => {
    const at = places[of] ?? -1;
    const repeats = counted.has(at);
    counted.add(at);
    return screening.edit({ place, json, repeats, pieces }, found[at] ?? NO_HITS);
  });
  throwIfBlocked(screening);
  return edited;
}

const NO_HITS: readonly Hit[] = [];

function toCheck(place: AnswerKind['place'], text: string): TextToCheck {
  return { place, role: 'assistant', text, reads: ({ rule }) => rule.where.includes(place) };
}
