import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { z } from 'zod';

// A kept answer as bytes: a version, whether it is compressed, then the facts and the body.

const count = z.int().min(0);

const facts = z.object({
  storedAtMs: z.int(),
  /** The model and connection that answered. The answer is used only for requests that may use them. */
  candidate: z.object({
    modelId: z.string(),
    upstreamModel: z.string(),
    providerId: z.string(),
    connectionVersion: z.int(),
  }),
  contentType: z.string(),
  usage: z.object({
    input: count,
    cacheRead: count,
    cacheWrite5m: count,
    cacheWrite1h: count,
    audioInput: count,
    imageInput: count.default(0),
    output: count,
    audioOutput: count,
    imageOutput: count.default(0),
    reasoning: count,
  }),
  units: z.record(z.string(), z.string()),
  /** The processing tiers that the answer was charged at. Absent: an earlier release kept it. */
  serviceTier: z.string().default(''),
  /** The model that the answer names at its provider; empty: none. */
  model: z.string(),
  /** Fields of the request that the provider's format cannot express. */
  dropped: z.array(z.string()),
  stopReason: z.string(),
});

export type KeptFacts = z.output<typeof facts>;

export interface KeptAnswer extends KeptFacts {
  /** As the client got it. */
  readonly body: Buffer;
}

const VERSION = 1;
const HEAD_BYTES = 6;
/** Smaller answers gain little. */
const COMPRESSED_FROM_BYTES = 1_024;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Compresses larger answers, off the event loop. */
export async function encodeEntry(given: KeptFacts, body: Buffer): Promise<Buffer> {
  const told = Buffer.from(JSON.stringify(given));
  const whole = Buffer.concat([told, body]);
  const packed = whole.length >= COMPRESSED_FROM_BYTES ? await deflate(whole) : whole;
  const compressed = packed.length < whole.length;
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSION, 0);
  head.writeUInt8(compressed ? 1 : 0, 1);
  head.writeUInt32BE(told.length, 2);
  return Buffer.concat([head, compressed ? packed : whole]);
}

/** Undefined: another release wrote it. Throws if it is damaged, or expands to more than `mostBytes`. */
export async function decodeEntry(
  entry: Buffer,
  mostBytes: number,
): Promise<KeptAnswer | undefined> {
  if (entry.length < HEAD_BYTES || entry.readUInt8(0) !== VERSION) return undefined;
  const packed = entry.subarray(HEAD_BYTES);
  const whole =
    entry.readUInt8(1) === 1 ? await inflate(packed, { maxOutputLength: mostBytes }) : packed;
  const at = entry.readUInt32BE(2);
  const told = facts.parse(JSON.parse(whole.toString('utf8', 0, at)));
  return { ...told, body: whole.subarray(at) };
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts an entry for a store outside of the process. It opens under its own key only. */
export function sealEntry(secret: Buffer, key: string, entry: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', secret, nonce);
  cipher.setAAD(Buffer.from(key));
  const sealed = [cipher.update(entry), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
}

/** Throws if it was changed, or is of another key. */
export function openEntry(secret: Buffer, key: string, sealed: Buffer): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(key));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const opened = [decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
  return Buffer.concat(opened);
}
