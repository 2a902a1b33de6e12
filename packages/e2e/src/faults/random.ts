/** A small seeded generator (mulberry32): equal seeds give equal sequences. */
export interface Random {
  /** In [0, 1). */
  readonly next: () => number;
  readonly pick: <T>(list: readonly T[]) => T;
  readonly between: (least: number, most: number) => number;
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    pick: (list) => {
      const chosen = list[Math.floor(next() * list.length)];
      if (chosen === undefined) throw new RangeError('nothing to pick from');
      return chosen;
    },
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
  };
}
