import type { Clock } from '@tollgate/kit';

/** The store's clock decides; ours is corrected by its latest reply. */
export interface StoreTime {
  /** In milliseconds. */
  readonly now: () => number;
  readonly sync: (storeMs: number) => void;
}

export function createStoreTime(clock: Clock): StoreTime {
  let offsetMs = 0;
  return {
    now: () => clock.now() + offsetMs,
    sync: (storeMs) => {
      offsetMs = storeMs - clock.now();
    },
  };
}
