import type { Logger } from '@tollgate/kit';

import { StoreUnavailableError, type Store, type UnrouteItem } from '../store';

export interface GiveBacksDeps {
  readonly store: Pick<Store, 'unroute'>;
  readonly log: Logger;
}

/** Returns turns and probes of requests that did not go ahead. */
export interface GiveBacks {
  /**
   * Returns them in the background; later calls of this process find them returned. If the store is
   * unreachable, one turn is lost and the probe expires.
   */
  readonly give: (item: UnrouteItem) => void;
  /** Resolves when every call has ended. */
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
