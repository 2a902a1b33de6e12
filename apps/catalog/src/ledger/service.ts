import type {
  AdvanceEpochRequest__Output,
  AppendReply,
  AppendRequest__Output,
  CheckpointReply,
  CheckpointRequest__Output,
  GetShardsReply,
  GetShardsRequest__Output,
  KeepBodiesReply,
  KeepBodiesRequest__Output,
  ReportDecisionsReply,
  ReportDecisionsRequest__Output,
  ReportRefusedReply,
  ReportRefusedRequest__Output,
  ReportReply,
  ReportRequest__Output,
  ReportSoftLimitsReply,
  ReportSoftLimitsRequest__Output,
  ShardState,
  WindowTotalsReply,
  WindowTotalsRequest__Output,
} from '@tollgate/contracts/node';
import {
  systemClock,
  unary,
  type Clock,
  type GrpcHandler,
  type Logger,
  type Metrics,
} from '@tollgate/kit';
import type { Tracing } from '@tollgate/kit/tracing';
import type { Pool } from 'pg';

import type { KeepBodies } from '../bodies';
import { grpcAnswer } from '../db';
import { noteAppended } from '../tracing';
import type { AppendOutcome } from './append/append';
import { createGroupCommit } from './append/group-commit';
import { checkpoint } from './holds/checkpoint';
import { advanceEpoch, getShards } from './records/shards';
import { keepDecisions } from './reports/kept-decisions';
import { addRefusals } from './reports/key-refusals';
import { addRefusedRequests } from './reports/refused-requests';
import { reportSoftLimits } from './reports/soft-limits';
import { storeUpstreamStates } from './reports/upstream-states';
import { windowTotals } from './windows/window-totals';

export interface LedgerDeps {
  pool: Pool;
  keepBodies: KeepBodies;
  log: Logger;
  metrics: Metrics;
  /** Undefined: nothing is traced. */
  tracing?: Pick<Tracing, 'add'> | undefined;
  clock?: Clock;
  /** Decisions of one organisation that are kept on a day. */
  decisionsPerDay?: number;
  /** Called with the lag of each batch. */
  onLag?: (seconds: number) => void;
}

const DECISIONS_PER_DAY = 10_000;

/** The handlers of `tollgate.catalog.v1.Ledger`. */
export function createLedgerService(deps: LedgerDeps): Record<string, GrpcHandler> {
  const { keepBodies, log, pool, tracing, clock = systemClock } = deps;
  const { decisionsPerDay: perDay = DECISIONS_PER_DAY } = deps;
  const meter = createLedgerMetrics(deps);
  const append = createGroupCommit(deps);

  return {
    append: unary<AppendRequest__Output, AppendReply>(async (request) => {
      const started = performance.now();
      const outcome = await grpcAnswer(() => append(request));
      const ms = performance.now() - started;
      meter.appended(request, outcome, ms / 1000);
      if (outcome.reply.committed === true && !request.quarantine) {
        const endMs = Date.now();
        noteAppended(tracing, request, { startMs: endMs - ms, endMs });
      }
      if (request.quarantine && outcome.reply.committed === true) {
        log.error('ledger entries set aside', {
          shard: request.shard,
          from: request.prev + 1,
          to: request.last,
          reason: request.quarantineReason,
        });
      }
      return outcome.reply;
    }),

    windowTotals: unary<WindowTotalsRequest__Output, WindowTotalsReply>((request) =>
      grpcAnswer(() => windowTotals(pool, request)),
    ),

    getShards: unary<GetShardsRequest__Output, GetShardsReply>(async ({ shards }) => ({
      shards: await grpcAnswer(() => getShards(pool, shards)),
    })),

    advanceEpoch: unary<AdvanceEpochRequest__Output, ShardState>(async (request) => {
      const state = await grpcAnswer(() => advanceEpoch(pool, request));
      log.warn('ledger epoch requested', { ...request, epoch: state.epoch });
      return state;
    }),

    checkpoint: unary<CheckpointRequest__Output, CheckpointReply>(async ({ holds }) => ({
      stored: await grpcAnswer(() => checkpoint(pool, holds)),
    })),

    reportSoftLimits: unary<ReportSoftLimitsRequest__Output, ReportSoftLimitsReply>(
      async ({ passed }) => ({ noted: await grpcAnswer(() => reportSoftLimits(pool, passed)) }),
    ),

    report: unary<ReportRequest__Output, ReportReply>(async ({ upstreams, refusals }) => ({
      stored: await grpcAnswer(() => storeUpstreamStates(pool, upstreams)),
      refusalsStored: await grpcAnswer(() => addRefusals(pool, refusals)),
    })),

    reportRefused: unary<ReportRefusedRequest__Output, ReportRefusedReply>(async ({ sums }) => ({
      stored: await grpcAnswer(() => addRefusedRequests(pool, sums)),
    })),

    reportDecisions: unary<ReportDecisionsRequest__Output, ReportDecisionsReply>(({ decisions }) =>
      grpcAnswer(() => keepDecisions(pool, decisions, { perDay, nowMs: clock.now() })),
    ),
    keepBodies: unary<KeepBodiesRequest__Output, KeepBodiesReply>(({ bodies }) =>
      grpcAnswer(() => keepBodies(bodies)),
    ),
  };
}

function createLedgerMetrics({ metrics, onLag, clock = systemClock }: LedgerDeps) {
  const duration = metrics.histogram(
    'tollgate_ledger_append_seconds',
    'Time to commit one batch of ledger entries.',
    ['result'],
  );
  const entries = metrics.counter(
    'tollgate_ledger_entries_total',
    'Ledger entries committed, by what they came to.',
    ['result'],
  );
  const lag = metrics.gauge(
    'tollgate_ledger_lag_seconds',
    'Age of the newest entry of the last batch when it was committed.',
    [],
    'max',
  );
  return {
    appended(request: AppendRequest__Output, outcome: AppendOutcome, seconds: number): void {
      const committed = outcome.reply.committed === true;
      duration.observe({ result: committed ? 'committed' : 'other_position' }, seconds);
      if (!committed) return;
      const count = request.entries.length + request.raw.length;
      if (request.quarantine) {
        entries.inc({ result: 'quarantined' }, count);
        return;
      }
      entries.inc({ result: 'record' }, outcome.records);
      entries.inc({ result: 'adjustment' }, outcome.adjustments);
      const newest = request.entries.at(-1);
      if (newest === undefined) return;
      const behindSeconds = Math.max(0, clock.now() - newest.closedAtMs) / 1000;
      lag.set(behindSeconds);
      onLag?.(behindSeconds);
    },
  };
}
