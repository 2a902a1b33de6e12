// Estimates the duration of an audio file. A WAV file states its rate in its header; for a compressed
// file only a bound is known. Headers come from clients, so a hold takes the longest duration that one allows.

const LEAST_MP3_BYTES_PER_SECOND = 1_000;
/** The least bytes per second of compressed speech, by how a file begins: Opus at 6 kbit/s, MP3 at 8 kbit/s. */
const LEAST_BY_START: readonly (readonly [start: string, bytesPerSecond: number])[] = [
  ['OggS', 750],
  // WebM.
  ['\u001aE\u00df\u00a3', 750],
  ['ID3', LEAST_MP3_BYTES_PER_SECOND],
  // FLAC states how long silence is.
  ['fLaC', 4_000],
];
/** Of any other: AMR at 4.75 kbit/s. */
const LEAST_PACKED_BYTES_PER_SECOND = 600;
/** The usual bytes per second of compressed speech, and of speech without loss. */
const USUAL_PACKED_BYTES_PER_SECOND = 8_000;
const USUAL_PLAIN_BYTES_PER_SECOND = 16_000;
/** A lower rate in a header is a mistake, because no codec has it. */
const LEAST_STATED_BYTES_PER_SECOND = 500;
/** The highest plausible rates: eight channels of the best quality, and compressed sound in a WAV file. */
const MOST_BYTES_PER_SECOND = 8 * 4 * 192_000;
const MOST_PACKED_BYTES_PER_SECOND = 48_000;

/** Audio counts 10 to 32 tokens per second. */
const TOKENS_PER_SECOND = 32;

/** 115 days: a header can state anything. */
const MOST_SECONDS = 10_000_000;

export interface SoundFile {
  bytes: number;
  head: Buffer;
}

/** The seconds that a hold covers: rather too many. */
export function mostSeconds({ bytes, head }: SoundFile): number {
  const { least } = ratesOf(head);
  return Math.min(MOST_SECONDS, Math.max(bytes / least, flacSeconds(head)));
}

/** The seconds that are charged if the provider reports none. */
export function likelySeconds({ bytes, head }: SoundFile): number {
  return Math.min(MOST_SECONDS, bytes / ratesOf(head).usual);
}

export function soundTokens(seconds: number): number {
  return Math.ceil(seconds * TOKENS_PER_SECOND);
}

interface Rates {
  /** The least bytes per second that such a file can have. */
  least: number;
  usual: number;
}

const PACKED: Rates = {
  least: LEAST_PACKED_BYTES_PER_SECOND,
  usual: USUAL_PACKED_BYTES_PER_SECOND,
};

function packedRates(head: Buffer): Rates {
  const usual = isFlac(head) ? USUAL_PLAIN_BYTES_PER_SECOND : PACKED.usual;
  // A frame of an MP3 file without a tag.
  if (head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0) {
    return { least: LEAST_MP3_BYTES_PER_SECOND, usual };
  }
  const start = head.toString('latin1', 0, 4);
  const least = LEAST_BY_START.find(([begins]) => start.startsWith(begins))?.[1];
  return { least: least ?? PACKED.least, usual };
}

function ratesOf(head: Buffer): Rates {
  const isWave = /^RIFF[^]{4}WAVEfmt $/.test(head.toString('latin1', 0, 16));
  if (!isWave || head.length < 36) return packedRates(head);
  const stated = head.readUInt32LE(28);
  const plain = plainRate(head);
  if (plain > 0) {
    // Decoders compute the rate, and do not read the stated one.
    const usual = plain <= MOST_BYTES_PER_SECOND ? plain : USUAL_PLAIN_BYTES_PER_SECOND;
    const isSane = stated >= LEAST_STATED_BYTES_PER_SECOND;
    return { least: isSane ? Math.min(stated, usual) : usual, usual };
  }
  const isSane = stated >= LEAST_STATED_BYTES_PER_SECOND && stated <= MOST_PACKED_BYTES_PER_SECOND;
  return isSane ? { least: Math.min(stated, PACKED.least), usual: stated } : PACKED;
}

/** By the format of a WAV file, the bits of a sample; undefined: as its header says. */
const SAMPLE_BITS: ReadonlyMap<number, number | undefined> = new Map([
  [1, undefined], // PCM
  [2, 4], // Microsoft's ADPCM
  [3, undefined], // floats
  [6, 8], // A-law
  [7, 8], // µ-law
  [17, 4], // IMA's ADPCM
]);
const EXTENSIBLE = 0xff_fe;

/** Bytes per second of a WAV file whose samples all have one size; 0: they have not. */
function plainRate(head: Buffer): number {
  const tag = head.readUInt16LE(20);
  // The first two bytes of the identifier of the format proper.
  const format = tag === EXTENSIBLE && head.length >= 46 ? head.readUInt16LE(44) : tag;
  if (!SAMPLE_BITS.has(format)) return 0;
  const bits = SAMPLE_BITS.get(format) ?? head.readUInt16LE(34);
  return (head.readUInt32LE(24) * head.readUInt16LE(22) * bits) / 8;
}

function isFlac(head: Buffer): boolean {
  return head.toString('latin1', 0, 4) === 'fLaC';
}

/** The duration that a FLAC file states, which is long for silence; 0: none is stated. */
function flacSeconds(head: Buffer): number {
  if (!isFlac(head) || head.length < 26) return 0;
  const samplesPerSecond = head.readUIntBE(18, 3) >>> 4;
  const samples = (head.readUInt8(21) & 0x0f) * 2 ** 32 + head.readUInt32BE(22);
  return samplesPerSecond > 0 ? samples / samplesPerSecond : 0;
}
