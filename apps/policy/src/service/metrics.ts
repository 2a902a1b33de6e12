import type { Metrics } from '@tollgate/kit';

import type { RoutingMetrics } from '../routing';
import type { StoreMetrics } from '../store';

export type ItemKind = 'authorize' | 'dry_run' | 'extend' | 'settle' | 'confirm_key';
export type ItemOutcome = 'allow' | 'deny' | 'done' | 'failed';

/** Metrics of this service. Dashboards depend on their names and labels. */
export interface PolicyMetrics {
  readonly itemDone: (
    kind: ItemKind,
    outcome: ItemOutcome,
    code: string,
    startedAt: number,
  ) => void;
  readonly store: StoreMetrics;
  readonly routing: RoutingMetrics;
  readonly floats: FloatMetrics;
  readonly holdsOpen: { readonly inc: () => void; readonly dec: () => void };
  readonly ledgerLag: (entries: number, oldestMs: number) => void;
  readonly ledgerBooked: (entries: number) => void;
  readonly quarantined: () => void;
  readonly abandoned: () => void;
  readonly reopened: (reason: string) => void;
  readonly contextLookup: (result: string) => void;
  readonly softPassed: (limit: { readonly kind: string; readonly scopeType: string }) => void;
  readonly decisionDropped: (reason: string) => void;
  readonly sessions: (change: 1 | -1) => void;
  readonly exposition: Metrics['exposition'];
}

export interface FloatMetrics {
  readonly decided: () => void;
  readonly exact: (reason: string) => void;
  readonly posted: (ends: number) => void;
  readonly lost: () => void;
  /** What is read on every scrape. */
  readonly figures: (read: () => { holds: number; counters: number }) => void;
  /** Policies at the same Redis that do not know floats. */
  readonly olderMembers: (count: number) => void;
}

// A decision takes tenths of a millisecond.
const FAST_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
];

export function createPolicyMetrics(metrics: Metrics): PolicyMetrics {
  const decisions = metrics.counter(
    'tollgate_policy_decisions_total',
    'Items answered, by kind, outcome and error code',
    ['kind', 'outcome', 'code'],
  );
  const latency = metrics.histogram(
    'tollgate_policy_decision_seconds',
    'From an item’s arrival to its answer',
    ['kind'],
    FAST_BUCKETS,
  );
  const holdsOpen = metrics.gauge(
    'tollgate_policy_holds_open',
    'Holds taken less holds ended by this process; the sum over all processes is what is open',
  );
  const softPassed = metrics.counter(
    'tollgate_policy_soft_limit_passes_total',
    'Requests let through beyond a soft limit, by the limit’s kind and what it binds',
    ['kind', 'scope'],
  );
  const lookups = metrics.counter(
    'tollgate_policy_context_lookups_total',
    'Lookups of key contexts, by where the answer came from',
    ['result'],
  );
  const decisionsDropped = metrics.counter(
    'tollgate_policy_decisions_dropped_total',
    'Decisions that an organisation wants to keep and that are not kept, by why: repeated (the key was refused for the same reason ten times in a minute), queue_full, day_full (its most of a day are kept), failed, stopped (the process ended)',
    ['reason'],
  );
  const sessions = metrics.gauge('tollgate_policy_sessions', 'Open sessions of edges');
  return {
    itemDone: (kind, outcome, code, startedAt) => {
      decisions.inc({ kind, outcome, code });
      latency.observe({ kind }, (performance.now() - startedAt) / 1000);
    },
    store: createStoreMetrics(metrics),
    routing: createRoutingMetrics(metrics),
    floats: createFloatMetrics(metrics),
    holdsOpen: { inc: () => holdsOpen.inc(), dec: () => holdsOpen.dec() },
    ...createLedgerMetrics(metrics),
    contextLookup: (result) => lookups.inc({ result }),
    softPassed: ({ kind, scopeType }) => softPassed.inc({ kind, scope: scopeType }),
    decisionDropped: (reason) => decisionsDropped.inc({ reason }),
    sessions: (change) => sessions.inc(change),
    exposition: metrics.exposition,
  };
}

function createStoreMetrics(metrics: Metrics): StoreMetrics {
  const storeLatency = metrics.histogram(
    'tollgate_policy_store_seconds',
    'Duration of one script in the store',
    ['script'],
    FAST_BUCKETS,
  );
  const storeOutcomes = metrics.counter(
    'tollgate_policy_store_calls_total',
    'Scripts run in the store, by outcome',
    ['script', 'outcome'],
  );
  return {
    scriptDone: (script, outcome, seconds) => {
      storeLatency.observe({ script }, seconds);
      storeOutcomes.inc({ script, outcome });
    },
  };
}

