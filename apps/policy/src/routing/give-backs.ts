import type { Logger } from '@tollgate/kit';

import { type Store, StoreUnavailableError, type UnrouteItem } from '../store';

export interface GiveBacksDeps {
  readonly store: Pick<Store, 'unroute'>;
  readonly log: Logger;
}

/** Turns and probes of requests that came to nothing, on their way back to the store. */
export interface GiveBacks {
  /**
   * Gives back, and nobody waits for it: what is asked of the store afterwards by this process finds
   * it given back all the same. What a store that is away does not take is one turn lost, and a probe
   * that ends by itself.
   */
  readonly give: (item: UnrouteItem) => void;
  /** Resolves when everything given has been taken, or lost. */
  readonly idle: () => Promise<void>;
}

const UNDER_WAY_MAX = 4_096;

export function createGiveBacks({ store, log }: GiveBacksDeps): GiveBacks {
  const underWay = new Set<Promise<void>>();

  const send = async (item: UnrouteItem): Promise<void> => {
    try {
      await store.unroute(item);
    } catch (error) {
      if (error instanceof StoreUnavailableError) {
        log.debug('a turn could not be given back', { error });
      } else {
        log.error('a turn or a probe could not be given back', { error });
      }
    }
  };

  return {
    give: (item) => {
      if (item.turn === undefined && item.probe === undefined) return;
      if (underWay.size >= UNDER_WAY_MAX) {
        log.debug('a turn is not given back', { underWay: underWay.size });
        return;
      }
      const work = send(item).finally(() => underWay.delete(work));
      underWay.add(work);
    },
    idle: async () => {
      await Promise.all(underWay);
    },
  };
}
