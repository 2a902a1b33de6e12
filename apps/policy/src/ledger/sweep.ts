import type { Logger } from '@tollgate/kit';

import { abandonedSettle, closeOf, decodeTicket, type Epochs } from '../holds';
import type { Hold, Store } from '../store';

export interface SweepDeps {
  readonly store: Pick<Store, 'close' | 'expiredFloats' | 'expiredLeases' | 'readHold' | 'reclaim'>;
  readonly epochs: Epochs;
  readonly onAbandoned: (shard: number, seq: number) => void;
  /** Lease of the holds that a float's requests become. */
  readonly leaseMs: number;
  readonly log: Logger;
}

const BATCH_MAX = 200;
const FLOATS_MAX = 50;
/** Calls for one float in one round; the next round goes on. */
const RECLAIMS_MAX = 10;

/**
 * Ends holds whose lease is over. Their owner is gone and the upstream's charge is unknown, so the
 * full amount is charged and the record is ABANDONED. Floats whose lease is over become ordinary
 * holds, which later rounds end. Resolves to the number of ended holds.
 */
export function createSweep(deps: SweepDeps): (shard: number) => Promise<number> {
  return async (shard) => {
    const [requestIds, floatIds] = await Promise.all([
      deps.store.expiredLeases(shard, BATCH_MAX),
      deps.store.expiredFloats(shard, FLOATS_MAX),
    ]);
    for (const floatId of floatIds) await reclaim(deps, shard, floatId);
    let ended = 0;
    for (const requestId of requestIds) if (await abandon(deps, shard, requestId)) ended += 1;
    return ended;
  };
}

async function reclaim(deps: SweepDeps, shard: number, floatId: string): Promise<void> {
  let holds = 0;
  for (let calls = 0; calls < RECLAIMS_MAX; calls += 1) {
    const epoch = deps.epochs.of(shard);
    const outcome = await deps.store.reclaim({ shard, epoch, floatId, leaseMs: deps.leaseMs });
    switch (outcome.kind) {
      case 'MORE':
        holds += outcome.holds;
        break;
      case 'DONE':
        holds += outcome.holds;
        deps.log.warn('a float was reclaimed', { shard, floatId, holds });
        return;
      case 'EPOCH':
        // The next round reclaims under the new epoch.
        await deps.epochs.follow(shard, outcome);
        return;
      case 'ALIVE':
      case 'GONE':
        return;
    }
  }
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
