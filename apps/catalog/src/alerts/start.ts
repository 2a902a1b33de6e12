import { setTimeout as pause } from 'node:timers/promises';
import type { Metrics } from '@tollgate/kit';

import { isDatabaseAway } from '../db';
import { attempt, takeNext, type DeliveryDeps } from './deliver';
import { evaluate, evaluateLedger, lastEvaluationMs, takeTurn } from './evaluate';

export interface AlertsDeps extends Omit<DeliveryDeps, 'onAttempt'> {
  readonly metrics: Metrics;
  readonly intervalMs: number;
  /** The largest lag of the ledger in this process since the last call, in seconds. */
  readonly ledgerLagSeconds: () => number;
  readonly idleMs?: number;
}

/** Messages that one catalog sends at the same time. */
const SENDING = 4;
const IDLE_MS = 1_000;
/** Timers fire a little early or late, and a turn must not be missed for it. */
const TURN_PART = 0.9;

/** Evaluates rules and delivers messages in the background. `stop` waits for what is running. */
export function startAlerts(deps: AlertsDeps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = [runEvaluation(deps, stopping.signal), runDelivery(deps, stopping.signal)];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function runEvaluation(deps: AlertsDeps, signal: AbortSignal): Promise<void> {
  const { clock, intervalMs, log, metrics, pool } = deps;
  const raisedTotal = metrics.counter('tollgate_alerts_raised_total', 'Alerts raised.', ['kind']);
  const duration = metrics.histogram(
    'tollgate_alert_evaluation_seconds',
    'Time to evaluate all alert rules once.',
  );
  const startedMs = clock.now();
  let lastMs: number | undefined;
  metrics.reading(
    'tollgate_alert_evaluation_age_seconds',
    'Time since any catalog last began to evaluate the alert rules.',
    () => Math.max(0, clock.now() - (lastMs ?? startedMs)) / 1000,
  );

  async function tick(): Promise<void> {
    const nowMs = clock.now();
    const ofLedger = await evaluateLedger({ pool }, deps.ledgerLagSeconds(), nowMs);
    if (ofLedger > 0) raisedTotal.inc({ kind: 'LEDGER' }, ofLedger);
    if (await takeTurn(pool, intervalMs * TURN_PART, nowMs)) {
      const end = duration.startTimer();
      const raised = await evaluate({ pool, log }, nowMs);
      end();
      for (const [kind, count] of raised) raisedTotal.inc({ kind }, count);
      if (raised.size > 0) log.info('alerts raised', { raised: Object.fromEntries(raised) });
    }
    lastMs = await lastEvaluationMs(pool);
  }

  while (!signal.aborted) {
    try {
      await tick();
    } catch (error) {
      if (isDatabaseAway(error)) log.debug('alert rules wait for the database', { error });
      else log.error('alert rules could not be evaluated, retrying', { error });
    }
    await pause(intervalMs, undefined, { signal }).catch(() => {});
  }
}

async function runDelivery(deps: AlertsDeps, signal: AbortSignal): Promise<void> {
  const { log, metrics, idleMs = IDLE_MS } = deps;
  const attempts = metrics.counter(
    'tollgate_alert_deliveries_total',
    'Attempts to deliver a message of an alert.',
    ['destination', 'outcome'],
  );
  const delivery: DeliveryDeps = {
    ...deps,
    onAttempt: (destination, outcome) => attempts.inc({ destination, outcome }),
  };
  const sending = new Set<Promise<unknown>>();
  const failed = (error: unknown): void => {
    if (isDatabaseAway(error)) log.debug('messages of alerts wait for the database', { error });
    else log.error('a message of an alert failed, retrying', { error });
  };

  while (!signal.aborted) {
    const taken = sending.size < SENDING ? await takeNext(delivery).catch(failed) : undefined;
    if (taken) {
      const one: Promise<unknown> = attempt(delivery, taken)
        .catch(failed)
        .finally(() => sending.delete(one));
      sending.add(one);
      continue;
    }
    const idle = pause(idleMs, undefined, { signal }).catch(() => {});
    await (sending.size < SENDING ? idle : Promise.race([idle, ...sending]));
  }
  await Promise.all(sending);
}
