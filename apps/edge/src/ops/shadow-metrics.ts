import type { Metrics } from '@tollgate/kit';

import type { ShadowSkip } from '../shadows';

export interface ShadowMetrics {
  shadowSkipped: (reason: ShadowSkip) => void;
  /** The result is completed, failed, stopped, denied or not_sent. */
  shadowEnded: (result: string) => void;
}

export function createShadowMetrics(metrics: Metrics): ShadowMetrics {
  const ended = metrics.counter(
    'tollgate_edge_shadows_total',
    'Requests that were repeated at the second model of an experiment; the result is completed, failed, stopped (by time or shutdown), denied (by policy) or not_sent (for example by screening). They are not in the metrics of requests of clients; provider calls, tokens, costs and decisions include them.',
    ['result'],
  );
  const skipped = metrics.counter(
    'tollgate_edge_shadows_skipped_total',
    'Sampled requests that were not repeated; the reason is busy, left_out (the model cannot answer it for the key), no_conversation, other_model (chosen by a plugin), server_tools, stored or too_large.',
    ['reason'],
  );
  return {
    shadowSkipped: (reason) => skipped.inc({ reason }),
    shadowEnded: (result) => ended.inc({ result }),
  };
}
