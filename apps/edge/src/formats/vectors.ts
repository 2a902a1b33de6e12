// Vectors in answers: a list of numbers, or base64 of little-endian single-precision numbers.

import { invalidAnswer } from './upstream-error';

const BYTES_EACH = 4;

/** @throws GatewayError `upstream_error` when it is neither */
export function readVector(value: unknown): number[] {
  if (typeof value === 'string') return fromBase64(value);
  if (!Array.isArray(value) || value.length === 0 || !value.every(isNumber)) {
    throw invalidAnswer('one of its embeddings is not a list of numbers');
  }
  return value;
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function fromBase64(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % BYTES_EACH !== 0) {
    throw invalidAnswer('one of its embeddings is not a list of numbers');
  }
  return Array.from({ length: bytes.length / BYTES_EACH }, (_, at) =>
    bytes.readFloatLE(at * BYTES_EACH),
  );
}

export function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * BYTES_EACH);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * BYTES_EACH);
  return bytes.toString('base64');
}
