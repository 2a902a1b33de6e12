import { randomFillSync } from 'node:crypto';

// UUID version 7 (RFC 9562): 48 bits of Unix milliseconds, a 12-bit counter, 62 random bits. Ids of
// one process sort in creation order, also within a millisecond and when the clock steps back.

interface Sequence {
  ms: number;
  counter: number;
}

const COUNTER_MAX = 0xfff;
const LATEST_MS = 0xffff_ffff_ffff;
const SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

const ownTime: Sequence = { ms: -1, counter: 0 };
const givenTime: Sequence = { ms: -1, counter: 0 };

// Random bytes are drawn in blocks: a system call per id would cost more than the id.
const randomPool = Buffer.alloc(4096);
let randomUsed = randomPool.length;

/** A new id of now, or of `nowMs` when the caller has its own clock. */
export function uuidv7(nowMs?: number): string {
  const random = takeRandom();
  if (nowMs === undefined) {
    advance(ownTime, Math.max(Date.now(), ownTime.ms), random);
    return format(ownTime, random);
  }
  checkMs(nowMs);
  // The caller's clock decides the instant; only ids of one instant are ordered.
  advance(givenTime, nowMs, random);
  return format(givenTime, random);
}

/** The smallest id of an instant: ids made at or after `ms` sort at or after it. */
export function uuidv7Floor(ms: number): string {
  checkMs(ms);
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** The creation instant of an id, in Unix milliseconds. */
export function uuidv7Time(id: string): number {
  if (!SHAPE.test(id)) throw new RangeError('not a version 7 UUID');
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function advance(sequence: Sequence, ms: number, random: Buffer): void {
  if (ms === sequence.ms && sequence.counter < COUNTER_MAX) {
    sequence.counter += 1;
    return;
  }
  // A full counter borrows the next millisecond. A fresh one starts at a random value in its lower
  // half, so that ids are unpredictable and there is room to count.
  sequence.ms = ms === sequence.ms ? ms + 1 : ms;
  sequence.counter = random.readUInt16BE(0) & 0x7ff;
}

const DIGITS = Buffer.from('0123456789abcdef');
// The id as text, in place: one copy makes a string that needs no joining when it is first read.
const text = Buffer.from('00000000-0000-7000-8000-000000000000');
/** The instant that stands in the text. */
let textMs = 0;

function format({ ms, counter }: Sequence, random: Buffer): string {
  if (ms !== textMs) {
    writeDigits(Math.floor(ms / 0x10000), 0, 8);
    writeDigits(ms % 0x10000, 9, 4);
    textMs = ms;
  }
  writeDigits(counter, 15, 3);
  writeDigits(0x8000 | (random.readUInt16BE(2) & 0x3fff), 19, 4);
  writeDigits(random.readUInt32BE(4), 24, 8);
  writeDigits(random.readUInt16BE(8), 32, 4);
  return text.toString('latin1');
}

/** The lowest digits of a value of 32 bits, in hexadecimal. */
function writeDigits(value: number, from: number, count: number): void {
  let rest = value;
  for (let at = from + count - 1; at >= from; at -= 1) {
    text[at] = DIGITS[rest & 0xf] ?? 0;
    rest >>>= 4;
  }
}

function takeRandom(): Buffer {
  if (randomUsed + 10 > randomPool.length) {
    randomFillSync(randomPool);
    randomUsed = 0;
  }
  const taken = randomPool.subarray(randomUsed, randomUsed + 10);
  randomUsed += 10;
  return taken;
}

function checkMs(ms: number): void {
  if (!Number.isInteger(ms) || ms < 0 || ms > LATEST_MS) {
    throw new RangeError(`not an instant in whole Unix milliseconds: ${ms}`);
  }
}
