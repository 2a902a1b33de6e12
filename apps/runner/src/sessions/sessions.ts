// All channels that are open: sessions by their id, and one channel for each principal of a stateless
// server, and the limits of both. ./registry.ts keeps them.
import { randomUUID } from 'node:crypto';
import { RUNNER_REPLICA_HEADER } from '@tollgate/contracts';
import type { Logger } from '@tollgate/kit';

import type { StartPauses } from '../processes';
import type { Refusal } from './refusal';
import { createRegistry, type Owner, type Row, type Target } from './registry';
import { createStatefulSession, type StatefulSession } from './stateful';
import { createStatelessChannel, type StatelessChannel } from './stateless';

export interface SessionsDeps {
  readonly resolve: (serverId: string, version: number) => Promise<Target | Refusal>;
  readonly pauses: StartPauses;
  readonly limits: {
    readonly sessions: number;
    readonly perPrincipal: number;
    readonly startTimeoutMs: number;
  };
  /** Base URL of this process, which owns its sessions. */
  readonly selfUrl: () => string;
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly ended: (how: 'asked' | 'failed') => void;
}

export interface Sessions {
  readonly create: (owner: Owner) => Promise<StatefulSession | Refusal>;
  readonly find: (owner: Owner, id: string) => StatefulSession | undefined;
  readonly stateless: (owner: Owner) => Promise<StatelessChannel | Refusal>;
  /** False: there is no such session. */
  readonly end: (owner: Owner, id: string) => Promise<boolean>;
  /** Ends what is idle. */
  readonly sweep: () => void;
  /** Refuses new channels, and ends the streams that wait for news. */
  readonly drain: () => void;
  readonly close: () => Promise<void>;
  readonly size: () => number;
}

const SWEEP_MS = 1_000;

export function createSessions(deps: SessionsDeps): Sessions {
  const registry = createRegistry(deps);
  let draining = false;

  const targetFor = async (owner: Owner): Promise<Target | Refusal> => {
    const target = await deps.resolve(owner.serverId, owner.version);
    if ('status' in target) return target;
    registry.endOutdated(owner.serverId, target.version);
    if (draining) return full(503, 'The runner is stopping. Retry later.');
    return refusalOf(deps, registry.rows(), owner, target) ?? target;
  };
  const timer = setInterval(registry.endIdle, SWEEP_MS);

  return {
    create: async (owner) => {
      const target = await targetFor(owner);
      if ('status' in target) return target;
      const id = randomUUID();
      const channel = createStatefulSession({
        open: target.open,
        headers: { 'mcp-session-id': id, [RUNNER_REPLICA_HEADER]: deps.selfUrl() },
        nowMs: deps.nowMs,
        startTimeoutMs: deps.limits.startTimeoutMs,
        silenceMs: target.silenceMs,
        malformed: malformed(deps, owner),
        close: () => void registry.close(row),
      });
      const row = registry.addSession({ owner, target, channel, id });
      return channel;
    },
    find: (owner, id) => registry.session(owner, id)?.channel,
    stateless: async (owner) => {
      const open = registry.shared(owner);
      if (open !== undefined) return open.channel;
      const target = await targetFor(owner);
      // Another request may have opened it in the meantime.
      const opened = registry.shared(owner);
      if (opened !== undefined) return opened.channel;
      if ('status' in target) return target;
      if (!target.stateless) return ONLY_SESSIONS;
      const channel = createStatelessChannel({
        open: target.open,
        nowMs: deps.nowMs,
        silenceMs: target.silenceMs,
        malformed: malformed(deps, owner),
        unserved: () => void registry.close(row),
      });
      const row = registry.addShared({ owner, target, channel });
      return channel;
    },
    end: async (owner, id) => {
      const row = registry.session(owner, id);
      if (row === undefined) return false;
      await registry.close(row);
      return true;
    },
    sweep: registry.endIdle,
    drain: () => {
      draining = true;
      registry.stopListening();
    },
    close: async () => {
      draining = true;
      clearInterval(timer);
      await registry.closeAll();
    },
    size: () => registry.rows().size,
  };
}

/** The first line is enough to find the cause. */
function malformed({ log }: SessionsDeps, { serverId }: Owner): () => void {
  let told = false;
  return () => {
    if (!told) log.warn('an MCP server sent a line that is no message', { serverId });
    told = true;
  };
}

/** No answer of the stateless revision, so that clients fall back to `initialize`. */
const ONLY_SESSIONS: Refusal = {
  status: 400,
  code: 'invalid_request',
  message: 'The MCP server needs a session. Send initialize first.',
};

function refusalOf(
  { limits, pauses }: SessionsDeps,
  rows: ReadonlySet<Row>,
  { principal }: Owner,
  target: Target,
): Refusal | undefined {
  if (rows.size >= limits.sessions) {
    return full(503, `The runner has ${rows.size} sessions, which is its limit. Retry later.`);
  }
  const ofKey = [...rows].filter((row) => row.target.key === target.key).length;
  if (ofKey >= target.maxSessions) {
    return full(503, `The MCP server has ${ofKey} sessions, which is its limit. Retry later.`);
  }
  const own = [...rows].filter((row) => row.owner.principal === principal).length;
  if (own >= limits.perPrincipal) {
    return full(429, `This key has ${own} sessions, which is its limit. End one of them.`);
  }
  const waitMs = pauses.waitMs(target.key);
  if (waitMs <= 0) return undefined;
  const message = 'The MCP server ended soon after its last start. Retry later.';
  return { status: 503, code: 'server_ended', message, retryAfterMs: waitMs };
}

function full(status: number, message: string): Refusal {
  return { status, code: 'too_many_sessions', message, retryAfterMs: 1_000 };
}
