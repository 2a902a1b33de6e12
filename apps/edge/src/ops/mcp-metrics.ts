import type { Metrics } from '@tollgate/kit';

import { timesByTwo } from './histograms';

/** Metrics of requests to MCP servers. */
export interface McpMetrics {
  /** What kind of request it was, and how it ended. */
  mcpRequest: (methodClass: string, outcome: string, ms: number) => void;
  mcpBytes: (direction: 'request' | 'response', bytes: number) => void;
  /** The source of the gauge of open streams. */
  watchMcp: (streamsOpen: () => number) => void;
}

export function createMcpMetrics(metrics: Metrics): McpMetrics {
  const requests = metrics.histogram(
    'tollgate_edge_mcp_request_seconds',
    'From the arrival of a request to an MCP server to the end of its answer; the class says what it was.',
    ['class', 'outcome'],
  );
  const bytes = metrics.counter(
    'tollgate_edge_mcp_bytes_total',
    'Bytes of bodies: requests to MCP servers, and answers that were passed on.',
    ['direction'],
  );
  return {
    mcpRequest: timesByTwo(requests),
    mcpBytes: (direction, count) => bytes.labels(direction).inc(count),
    watchMcp: (streamsOpen) =>
      metrics.reading(
        'tollgate_edge_mcp_streams_open',
        'Requests to MCP servers and streams of them that are open.',
        streamsOpen,
      ),
  };
}
