import type { Clock, Logger } from '@tollgate/kit';

import type { BreakerFigures, Store } from '../store';
import { createChanges, type Changes, type ChangesDeps } from './changes';
import { createChoose, type Choose, type ChooseDeps } from './choose';
import { createGiveBacks, type GiveBacks } from './give-backs';
import { createReports, type Reports, type ReportsDeps } from './reports';
import { createTurns } from './turns';

export interface RoutingDeps {
  readonly store: Pick<Store, 'route' | 'tryRoute' | 'unroute' | 'attempted'>;
  readonly figures: BreakerFigures;
  /** How long one request has a probe for itself. */
  readonly probeMs: number;
  /** How long after its last turn a moved conversation is remembered. */
  readonly movedMs: number;
  readonly report: ChangesDeps['report'];
  readonly metrics: RoutingMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface RoutingMetrics {
  readonly routed: ChooseDeps['onRouted'];
  readonly leftOut: ChooseDeps['onLeftOut'];
  readonly attempt: ReportsDeps['onAttempt'];
  readonly upstreamChanged: ReportsDeps['onChange'];
}

export interface RoutingParts {
  readonly choose: Choose;
  /** Chooses what choose would choose now; takes neither a turn nor a probe, and counts nothing. */
  readonly tryChoose: Choose;
  readonly reports: Reports;
  readonly changes: Changes;
  readonly giveBacks: GiveBacks;
}

export function createRouting(deps: RoutingDeps): RoutingParts {
  const { store, figures, movedMs, probeMs, metrics, clock, log } = deps;
  const changes = createChanges({ report: deps.report, log });
  const giveBacks = createGiveBacks({ store, log });
  return {
    changes,
    giveBacks,
    reports: createReports({
      store,
      figures,
      movedMs,
      changes,
      onAttempt: metrics.attempt,
      onChange: metrics.upstreamChanged,
      log,
    }),
    tryChoose: createChoose({
      turns: { route: store.tryRoute },
      giveBacks: { give: nothing },
      figures,
      probeMs,
      movedMs,
      onLeftOut: nothing,
      onRouted: nothing,
      onProbe: nothing,
    }),
    choose: createChoose({
      turns: createTurns({ store, clock }),
      giveBacks,
      figures,
      probeMs,
      movedMs,
      onLeftOut: metrics.leftOut,
      onRouted: metrics.routed,
      onProbe: ({ nowMs, ...upstream }) => {
        metrics.upstreamChanged('HALF_OPEN');
        const expiresAtMs = upstream.untilMs + figures.forgetMs;
        changes.note({ ...upstream, state: 'HALF_OPEN', reason: '', atMs: nowMs, expiresAtMs });
      },
    }),
  };
}

const nothing = (): void => undefined;
