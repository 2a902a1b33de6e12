// Estimates the duration of an audio file. An uncompressed file states it in its header; for a
// compressed file only a bound is known.

/** The least bytes per second of compressed speech and of uncompressed audio. */
const PACKED_BYTES_PER_SECOND = 4_000;
const PLAIN_BYTES_PER_SECOND = 16_000;
/** The usual bytes per second of compressed speech. */
const USUAL_BYTES_PER_SECOND = 8_000;

/** Audio counts 10 to 32 tokens per second. */
const TOKENS_PER_SECOND = 32;

export interface SoundFile {
  bytes: number;
  head: Buffer;
}

/** The seconds that a hold covers: rather too many. */
export function mostSeconds({ bytes, head }: SoundFile): number {
  return bytes / (statedRate(head) ?? PACKED_BYTES_PER_SECOND);
}

/** The seconds that are charged if the provider reports none. */
export function likelySeconds({ bytes, head }: SoundFile): number {
  return bytes / (statedRate(head) ?? USUAL_BYTES_PER_SECOND);
}

export function soundTokens(seconds: number): number {
  return Math.ceil(seconds * TOKENS_PER_SECOND);
}

/** Bytes per second; undefined: the file does not state it. */
function statedRate(head: Buffer): number | undefined {
  const kind = head.toString('latin1', 0, 4);
  if (kind === 'fLaC') return PLAIN_BYTES_PER_SECOND;
  const wave = kind === 'RIFF' && head.toString('latin1', 8, 16) === 'WAVEfmt ';
  if (!wave || head.length < 32) return undefined;
  const stated = head.readUInt32LE(28);
  // A huge byte rate would make a long file look short.
  const sane = stated >= PACKED_BYTES_PER_SECOND && stated <= MOST_BYTES_PER_SECOND;
  return sane ? stated : PLAIN_BYTES_PER_SECOND;
}

/** The highest plausible rate: eight channels of the best quality. */
const MOST_BYTES_PER_SECOND = 8 * 4 * 192_000;
