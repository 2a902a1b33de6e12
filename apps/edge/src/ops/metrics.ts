import type { Metrics } from '@tollgate/kit';
import type { PolicyStatus } from '../policy';

/** What the edge counts. Times come in milliseconds and are kept in seconds. */
export type EdgeMetrics = {
  request: (route: string, status: number, ms: number) => void;
  decision: (outcome: string, ms: number) => void;
  upstream: (provider: string, outcome: string, ms: number) => void;
  firstToken: (provider: string, ms: number) => void;
  reconnect: () => void;
  /** Takes the gauges anew, before they are read. */
  refresh: (status: PolicyStatus) => void;
};

export function createEdgeMetrics(metrics: Metrics): EdgeMetrics {
  const requests = metrics.histogram(
    'tollgate_edge_request_seconds',
    'From the arrival of a request to the end of its answer.',
    ['route', 'status'],
  );
  const decisions = metrics.histogram(
    'tollgate_edge_decision_seconds',
    "Policy's decision as the edge waits for it; the outcome is allow or the code of the refusal.",
    ['outcome'],
  );
  const upstreams = metrics.histogram(
    'tollgate_edge_upstream_seconds',
    'One call of a provider, to the end of its answer.',
    ['provider', 'outcome'],
  );
  const firstTokens = metrics.histogram(
    'tollgate_edge_first_token_seconds',
    'From the arrival of a streamed request to its first output.',
    ['provider'],
  );
  const reconnects = metrics.counter(
    'tollgate_edge_policy_session_reconnects_total',
    'Sessions to policy that broke or could not be opened.',
  );
  const gauges = {
    sessionsOpen: metrics.gauge(
      'tollgate_edge_policy_sessions_open',
      'Sessions to policy that take requests.',
    ),
    holdsInFlight: metrics.gauge('tollgate_edge_holds_in_flight', 'Holds of running requests.'),
    settlesQueued: metrics.gauge(
      'tollgate_edge_settle_queue_length',
      'Settles that policy has not taken yet.',
    ),
    settlesKept: metrics.gauge(
      'tollgate_edge_settles_unbooked',
      'Settles that are kept until they are booked.',
    ),
  };

  return {
    request: (route, status, ms) => requests.observe({ route, status }, ms / 1_000),
    decision: (outcome, ms) => decisions.observe({ outcome }, ms / 1_000),
    upstream: (provider, outcome, ms) => upstreams.observe({ provider, outcome }, ms / 1_000),
    firstToken: (provider, ms) => firstTokens.observe({ provider }, ms / 1_000),
    reconnect: () => reconnects.inc(),
    refresh: (status) => {
      gauges.sessionsOpen.set(status.sessionsOpen);
      gauges.holdsInFlight.set(status.holdsInFlight);
      gauges.settlesQueued.set(status.settlesQueued);
      gauges.settlesKept.set(status.settlesKept);
    },
  };
}
