/** How often and how soon something that keeps ending is started again. */
export type RestartLimits = {
  /** The pause before the first restart; each one after it waits twice as long. */
  firstMs: number;
  mostMs: number;
  /** What has run for so long ended for a new reason: the count begins anew. */
  steadyMs: number;
  /** Restarts in a row before it is given up; unset: never. */
  most?: number;
};

export type Restart = { restart: number; afterMs: number };

export type Restarts = {
  /** Notes an end after `ranMs`. Undefined: it is given up. */
  ended: (ranMs: number) => Restart | undefined;
};

export function createRestarts(limits: RestartLimits): Restarts {
  const { firstMs, mostMs, steadyMs, most = Infinity } = limits;
  let inARow = 0;
  return {
    ended: (ranMs) => {
      inARow = ranMs >= steadyMs ? 1 : inARow + 1;
      if (inARow > most) return undefined;
      return { restart: inARow, afterMs: Math.min(firstMs * 2 ** (inARow - 1), mostMs) };
    },
  };
}