function createLedgerMetrics(
  metrics: Metrics,
): Pick<PolicyMetrics, 'ledgerLag' | 'ledgerBooked' | 'quarantined' | 'abandoned' | 'reopened'> {
  const lag = metrics.gauge(
    'tollgate_policy_ledger_lag_entries',
    'Ledger entries of this process’s shards that the catalog has not committed yet',
  );
  const age = metrics.gauge(
    'tollgate_policy_ledger_drain_age_seconds',
    'How long the oldest entry of this process’s shards has waited for the catalog, at least; read every 2.5 s',
    [],
    'max',
  );
  const booked = metrics.counter(
    'tollgate_policy_ledger_booked_total',
    'Ledger entries committed by the catalog',
  );
  const quarantined = metrics.counter(
    'tollgate_policy_ledger_quarantined_total',
    'Ledger entries set aside because they could not be booked',
  );
  const abandoned = metrics.counter(
    'tollgate_policy_holds_abandoned_total',
    'Holds whose lease ended without a settle, charged in full',
  );
  const reopened = metrics.counter(
    'tollgate_policy_shards_reopened_total',
    'Shards that this process saw in a new epoch, by reason; data_lost and catalog_ahead mean that Redis lost data, catalog_behind and store_behind that PostgreSQL was restored to an earlier moment, other_policy that another process counts it',
    ['reason'],
  );
  return {
    ledgerLag: (entries, oldestMs) => {
      lag.set(entries);
      age.set(oldestMs / 1_000);
    },
    ledgerBooked: (entries) => booked.inc(entries),
    quarantined: () => quarantined.inc(),
    abandoned: () => abandoned.inc(),
    reopened: (reason) => reopened.inc({ reason }),
  };
}

const END_BUCKETS = [0, 1, 2, 4, 8, 16, 32, 64];

function createFloatMetrics(metrics: Metrics): FloatMetrics {
  const decided = metrics.counter(
    'tollgate_floats_decided_total',
    'Requests decided from memory, without the store',
  );
  const exact = metrics.counter(
    'tollgate_floats_exact_total',
    'Requests that the store decided, by why they were not decided from memory; nothing is counted with FLOATS=off',
    ['reason'],
  );
  const ends = metrics.histogram(
    'tollgate_floats_post_ends',
    'Ends of requests in one report of a float to the store',
    [],
    END_BUCKETS,
  );
  const older = metrics.gauge(
    'tollgate_floats_older_policies',
    'Policies at the same Redis that do not know floats; while there is one, Redis decides',
  );
  const lost = metrics.counter(
    'tollgate_floats_lost_total',
    'Floats that this process lost or could not report, so that edges adopted their holds',
  );
  return {
    decided: () => decided.inc(),
    exact: (reason) => exact.inc({ reason }),
    posted: (count) => ends.observe(count),
    lost: () => lost.inc(),
    olderMembers: (count) => older.set(count),
    figures: (read) => {
      metrics.reading('tollgate_floats_holds', 'Requests held in memory', () => read().holds);
      metrics.reading(
        'tollgate_floats_counters',
        'Counters of which this process has something in advance',
        () => read().counters,
      );
    },
  };
}

function createRoutingMetrics(metrics: Metrics): RoutingMetrics {
  const routed = metrics.counter(
    'tollgate_policy_routed_total',
    'Requests that a routing policy decided about, by strategy and outcome',
    ['strategy', 'outcome'],
  );
  const leftOut = metrics.counter(
    'tollgate_policy_left_out_total',
    'Candidates that a routed request could not use, by reason',
    ['reason'],
  );
  const attempts = metrics.counter(
    'tollgate_policy_attempts_total',
    'Attempts that edges reported of routed requests, by what they say of the upstream',
    ['verdict'],
  );
  const changes = metrics.counter(
    'tollgate_policy_upstream_changes_total',
    'Breakers of upstreams that changed, or cooldowns that began, by the state they are in then',
    ['state'],
  );
  return {
    routed: (strategy, outcome) => routed.inc({ strategy, outcome }),
    leftOut: (reason) => leftOut.inc({ reason }),
    attempt: (verdict) => attempts.inc({ verdict }),
    upstreamChanged: (state) => changes.inc({ state }),
  };
}
