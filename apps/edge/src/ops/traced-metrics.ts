import type { Metrics } from '@tollgate/kit';

export interface TracedRequest {
  readonly traceId: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  /** Undefined: it was not streamed, or nothing came. */
  readonly firstToken?: { readonly provider: string; readonly ms: number } | undefined;
}

export interface TracedMetrics {
  /** A finished request that is traced, once it is counted: its trace is an exemplar of the histograms. */
  traced: (request: TracedRequest) => void;
}

export function createTracedMetrics(metrics: Pick<Metrics, 'exemplar'>): TracedMetrics {
  return {
    traced: ({ traceId, route, status, ms, firstToken }) => {
      const labels = { route, status };
      metrics.exemplar('tollgate_edge_request_seconds', labels, ms / 1_000, traceId);
      if (firstToken === undefined) return;
      const { provider } = firstToken;
      const seconds = firstToken.ms / 1_000;
      metrics.exemplar('tollgate_edge_first_token_seconds', { provider }, seconds, traceId);
    },
  };
}
