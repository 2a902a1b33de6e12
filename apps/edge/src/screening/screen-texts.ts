// Screens texts that are whole, in slices, so that other requests get their turn.

import type { AnswerKind, Channel, Piece, Screening } from '@tollgate/screening';

import type { Gateway } from '../exchange/gateway';
import { passOn, type PassedText } from './passed-text';

/** How long one request is screened before others get their turn. */
const SLICE_MS = 10;

type Clock = Pick<Gateway, 'nowMs'>;

/** Stops at the first refusal, and gives others their turn. */
export async function screenTexts(
  gateway: Clock,
  screening: Screening,
  texts: readonly PassedText[],
  takeTurns = createTurns(gateway),
): Promise<void> {
  if (screening.program.masksInput) for (const { text } of texts) screening.reserve(text);
  for (const text of texts) {
    const goesOn =
      text.text.length > PIECE_CHARACTERS
        ? await screenLong(screening, text, takeTurns)
        : screening.input(text);
    if (screening.blocked()) return;
    passOn(text, goesOn);
    const turn = takeTurns();
    if (turn) await turn;
  }
}

/** A pattern takes about a millisecond for so much. */
const PIECE_CHARACTERS = 16 * 1024;

async function screenLong(
  screening: Screening,
  text: PassedText,
  takeTurns: TakeTurns,
): Promise<string> {
  return inPieces(screening, screening.longInput(text), text.text, takeTurns);
}

/** A text of an answer without a continuation; returns what goes on. */
export async function screenWholeAnswer(
  gateway: Clock,
  screening: Screening,
  kind: AnswerKind,
  text: string,
): Promise<string> {
  return screenAnswerText(screening, kind, text, createTurns(gateway));
}

/** The same, as one of several texts. */
export async function screenAnswerText(
  screening: Screening,
  kind: AnswerKind,
  text: string,
  takeTurns: TakeTurns,
): Promise<string> {
  return inPieces(screening, screening.answer(kind), text, takeTurns);
}

async function inPieces(
  screening: Screening,
  channel: Channel,
  text: string,
  takeTurns: TakeTurns,
): Promise<string> {
  const pieces: Piece[] = [];
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    pieces.push(channel.push(text.slice(at, at + PIECE_CHARACTERS)));
    if (screening.blocked()) break;
    const turn = takeTurns();
    if (turn) await turn;
  }
  channel.flush();
  return pieces.map(({ edited, text: given }) => edited ?? given).join('');
}

/** Undefined while the request may go on; a promise when others have waited long enough. */
export type TakeTurns = () => Promise<void> | undefined;

export function createTurns({ nowMs }: Clock): TakeTurns {
  let beganMs = nowMs();
  return () => {
    if (nowMs() - beganMs < SLICE_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        beganMs = nowMs();
        resolve();
      });
    });
  };
}
