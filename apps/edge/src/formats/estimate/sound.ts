// How long a sound file plays, before anybody has heard it. The header of plain sound says it; of
// packed sound only a bound is known.

/** Packed speech has at least this many bytes per second, plain sound at least that many. */
const PACKED_BYTES_PER_SECOND = 4_000;
const PLAIN_BYTES_PER_SECOND = 16_000;
/** What packed speech mostly has. */
const USUAL_BYTES_PER_SECOND = 8_000;

/** Sound is counted by the second, 10 to 32 tokens. */
const TOKENS_PER_SECOND = 32;

export type SoundFile = { bytes: number; head: Buffer };

/** The seconds that are held for: leans towards too many. */
export function mostSeconds({ bytes, head }: SoundFile): number {
  return bytes / (statedRate(head) ?? PACKED_BYTES_PER_SECOND);
}

/** The seconds that are charged where no one has counted them. */
export function likelySeconds({ bytes, head }: SoundFile): number {
  return bytes / (statedRate(head) ?? USUAL_BYTES_PER_SECOND);
}

export function soundTokens(seconds: number): number {
  return Math.ceil(seconds * TOKENS_PER_SECOND);
}

/** Bytes per second; undefined: the file does not say. */
function statedRate(head: Buffer): number | undefined {
  const kind = head.toString('latin1', 0, 4);
  if (kind === 'fLaC') return PLAIN_BYTES_PER_SECOND;
  const wave = kind === 'RIFF' && head.toString('latin1', 8, 16) === 'WAVEfmt ';
  if (!wave || head.length < 32) return undefined;
  const stated = head.readUInt32LE(28);
  // A giant rate is there to make a long file look short.
  const sane = stated >= PACKED_BYTES_PER_SECOND && stated <= MOST_BYTES_PER_SECOND;
  return sane ? stated : PLAIN_BYTES_PER_SECOND;
}

/** Eight channels of the finest sound there is. */
const MOST_BYTES_PER_SECOND = 8 * 4 * 192_000;
