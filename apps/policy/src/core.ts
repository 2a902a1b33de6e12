// The parts between the gRPC service and the two dependencies, and which part uses which. Read it
// top to bottom as a map of the service (docs/policy-inside.md).
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock, Logger } from '@tollgate/kit';
import type { Tracing } from '@tollgate/kit/tracing';

import type { Catalog } from './catalog';
import { holdTokenSecrets, type Config } from './config';
import { createApplyChange, createDirectory, createWatch } from './directory';
import { unavailable } from './failure';
import { createFloatCore } from './float-core';
import { endedKeptMs, type FloatParameters } from './floats';
import {
  createAuthorize,
  createDryRun,
  createEpochs,
  createExtend,
  createHoldTokens,
  createIssuers,
  createOrphans,
  createSeeding,
  createSettle,
  createSoftLimits,
  dropUntold,
  type Written,
} from './holds';
import {
  createBookedMarks,
  createCheckpoint,
  createDrain,
  createOwnCheckpoint,
  createRecentEntries,
  createSweep,
  createWorker,
} from './ledger';
import { createMembers, nameMember } from './members';
import { createRouting } from './routing';
import {
  createConfirmKey,
  createEdgeRefusals,
  createItems,
  createKeptDecisions,
  createRefusals,
  createValidateKey,
  tracedItems,
  type PolicyMetrics,
} from './service';
import { createStore, type Scripts } from './store';

export interface CoreDeps {
  readonly config: Config;
  readonly catalog: Catalog;
  readonly metrics: PolicyMetrics;
  /** Undefined: nothing is traced. */
  readonly tracing: Tracing | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly scripts: Scripts | undefined;
  readonly floatParameters?: FloatParameters | undefined;
}

export type Core = ReturnType<typeof createCore>;

