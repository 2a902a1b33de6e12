// The answers of MCP servers that are being relayed. Their number is limited, and those of a key that was
// revoked, or lost its grant, are ended within a second.

import { gatewayError, type GatewayError } from '@tollgate/contracts';

export interface OpenStream {
  keySha256: Buffer;
  /** Identifier of the server. */
  server: string;
  /** The screening policies that applied when it was opened, as a text to compare. */
  screening: string;
  /** No request waits for its end, so that it may be ended at any time. */
  endless: boolean;
  /** Ends it; undefined: without an error, because the edge stops. */
  end: (error: GatewayError | undefined) => void;
}

export interface OpenStreams {
  /**
   * Returns what closes the stream's place.
   * @throws GatewayError `rate_limit_exceeded` for too many of this key, `overloaded` for too many in all
   */
  open: (stream: OpenStream) => () => void;
  size: () => number;
  /** Ends the streams that nobody waits for; their clients open new ones elsewhere. */
  drain: () => void;
  stop: () => void;
}

export interface OpenStreamsDeps {
  /** Whether a key may still use a server. Rejects if policy cannot answer. */
  ask: (
    keySha256: Buffer,
    server: string,
  ) => Promise<{ valid: boolean; granted: boolean; screening: string }>;
  perKeyMost: number;
  most: number;
  /** Monotonic milliseconds. */
  nowMs: () => number;
}

/** How often each key and server with an open stream is confirmed. */
export const CONFIRM_MS = 500;
/** Streams go on this long while policy cannot be asked. */
export const GRACE_MS = 60_000;
/** Limit of questions that are sent at once; the others have their turn next. */
const QUESTIONS_MOST = 2_000;
const RETRY_AFTER_MS = 1_000;

/** The streams of one key to one server, which are confirmed together. */
interface Group {
  readonly keySha256: Buffer;
  readonly server: string;
  readonly streams: Set<OpenStream>;
  confirmedMs: number;
  asking: boolean;
}

interface Registry extends OpenStreamsDeps {
  readonly groups: Map<string, Group>;
  readonly perKey: Map<string, number>;
  size: number;
  ticker: NodeJS.Timeout | undefined;
}

export function createOpenStreams(deps: OpenStreamsDeps): OpenStreams {
  const registry: Registry = {
    ...deps,
    groups: new Map(),
    perKey: new Map(),
    size: 0,
    ticker: undefined,
  };
  return {
    open: (stream) => open(registry, stream),
    size: () => registry.size,
    drain: () => drain(registry),
    stop: () => clearInterval(registry.ticker),
  };
}

function open(registry: Registry, stream: OpenStream): () => void {
  const key = stream.keySha256.toString('latin1');
  const ofKey = registry.perKey.get(key) ?? 0;
  if (ofKey >= registry.perKeyMost) {
    const text = `This API key has ${ofKey} requests and streams to MCP servers open, which is the limit. End some of them first.`;
    throw gatewayError('rate_limit_exceeded', text, {
      retryAfterMs: RETRY_AFTER_MS,
      details: { resource: 'mcp streams', limit: registry.perKeyMost },
    });
  }
  if (registry.size >= registry.most) {
    throw gatewayError('overloaded', undefined, {
      retryAfterMs: RETRY_AFTER_MS,
      details: { resource: 'mcp streams' },
    });
  }
  const name = `${key} ${stream.server}`;
  const group = registry.groups.get(name) ?? openGroup(registry, name, stream);
  group.streams.add(stream);
  registry.perKey.set(key, ofKey + 1);
  registry.size += 1;
  registry.ticker ??= setInterval(confirmAll, CONFIRM_MS, registry);
  return () => {
    if (group.streams.delete(stream)) close(registry, name, group, key);
  };
}

// Whoever opens a stream has just asked policy.
function openGroup(registry: Registry, name: string, { keySha256, server }: OpenStream): Group {
  const confirmedMs = registry.nowMs();
  const group = { keySha256, server, streams: new Set<OpenStream>(), confirmedMs, asking: false };
  registry.groups.set(name, group);
  return group;
}

function close(registry: Registry, name: string, group: Group, key: string): void {
  registry.size -= 1;
  const left = (registry.perKey.get(key) ?? 1) - 1;
  if (left > 0) registry.perKey.set(key, left);
  else registry.perKey.delete(key);
  if (group.streams.size === 0 && registry.groups.get(name) === group) registry.groups.delete(name);
  if (registry.size > 0) return;
  clearInterval(registry.ticker);
  registry.ticker = undefined;
}

function confirmAll(registry: Registry): void {
  let asked = 0;
  for (const [name, group] of registry.groups) {
    if (group.asking) continue;
    if (asked >= QUESTIONS_MOST) return;
    asked += 1;
    // Asked ones go to the end, so that all have their turn.
    registry.groups.delete(name);
    registry.groups.set(name, group);
    void confirm(registry, group);
  }
}

async function confirm(registry: Registry, group: Group): Promise<void> {
  group.asking = true;
  try {
    const { valid, granted, screening } = await registry.ask(group.keySha256, group.server);
    if (!valid) endAll(group, gatewayError('invalid_api_key'));
    else if (!granted) endAll(group, gatewayError('mcp_access_denied'));
    else {
      group.confirmedMs = registry.nowMs();
      endOutdated(group, screening);
    }
  } catch (error) {
    if (registry.nowMs() - group.confirmedMs < GRACE_MS) return;
    const text =
      'The gateway could not confirm the API key for a minute, so it has ended the request. Send it again in a moment.';
    endAll(
      group,
      gatewayError('dependency_unavailable', text, {
        cause: error,
        details: { dependency: 'policy' },
      }),
    );
  } finally {
    group.asking = false;
  }
}

function endAll(group: Group, error: GatewayError): void {
  for (const stream of group.streams) stream.end(error);
}

/** Clients open streams that nobody waits for again, and other rules apply to those. */
function endOutdated(group: Group, screening: string): void {
  for (const stream of group.streams) {
    if (stream.endless && stream.screening !== screening) stream.end(undefined);
  }
}

function drain(registry: Registry): void {
  for (const { streams } of registry.groups.values()) {
    for (const stream of streams) if (stream.endless) stream.end(undefined);
  }
}
