import type { AnswerKind, Piece, Screening } from '@tollgate/screening';

import type { AnsweredExchange } from '../exchange/exchange';
import { parseJson } from '../formats/json';
import { dropTokens } from './drop-tokens';
import { visitTexts } from './leaves';
import { isJsonText, placeOf } from './places';
import { JSON_TYPE, TEXT_TYPE, WITHOUT_TEXT } from './readable';
import { blockedError } from './refusal';

/**
 * Screens a whole answer, and puts texts back that were masked in the request.
 * @throws GatewayError `content_blocked`
 */
export function screenAnswer(
  { route, screening }: Pick<AnsweredExchange, 'route' | 'screening'>,
  payload: Buffer | string,
  contentType: string,
): Buffer | string {
  if (!screening?.readsAnswer() || WITHOUT_TEXT.has(route.operation)) return payload;
  const screened = JSON_TYPE.test(contentType)
    ? screenDocument(screening, payload)
    : screenText(screening, payload, contentType);
  const blocked = screening.blocked();
  if (blocked) throw blockedError(blocked);
  return screened;
}

function screenDocument(screening: Screening, payload: Buffer | string): Buffer | string {
  let document: unknown;
  try {
    document = parseJson(payload.toString());
  } catch {
    screening.unreadable('OUTPUT');
    return payload;
  }
  const changes: (() => void)[] = [];
  visitTexts(document, [], ({ path, set, text }) => {
    const piece = whole(screening, { place: placeOf(path), json: isJsonText(path) }, text);
    const { edited = text } = piece;
    if (edited !== text) changes.push(() => set(edited));
  });
  if (changes.length === 0) return payload;
  for (const change of changes) change();
  dropTokens(document);
  return JSON.stringify(document);
}

function screenText(
  screening: Screening,
  payload: Buffer | string,
  contentType: string,
): Buffer | string {
  if (!TEXT_TYPE.test(contentType)) return payload;
  const text = payload.toString();
  const { edited = text } = whole(screening, { place: 'OUTPUT', json: false }, text);
  return edited === text ? payload : edited;
}

/** A text without a continuation. */
export function whole(screening: Screening, kind: AnswerKind, text: string): Piece {
  const channel = screening.answer(kind);
  const piece = channel.push(text);
  channel.flush();
  return piece;
}
