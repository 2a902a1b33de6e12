// Writes protocol buffers by hand, without intermediate copies and numbers as numbers. Compatible with every
// protobuf library.

const GROUP_BITS = 7;
const MORE = 0x80;
const HIGH = 0x1_0000_0000;
const FIRST_BYTES = 64 * 1024;
/** A larger buffer is not kept for the next message. */
const KEPT_BYTES = 1024 * 1024;
/** Up to this length a loop writes plain text faster than a call of the runtime. */
const SHORT_TEXT = 40;

/** What the generated types accept for an int64 that is sent. */
export type Int64Like = number | string | { toString: () => string };

/** Writes fields in order. Fields with their default are left out. */
export class Writer {
  private buffer = Buffer.allocUnsafe(FIRST_BYTES);
  private at = 0;

  /** Returns what was written since the last call, in its own bytes. */
  finish(): Buffer {
    const written = Buffer.from(this.buffer.subarray(0, this.at));
    this.reset();
    return written;
  }

  /** As `finish`, in memory that is shared with nothing else. */
  finishAlone(): Uint8Array<ArrayBuffer> {
    const written = new Uint8Array(this.at);
    written.set(this.buffer.subarray(0, this.at));
    this.reset();
    return written;
  }

  /** Discards what a failed message has written. */
  reset(): void {
    this.at = 0;
    if (this.buffer.length > KEPT_BYTES) this.buffer = Buffer.allocUnsafe(FIRST_BYTES);
  }

  text(tag: number, value: string | null | undefined): void {
    if (value) this.textAlways(tag, value);
  }

  textAlways(tag: number, value: string): void {
    this.room(value.length * 3 + 15);
    this.varint(tag);
    if (value.length <= SHORT_TEXT && this.plain(value)) return;
    const bytes = Buffer.byteLength(value);
    this.varint(bytes);
    this.buffer.write(value, this.at, bytes, 'utf8');
    this.at += bytes;
  }

  // Writes ASCII, or nothing.
  private plain(value: string): boolean {
    const { buffer } = this;
    let { at } = this;
    buffer[at] = value.length;
    at += 1;
    for (let i = 0; i < value.length; i += 1) {
      const code = value.charCodeAt(i);
      if (code >= MORE) return false;
      buffer[at] = code;
      at += 1;
    }
    this.at = at;
    return true;
  }

  bytes(tag: number, value: Uint8Array | string | null | undefined): void {
    if (value !== null && value !== undefined && value.length > 0) this.bytesAlways(tag, value);
  }

  bytesAlways(tag: number, value: Uint8Array | string): void {
    const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : value;
    this.room(bytes.length + 15);
    this.varint(tag);
    this.varint(bytes.length);
    this.buffer.set(bytes, this.at);
    this.at += bytes.length;
  }

  bool(tag: number, value: boolean | null | undefined): void {
    if (value) this.boolAlways(tag, value);
  }

  boolAlways(tag: number, value: boolean): void {
    this.room(10);
    this.varint(tag);
    this.varint(value ? 1 : 0);
  }

  int(tag: number, value: Int64Like | null | undefined): void {
    if (value !== null && value !== undefined && value !== 0) this.intAlways(tag, value, true);
  }

  intAlways(tag: number, value: Int64Like, unlessZero = false): void {
    const given = typeof value === 'number' ? value : Number(value.toString());
    // Like the library: one invalid number must not fail a frame with items of others.
    const whole = Number.isFinite(given) ? Math.trunc(given) : 0;
    if (unlessZero && whole === 0) return;
    this.room(20);
    this.varint(tag);
    this.varint(whole);
  }

  fixed32(tag: number, value: number): void {
    this.room(9);
    this.varint(tag);
    this.at = this.buffer.writeUInt32LE(value, this.at);
  }

  fixed64(tag: number, value: bigint): void {
    this.room(13);
    this.varint(tag);
    this.at = this.buffer.writeBigUInt64LE(value, this.at);
  }

  double(tag: number, value: number): void {
    this.room(13);
    this.varint(tag);
    this.at = this.buffer.writeDoubleLE(value, this.at);
  }

  /** Bytes that are given in hexadecimal digits. */
  hex(tag: number, digits: string): void {
    this.room(digits.length + 10);
    this.varint(tag);
    this.varint(digits.length / 2);
    this.at += this.buffer.write(digits, this.at, 'hex');
  }

  /** Fields that are encoded already. */
  encoded(fields: Uint8Array): void {
    this.room(fields.length);
    this.buffer.set(fields, this.at);
    this.at += fields.length;
  }

  /** Begins a nested message; pass the returned position to `close`. */
  open(tag: number): number {
    this.room(15);
    this.varint(tag);
    this.at += 1;
    return this.at;
  }

  close(start: number): void {
    const length = this.at - start;
    if (length < MORE) {
      this.buffer[start - 1] = length;
      return;
    }
    // The length needs more than the one byte reserved for it.
    let more = 0;
    for (let rest = length; rest >= MORE; rest = Math.floor(rest / MORE)) more += 1;
    this.room(more);
    this.buffer.copyWithin(start + more, start, this.at);
    this.at = start - 1;
    this.varint(length);
    this.at += length;
  }

  private varint(value: number): void {
    const { buffer } = this;
    let { at } = this;
    // Negative numbers travel in two's complement.
    const upper = value < HIGH && value >= 0 ? 0 : Math.floor(value / HIGH);
    let low = (value - upper * HIGH) >>> 0;
    let high = upper >>> 0;
    while (high > 0 || low >= MORE) {
      buffer[at] = (low & 0x7f) | MORE;
      at += 1;
      low = ((low >>> GROUP_BITS) | (high << 25)) >>> 0;
      high >>>= GROUP_BITS;
    }
    buffer[at] = low;
    this.at = at + 1;
  }

  private room(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + bytes));
    larger.set(this.buffer.subarray(0, this.at));
    this.buffer = larger;
  }
}
