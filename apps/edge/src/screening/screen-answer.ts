import type { AnswerKind, Piece, Screening } from '@tollgate/screening';

import type { AnsweredExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { parseJson } from '../formats/json';
import { dropTokens } from './drop-tokens';
import { visitTexts, type Leaf } from './leaves';
import { isJsonText, placeOf } from './places';
import { JSON_TYPE, TEXT_TYPE, WITHOUT_TEXT } from './readable';
import { throwIfBlocked } from './refusal';
import { createTurns, screenAnswerText } from './screen-texts';

/** A shorter answer is screened at once: it takes about a millisecond for each pattern. */
const SHORT_CHARACTERS = 16 * 1024;

/**
 * Screens a whole answer, and puts texts back that were masked in the request. A long one gives other requests
 * their turn, and is a promise.
 * @throws GatewayError `content_blocked`, also by the promise
 */
export function screenAnswer(
  gateway: Pick<Gateway, 'nowMs'>,
  { route, screening }: Pick<AnsweredExchange, 'route' | 'screening'>,
  payload: Buffer | string,
  contentType: string,
): Buffer | string | Promise<Buffer | string> {
  if (!screening?.readsAnswer() || WITHOUT_TEXT.has(route.operation)) return payload;
  const answer = JSON_TYPE.test(contentType)
    ? documentOf(screening, payload)
    : textOf(payload, contentType);
  if (answer.texts.length > 0 && payload.length > SHORT_CHARACTERS) {
    return screenLong(gateway, screening, answer);
  }
  const passed = answer.texts.map(({ kind, text }) => whole(screening, kind, text).edited ?? text);
  throwIfBlocked(screening);
  return answer.written(passed);
}

async function screenLong(
  gateway: Pick<Gateway, 'nowMs'>,
  screening: Screening,
  { texts, written }: AnswerTexts,
): Promise<Buffer | string> {
  const passed: string[] = [];
  const takeTurns = createTurns(gateway);
  for (const { kind, text } of texts) {
    passed.push(await screenAnswerText(screening, kind, text, takeTurns));
    throwIfBlocked(screening);
  }
  return written(passed);
}

interface AnswerTexts {
  readonly texts: readonly { readonly kind: AnswerKind; readonly text: string }[];
  /** The answer with its texts as they go on. */
  readonly written: (passed: readonly string[]) => Buffer | string;
}

function documentOf(screening: Screening, payload: Buffer | string): AnswerTexts {
  let document: unknown;
  try {
    document = parseJson(payload.toString());
  } catch {
    screening.unreadable('OUTPUT');
    return { texts: [], written: () => payload };
  }
  const leaves: Leaf[] = [];
  visitTexts(document, [], (leaf) => void leaves.push(leaf));
  const texts = leaves.map(({ path, text }) => ({
    kind: { place: placeOf(path), json: isJsonText(path) },
    text,
  }));
  const written: AnswerTexts['written'] = (passed) => {
    let changed = false;
    for (const [at, { set, text }] of leaves.entries()) {
      const goesOn = passed[at] ?? text;
      if (goesOn === text) continue;
      set(goesOn);
      changed = true;
    }
    if (!changed) return payload;
    dropTokens(document);
    return JSON.stringify(document);
  };
  return { texts, written };
}

function textOf(payload: Buffer | string, contentType: string): AnswerTexts {
  if (!TEXT_TYPE.test(contentType)) return { texts: [], written: () => payload };
  const text = payload.toString();
  const kind = { place: 'OUTPUT', json: false } as const;
  return {
    texts: [{ kind, text }],
    written: ([passed = text]) => (passed === text ? payload : passed),
  };
}

/** A text without a continuation. */
export function whole(screening: Screening, kind: AnswerKind, text: string): Piece {
  const channel = screening.answer(kind);
  const piece = channel.push(text);
  channel.flush();
  return piece;
}
