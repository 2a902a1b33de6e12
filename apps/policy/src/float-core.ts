// The parts of ./core that decide from memory (FLOATS=on).
import { randomUUID } from 'node:crypto';
import type { Clock, Logger } from '@tollgate/kit';

import type { Config } from './config';
import {
  createFloats,
  createPostLoop,
  FLOAT_PARAMETERS,
  shardFrom,
  type FloatParameters,
  type Floats,
  type MemoryHold,
} from './floats';
import { abandonedEnd, decodeTicket, type Epochs } from './holds';
import type { Members } from './members';
import type { PolicyMetrics, SessionFloatDeps } from './service';
import type { Store } from './store';

export interface FloatCoreDeps {
  readonly config: Pick<Config, 'FLOATS_FROM_RPS' | 'LEASE_MS' | 'LEDGER_STREAM_MAX'>;
  readonly store: Store;
  readonly epochs: Pick<Epochs, 'follow' | 'of'>;
  readonly members: Pick<Members, 'allKnowFloats'>;
  readonly onAbandoned: (shard: number, seq: number) => void;
  readonly metrics: PolicyMetrics['floats'];
  /** Other ones in tests. */
  readonly parameters: FloatParameters | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface FloatCore {
  readonly floats: Floats;
  readonly sessionFloats: SessionFloatDeps;
  /** No more decisions from memory; everything goes back with the next posts. */
  readonly drain: () => void;
  readonly stop: (options: { withinMs: number }) => Promise<void>;
}

export function createFloatCore(deps: FloatCoreDeps): FloatCore {
  const { config, store, epochs, members, metrics, clock, log } = deps;
  const { parameters = parametersOf(config) } = deps;
  const adoptListeners = new Set<(floatId: string) => void>();
  const floats = createFloats({
    store,
    clock: { monotonicMs: () => performance.now(), wallMs: () => clock.now() },
    parameters,
    processId: randomUUID(),
    leaseMs: config.LEASE_MS,
    ledgerMax: config.LEDGER_STREAM_MAX,
    allKnowFloats: members.allKnowFloats,
    epochOf: epochs.of,
    onEpoch: (shard, outcome) => {
      epochs.follow(shard, outcome).catch((error: unknown) => {
        log.warn('the epoch of a shard cannot be followed, the next call tries again', {
          shard,
          reason: String(error),
        });
      });
    },
    onAdopt: (shard, floatId) => {
      metrics.lost();
      log.warn('a float was lost, edges adopt its holds', { shard, floatId });
      for (const listener of adoptListeners) listener(floatId);
    },
    abandoned: (hold) => abandoned(deps, hold),
    onAsked: () => loop.wake(),
    onDecided: metrics.decided,
    onExact: metrics.exact,
    onPosted: metrics.posted,
    log,
  });
  metrics.figures(floats.figures);
  const loop = createPostLoop(floats, parameters.postIntervalMs);
  return {
    floats,
    sessionFloats: {
      onAdopt: (listener) => {
        adoptListeners.add(listener);
        return () => adoptListeners.delete(listener);
      },
      sessionEnded: (session) => floats.sessionEnded(session),
    },
    drain: () => floats.drain(),
    stop: (options) => loop.stop(options),
  };
}

function parametersOf({ FLOATS_FROM_RPS }: FloatCoreDeps['config']): FloatParameters {
  const from = shardFrom(FLOATS_FROM_RPS, FLOAT_PARAMETERS.aheadMs);
  return { ...FLOAT_PARAMETERS, shardFrom: from };
}

function abandoned({ log, onAbandoned }: FloatCoreDeps, hold: MemoryHold) {
  const { requestId } = hold;
  const { shard } = decodeTicket(hold.ticketText);
  void hold.outcome.promise.then((ended) => {
    // Otherwise it is held elsewhere, or the sweeper finds it.
    if (ended.kind === 'EXACT') return;
    log.warn('a hold was abandoned', { shard, requestId, seq: ended.seq });
    onAbandoned(shard, ended.seq);
  });
  return abandonedEnd(hold);
}
