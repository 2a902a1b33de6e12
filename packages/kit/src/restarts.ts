/** How often and how soon something that keeps ending is restarted. */
export interface RestartLimits {
  /** The pause before the first restart; it doubles each time. */
  firstMs: number;
  mostMs: number;
  /** A process that ran this long ended for a new reason: the count restarts. */
  steadyMs: number;
  /** Restarts in a row before giving up; unset: never. */
  most?: number;
}

export interface Restart {
  restart: number;
  afterMs: number;
}

export interface Restarts {
  /** Records an end after `ranMs`. Undefined: give up. */
  ended: (ranMs: number) => Restart | undefined;
}

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
