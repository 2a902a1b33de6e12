import type { Logger } from '@tollgate/kit';

import { abandonedSettle, closeOf, decodeTicket, type Epochs } from '../holds';
import type { Hold, Store } from '../store';

export interface SweepDeps {
  readonly store: Pick<Store, 'close' | 'expiredLeases' | 'readHold'>;
  readonly epochs: Epochs;
  readonly onAbandoned: (shard: number, seq: number) => void;
  readonly log: Logger;
}

const BATCH_MAX = 200;

/**
 * Ends holds whose lease is over. Their owner is gone and the upstream's charge is unknown, so the
 * full amount is charged and the record is ABANDONED. Resolves to the number of ended holds.
 */
export function createSweep(deps: SweepDeps): (shard: number) => Promise<number> {
  return async (shard) => {
    const requestIds = await deps.store.expiredLeases(shard, BATCH_MAX);
    let ended = 0;
    for (const requestId of requestIds) if (await abandon(deps, shard, requestId)) ended += 1;
    return ended;
  };
}

async function abandon(deps: SweepDeps, shard: number, requestId: string): Promise<boolean> {
  const hold = await deps.store.readHold(shard, requestId);
  if (hold !== null && hold.state !== 'HELD') return false;
  const epoch = deps.epochs.of(shard);
  const close = hold === null ? unreadable(shard, requestId, '') : closing(deps, shard, hold);
  const outcome = await deps.store.close({ ...close, epoch });
  switch (outcome.kind) {
    case 'CLOSED':
      deps.log.warn('a hold was abandoned', { shard, requestId, seq: outcome.seq });
      deps.onAbandoned(shard, outcome.seq);
      return true;
    case 'EPOCH':
      // The next round sweeps under the new epoch.
      await deps.epochs.follow(shard, outcome);
      return false;
    case 'ALIVE':
    case 'DUP':
    case 'UNKNOWN':
    case 'KEPT':
      return false;
  }
}

function closing(deps: SweepDeps, shard: number, hold: Hold): ReturnType<typeof closeOf> {
  const { requestId, authorisedAtMs, leaseUntilMs } = hold;
  try {
    const ticket = decodeTicket(hold.ticketText);
    const settle = abandonedSettle(requestId, ticket);
    return closeOf({ mode: 'ABANDONED', requestId, ticket, authorisedAtMs, leaseUntilMs, settle });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    deps.log.error('a hold cannot be read', { shard, requestId, error });
    return unreadable(shard, requestId, hold.ticketText);
  }
}

// A lease without a readable hold. Its amounts are released all the same. Its entry cannot be
// booked and ends in the catalog's quarantine, where an operator sees it.
function unreadable(shard: number, requestId: string, payload: string): ReturnType<typeof closeOf> {
  return {
    shard,
    requestId,
    mode: 'ABANDONED',
    authorisedAtMs: 0,
    leaseUntilMs: 0,
    counters: [],
    usage: {
      REQUESTS: 0n,
      TOKENS: 0n,
      TOKENS_IN: 0n,
      TOKENS_OUT: 0n,
      ERRORS: 0n,
      COST: 0n,
      LATENCY_MS: 0n,
    },
    dimensions: { ORGANISATION: '', TEAM: '', USER: '', API_KEY: '', MODEL: '', MCP_SERVER: '' },
    payload,
  };
}
