// Deterministic vectors for a text, and their encodings.

export type Dtype = 'float32' | 'float16' | 'bfloat16';
export const DTYPES: readonly string[] = ['float32', 'float16', 'bfloat16'];

/** Of length 1. */
export function vectorFor(text: string, dimensions: number): number[] {
  let state = hashOf(text);
  const raw = Array.from({ length: dimensions }, () => {
    // A linear congruential generator (Numerical Recipes).
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  });
  const length = Math.hypot(...raw) || 1;
  return raw.map((value) => Math.fround(value / length));
}

/** FNV-1a, 32 bits. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

export function bytesOf(
  vector: number[],
  dtype: Dtype = 'float32',
  endianness: 'little' | 'big' = 'little',
): Buffer {
  const size = dtype === 'float32' ? 4 : 2;
  const bytes = Buffer.alloc(vector.length * size);
  const little = endianness === 'little';
  for (const [at, value] of vector.entries()) {
    if (dtype === 'float32') {
      if (little) bytes.writeFloatLE(value, at * size);
      else bytes.writeFloatBE(value, at * size);
    } else {
      const bits = dtype === 'bfloat16' ? bitsOf(value) >>> 16 : halfOf(value);
      if (little) bytes.writeUInt16LE(bits, at * size);
      else bytes.writeUInt16BE(bits, at * size);
    }
  }
  return bytes;
}

function bitsOf(value: number): number {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatBE(value);
  return bytes.readUInt32BE();
}

/** Half precision, truncated; values below its range become zero. */
function halfOf(value: number): number {
  const bits = bitsOf(value);
  const exponent = ((bits >>> 23) & 0xff) - 127 + 15;
  const sign = (bits >>> 16) & 0x8000;
  if (exponent <= 0) return sign;
  if (exponent >= 31) return sign | 0x7c00;
  return sign | (exponent << 10) | ((bits >>> 13) & 0x3ff);
}
