// Where an MCP server is.

import type { Dispatcher } from 'undici';

interface UpstreamBase {
  readonly serverId: string;
  /** May be newer than policy knows. */
  readonly version: number;
  readonly identifier: string;
  /** Where it processes requests; empty: unknown. */
  readonly region: string;
  /** Not secret; lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

/** A server that is called by HTTP. */
export interface HttpUpstream extends UpstreamBase {
  readonly transport: 'STREAMABLE_HTTP';
  readonly agent: Dispatcher;
  readonly origin: string;
  /** With the query. */
  readonly path: string;
}

/** A server that only the runner can call; the runner opens its secret. */
export interface RunnerUpstream extends UpstreamBase {
  readonly transport: 'SSE' | 'STDIO';
}

export type McpUpstream = HttpUpstream | RunnerUpstream;