export function createCore(deps: CoreDeps) {
  const { config, catalog, metrics, tracing, clock, log, scripts } = deps;
  const holdTokens = createHoldTokens(holdTokenSecrets(config));
  const reopenedListeners = new Set<(shard: number, epoch: number) => void>();
  const store = createStore({
    redis: { url: config.REDIS_URL, cluster: config.REDIS_CLUSTER },
    log,
    clock,
    metrics: metrics.store,
    deadlineMs: config.REDIS_DEADLINE_MS,
    leaseGraceMs: config.LEASE_GRACE_MS,
    ledgerStreamMax: config.LEDGER_STREAM_MAX,
    issuersMax: config.RESPONSES_KEPT_MAX,
    endedKeptMs: endedKeptMs(config.LEASE_MS),
    ...(scripts === undefined ? {} : { scripts }),
  });
  const epochs = createEpochs({
    store,
    book: catalog,
    graceMs: config.OPEN_GRACE_MS,
    onReopened: (shard, epoch, reason) => {
      metrics.reopened(reason);
      for (const listener of reopenedListeners) listener(shard, epoch);
    },
    wait: pause,
    log,
  });
  const bookedMarks = createBookedMarks({
    store,
    epochs,
    onLost: (shard, epoch) => {
      epochs.recover(shard, epoch, 'data_lost').catch((error: unknown) =>
        log.warn('a shard could not be opened, it is tried again', {
          shard,
          reason: String(error),
        }),
      );
    },
  });
  const directory = createDirectory({
    resolveKeys: catalog.resolveKeys,
    clock,
    freshMs: config.CONTEXT_FRESH_MS,
    staleMs: config.CONTEXT_STALE_MS,
    maxKeys: config.CONTEXT_CACHE_MAX,
    onLookup: metrics.contextLookup,
    onError: (error) =>
      log.debug('a key context could not be refreshed ahead of its expiry', { error }),
  });
  const recent = createRecentEntries();
  const drain = createDrain({
    store,
    epochs,
    bookedMarks,
    recent,
    append: catalog.append,
    stateOf: async (shard) => {
      const [state] = await catalog.getShards([shard]);
      if (state === undefined) throw unavailable('catalog', 'the catalog does not know the shard');
      return state;
    },
    wait: pause,
    onBooked: metrics.ledgerBooked,
    onQuarantined: metrics.quarantined,
    log,
  });
  const onAbandoned = (shard: number, seq: number): void => {
    metrics.abandoned();
    metrics.holdsOpen.dec();
    bookedMarks.awaitSeq(shard, seq);
  };
  const members = createMembers({ onOlder: metrics.floats.olderMembers, log });
  const memory =
    config.FLOATS === 'off'
      ? undefined
      : createFloatCore({
          config,
          store,
          epochs,
          members,
          onAbandoned: (shard, seq) => {
            onAbandoned(shard, seq);
            worker.poke(shard);
          },
          metrics: metrics.floats,
          parameters: deps.floatParameters,
          clock,
          log,
        });
  const floats = memory?.floats;
  const worker = createWorker({
    ownerId: nameMember(),
    store,
    epochs,
    bookedMarks,
    drain,
    onClaimed: (shards, present) => {
      recent.claim(shards);
      members.see(present);
    },
    sweep: createSweep({ store, epochs, onAbandoned, leaseMs: config.LEASE_MS, log }),
    checkpoint: createCheckpoint({ store, report: catalog.checkpoint, log }),
    checkpointOwn:
      floats &&
      createOwnCheckpoint({
        holdsOlderThan: floats.holdsOlderThan,
        report: catalog.checkpoint,
        log,
      }),
    shardStates: () => catalog.getShards([]),
    onLag: metrics.ledgerLag,
    intervals: {
      drainMs: config.DRAIN_INTERVAL_MS,
      sweepMs: config.SWEEP_INTERVAL_MS,
      checkpointMs: config.CHECKPOINT_INTERVAL_MS,
    },
    clock,
    log,
  });
  const seed = createSeeding({
    store,
    epochs,
    windowTotals: catalog.windowTotals,
    drainSoon: worker.poke,
    clock,
    wait: pause,
  });
  const { LEASE_MS: leaseMs } = config;
  const onClosed = (shard: number, seq: number, written?: Written): void => {
    if (written !== undefined) recent.note(shard, seq, written);
    bookedMarks.awaitSeq(shard, seq);
    worker.poke(shard);
  };
  const issuers = createIssuers({ store, clock, wait: pause, log });
  const softLimits = createSoftLimits({
    report: catalog.reportSoftLimits,
    onPassed: metrics.softPassed,
    log,
  });
  const routing = createRouting({
    store,
    figures: breakerFigures(config),
    probeMs: config.UPSTREAM_PROBE_MS,
    movedMs: config.CONVERSATION_MOVED_MS,
    report: catalog.report,
    metrics: metrics.routing,
    clock,
    log,
  });
  const { choose, tryChoose, giveBacks } = routing;
  const released = { giveBacks, onReleased: metrics.holdsOpen.dec };
  const orphans = createOrphans({ store, epochs, leaseMs, ...released, onClosed, clock, log });
  const shared = { directory, store, epochs, seed, holdTokens, issuers, orphans, floats, clock };
  const refusals = createRefusals({ report: catalog.report, clock, log });
  const keptDecisions = createKeptDecisions({
    report: catalog.reportDecisions,
    onDropped: metrics.decisionDropped,
    clock,
    log,
  });
  const untraced = createItems({
    decisions: {
      authorize: createAuthorize({
        ...shared,
        softLimits,
        keepDecision: keptDecisions.keep,
        choose,
        leaseMs,
        mcpRequestsPerMinute: config.MCP_REQUESTS_PER_MINUTE,
        onExact: metrics.floats.exact,
        wait: pause,
        log,
      }),
      extend: createExtend({ ...shared, leaseMs, wait: pause }),
      settle: createSettle({ ...shared, giveBacks, onClosed }),
    },
    dryRun: createDryRun({
      ...shared,
      choose: tryChoose,
      mcpRequestsPerMinute: config.MCP_REQUESTS_PER_MINUTE,
      wait: pause,
    }),
    confirmKey: createConfirmKey(shared),
    onOrphan: (requestId, holdToken) => {
      const held = holdTokens.read(requestId, holdToken);
      if (held.floatId === '' || floats === undefined) orphans.add(requestId, held.ticket, '');
      else dropUntold({ floats, orphans, ...released }, requestId, held);
    },
    refusals,
    metrics,
    clock,
    log,
  });
  const items = tracedItems(tracing, untraced);
  const watch = createWatch({
    open: catalog.watch,
    onChange: createApplyChange({ directory, forgetCounters: drain.forget, log }),
    onGap: () => directory.drop({}),
    onConnected: directory.setWatched,
    onCaughtUp: directory.confirm,
    log,
  });
  return {
    store,
    directory,
    bookedMarks,
    worker,
    watch,
    items,
    orphans,
    softLimits,
    refusals,
    keptDecisions,
    edgeRefusals: createEdgeRefusals({ directory, refusals, log }),
    upstreamChanges: routing.changes,
    reports: routing.reports,
    giveBacks,
    validateKey: createValidateKey(shared),
    memory,
    sessionFloats: memory?.sessionFloats,
    onReopened: (listener: (shard: number, epoch: number) => void) => {
      reopenedListeners.add(listener);
      return () => reopenedListeners.delete(listener);
    },
  };
}

function breakerFigures(config: Config) {
  return {
    windowMs: config.UPSTREAM_BREAKER_WINDOW_MS,
    leastFailures: config.UPSTREAM_BREAKER_FAILURES,
    failurePercent: config.UPSTREAM_BREAKER_PERCENT,
    openMs: config.UPSTREAM_BREAKER_OPEN_MS,
    forgetMs: config.UPSTREAM_BREAKER_FORGET_MS,
    cooldownMaxMs: config.UPSTREAM_COOLDOWN_MAX_MS,
  };
}
