// The counting rule, simple enough to compute by hand:
//
// - Text is one token per four characters (code points), rounded up; empty text has none.
// - A message is 3 tokens, plus its text (each part separately), plus the JSON of its tool calls;
//   instructions outside the messages count as a message. A request is 3 tokens more, plus the JSON
//   of each tool.
// - An image is 85 tokens in detail `low`, else 765. Audio is one token per 100 characters of
//   base64, rounded up. A file is one token per four characters of its data. References count as
//   their text, except images.
//
// Answers are generated in pieces of one token each, so a stream's chunks can be counted too.

const CHARACTERS_PER_TOKEN = 4;
const IMAGE_TOKENS = 765;
const LOW_DETAIL_IMAGE_TOKENS = 85;
const AUDIO_CHARACTERS_PER_TOKEN = 100;

export const TOKENS_PER_MESSAGE = 3;
export const TOKENS_PER_REQUEST = 3;

export interface InputCount {
  /** All tokens that are in no other count. */
  text: number;
  audio: number;
  /** Gemini alone reports images apart. */
  image?: number;
}

export function countTokens(text: string): number {
  return Math.ceil(characters(text) / CHARACTERS_PER_TOKEN);
}

/** Code points; a surrogate pair is one. */
export function characters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit <= 0xdbff) count -= 1;
  }
  return count;
}

export function countJson(value: unknown): number {
  return value === undefined ? 0 : countTokens(JSON.stringify(value));
}

export function countImage(detail?: unknown): number {
  return detail === 'low' ? LOW_DETAIL_IMAGE_TOKENS : IMAGE_TOKENS;
}

/** Audio tokens of base64 audio. */
export function countSound(base64: string): number {
  return Math.ceil(base64.length / AUDIO_CHARACTERS_PER_TOKEN);
}

/** Splits text into its tokens. */
export function piecesOf(text: string): string[] {
  const points = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0; at < points.length; at += CHARACTERS_PER_TOKEN) {
    pieces.push(points.slice(at, at + CHARACTERS_PER_TOKEN).join(''));
  }
  return pieces;
}
