// Counts MCP messages by server, method and name, so that tests can compare a gateway's records with
// what its upstream received.

export interface CallCount {
  server: string;
  /** The JSON-RPC method; `response` of a client's answer; `GET` or `DELETE` without a body. */
  method: string;
  /** The tool or prompt, or a resource's URI; empty for other methods. */
  name: string;
  /** Messages that arrived, including those that a fault answered. */
  received: number;
  /**
   * Tool calls only: runs of the tool that began, that returned or failed by themselves, and that were
   * cancelled. A tool that asks the client runs once for each round, whatever requests carry the rounds.
   */
  started: number;
  finished: number;
  cancelled: number;
}

export type CallStage = 'received' | 'started' | 'finished' | 'cancelled';

export interface CallCounts {
  count(server: string, method: string, name: string, stage: CallStage): void;
  list(): CallCount[];
  /** Without `server`: of all servers. */
  reset(server?: string): void;
}

/** Limit of rows. Clients choose the names, so calls beyond it share one row per server. */
const MAX_ROWS = 2_000;
const MAX_NAME = 200;

export function createCallCounts(): CallCounts {
  const rows = new Map<string, CallCount>();

  function rowOf(server: string, method: string, name: string): CallCount {
    const key = JSON.stringify([server, method, name]);
    const known = rows.get(key);
    if (known !== undefined) return known;
    if (rows.size >= MAX_ROWS && method !== 'other') return rowOf(server, 'other', '');
    const row = { server, method, name, received: 0, started: 0, finished: 0, cancelled: 0 };
    rows.set(key, row);
    return row;
  }

  return {
    count(server, method, name, stage) {
      rowOf(server, method.slice(0, MAX_NAME), name.slice(0, MAX_NAME))[stage] += 1;
    },
    list: () => [...rows.values()],
    reset(server) {
      for (const [key, row] of rows) {
        if (server === undefined || row.server === server) rows.delete(key);
      }
    },
  };
}
