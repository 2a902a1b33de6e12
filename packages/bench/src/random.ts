/** Pseudo-random numbers, deterministic per seed: mulberry32. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** An integer in [0, below). */
  below(below: number): number;
  /** 32 bits. */
  bits(): number;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const bits = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return {
    bits,
    next: () => bits() / 0x1_0000_0000,
    below: (below) => Math.floor((bits() / 0x1_0000_0000) * below),
  };
}

const hex = (bits: number, digits: number): string =>
  bits.toString(16).padStart(8, '0').slice(0, digits);

/** A UUID version 7 of an instant; its other bits come from the seed. */
export function seededId(random: Random, ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  const [a, b, c] = [random.bits(), random.bits(), random.bits()];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(a, 3)}-8${hex(b, 3)}-${hex(b, 8).slice(4)}${hex(c, 8)}`;
}
