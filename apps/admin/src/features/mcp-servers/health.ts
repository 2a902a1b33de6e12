import { isOneOf, MCP_CALL_METHODS, type rest } from '@tollgate/contracts';

// How a server did in its newest records. Pure.

type Record = Pick<
  rest.McpUsageRecord,
  'method' | 'outcome' | 'errorCode' | 'jsonRpcErrorCode' | 'isError' | 'latencyMs' | 'calledAt'
>;

export interface Health {
  readonly requests: number;
  /** Tool calls, prompts and resources among the requests. */
  readonly calls: number;
  /** Requests that failed: at the gateway, at the server, or with a JSON-RPC error. */
  readonly errors: number;
  /** Answered calls whose tool reports an error. */
  readonly toolErrors: number;
  /** 95th percentile of the calls; undefined without calls. */
  readonly p95Ms: number | undefined;
  readonly oldest: string | undefined;
}

export function healthOf(records: readonly Record[]): Health {
  const calls = records.filter(({ method }) => isOneOf(MCP_CALL_METHODS, method));
  return {
    requests: records.length,
    calls: calls.length,
    errors: records.filter(isFailed).length,
    toolErrors: records.filter(({ isError }) => isError).length,
    p95Ms: percentile(
      calls.map(({ latencyMs }) => latencyMs),
      0.95,
    ),
    oldest: records.map(({ calledAt }) => calledAt).toSorted()[0],
  };
}

/** A client that leaves is no failure of the server. */
export function isFailed({ outcome, errorCode, jsonRpcErrorCode }: Record): boolean {
  return outcome === 'FAILED' || errorCode !== null || jsonRpcErrorCode !== null;
}

/** The nearest rank: a value that was measured. */
function percentile(values: readonly number[], part: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * part) - 1];
}
