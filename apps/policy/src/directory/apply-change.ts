import type { Invalidation__Output } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

import type { Directory } from './directory';

export interface ApplyChangeDeps {
  readonly directory: Pick<Directory, 'drop' | 'sawChange'>;
  /** Forgets counters of a shard, so that they are seeded again from the catalog's totals. */
  readonly forgetCounters: (
    shard: number,
    rev: number,
    limitIds: readonly string[],
  ) => Promise<unknown>;
  readonly log: Logger;
}

/**
 * Applies one change that the catalog announces: drops the cached contexts that it concerns and
 * forgets the counters that it names. A failure to forget them leaves the shard behind the
 * catalog's revision; the ledger worker notices that and repairs it.
 */
export function createApplyChange({ directory, forgetCounters, log }: ApplyChangeDeps) {
  return (change: Invalidation__Output): void => {
    const { seq, shard, rev, limitIds } = change;
    directory.sawChange(seq);
    directory.drop(change);
    if (limitIds.length === 0 && rev === 0) return;
    forgetCounters(shard, rev, limitIds).catch((error: unknown) =>
      log.warn('counters could not be forgotten', { shard, reason: String(error) }),
    );
  };
}
