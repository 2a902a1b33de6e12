import { status } from '@grpc/grpc-js';

import type { Metrics } from './metrics';

/** Called when a call is over; only the first call counts. */
export type CallEnded = (code: status) => void;

export interface GrpcServerMetrics {
  begin(path: string, caller: string): CallEnded;
}

// Counts calls by method and status, their duration, and running calls.
export function createGrpcServerMetrics(metrics: Metrics | undefined): GrpcServerMetrics {
  if (!metrics) return { begin: () => () => {} };
  const seconds = metrics.histogram(
    'grpc_server_seconds',
    'Time from the beginning of a gRPC call to its end.',
    ['method', 'code'],
  );
  const calls = metrics.counter('grpc_server_calls_total', 'gRPC calls that ended, by caller.', [
    'method',
    'caller',
    'code',
  ]);
  const running = metrics.gauge('grpc_server_running', 'gRPC calls that are running.', ['method']);
  return {
    begin: (path, caller) => {
      const startedMs = performance.now();
      let over = false;
      running.inc({ method: path });
      return (code) => {
        if (over) return;
        over = true;
        running.dec({ method: path });
        calls.inc({ method: path, caller, code: status[code] });
        seconds.observe(
          { method: path, code: status[code] },
          (performance.now() - startedMs) / 1000,
        );
      };
    },
  };
}
