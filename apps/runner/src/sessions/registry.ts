// Keeps the open channels, and ends them: with their client's wish, when they are idle, and when their
// server has newer settings. A channel counts until its processes are gone.
import type { Logger } from '@tollgate/kit';

import type { OpenChannel } from '../channels';
import type { StartPauses } from '../processes';
import type { StatefulSession } from './stateful';
import type { StatelessChannel } from './stateless';

/** Whom a channel belongs to: the path and the principal of the request that began it. */
export interface Owner {
  readonly serverId: string;
  readonly version: number;
  readonly principal: string;
}

/** How a server is reached now. */
export interface Target {
  /** What `maxSessions` and pauses after failed starts are counted for. */
  readonly key: string;
  readonly version: number;
  readonly open: OpenChannel;
  readonly idleMs: number;
  /** How long it may say nothing about a request. */
  readonly silenceMs: number;
  readonly maxSessions: number;
  /** Whether it may speak the stateless revision. */
  readonly stateless: boolean;
}

export interface Row {
  readonly owner: Owner;
  readonly target: Target;
  readonly channel: StatefulSession | StatelessChannel;
  /** Of a session. */
  readonly id?: string;
}

type SessionRow = Row & { readonly channel: StatefulSession; readonly id: string };
type SharedRow = Row & { readonly channel: StatelessChannel };

export interface Registry {
  readonly addSession: (row: SessionRow) => Row;
  readonly addShared: (row: SharedRow) => Row;
  /** Undefined: there is none, it is ending, or it is another owner's. */
  readonly session: (owner: Owner, id: string) => SessionRow | undefined;
  readonly shared: (owner: Owner) => SharedRow | undefined;
  readonly rows: () => ReadonlySet<Row>;
  readonly close: (row: Row) => Promise<void>;
  readonly closeAll: () => Promise<void>;
  readonly endIdle: () => void;
  /** Ends channels that were opened with older settings of this server. */
  readonly endOutdated: (serverId: string, version: number) => void;
  readonly stopListening: () => void;
}

export interface RegistryDeps {
  readonly pauses: StartPauses;
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly ended: (how: 'asked' | 'failed') => void;
}

export function createRegistry(deps: RegistryDeps): Registry {
  const rows = new Set<Row>();
  const closing = new Set<Row>();
  const sessions = new Map<string, SessionRow>();
  const shared = new Map<string, SharedRow>();

  /** From now on no request finds it. */
  const hide = (row: Row): void => {
    if (row.id !== undefined) sessions.delete(row.id);
    const key = keyOf(row.owner);
    if (shared.get(key) === row) shared.delete(key);
  };
  const close = async (row: Row): Promise<void> => {
    closing.add(row);
    hide(row);
    await row.channel.close();
    await row.channel.ended;
  };
  const closeWhere = (matches: (row: Row) => boolean): void => {
    for (const row of rows) if (!closing.has(row) && matches(row)) void close(row);
  };

  const add = (row: Row): Row => {
    rows.add(row);
    const log = deps.log.child({ serverId: row.owner.serverId, server: row.target.key });
    log.info('a channel to an MCP server is open', { channels: rows.size });
    void row.channel.ended.then((reason) => {
      hide(row);
      rows.delete(row);
      const asked = closing.delete(row);
      deps.ended(asked ? 'asked' : 'failed');
      if (row.channel.hasAnswered()) deps.pauses.answered(row.target.key);
      else if (!asked) deps.pauses.failed(row.target.key);
      if (!asked) log.warn('an MCP server ended', { reason });
    });
    return row;
  };

  return {
    addSession: (row) => {
      sessions.set(row.id, row);
      return add(row);
    },
    addShared: (row) => {
      shared.set(keyOf(row.owner), row);
      return add(row);
    },
    session: (owner, id) => {
      const row = sessions.get(id);
      return row !== undefined && keyOf(row.owner) === keyOf(owner) ? row : undefined;
    },
    shared: (owner) => shared.get(keyOf(owner)),
    rows: () => rows,
    close,
    closeAll: async () => {
      await Promise.all([...rows].map(close));
    },
    endIdle: () => {
      const nowMs = deps.nowMs();
      closeWhere(
        ({ channel, target }) => !channel.inUse() && nowMs - channel.usedMs() >= target.idleMs,
      );
    },
    endOutdated: (serverId, version) =>
      closeWhere(({ owner, target }) => owner.serverId === serverId && target.version < version),
    stopListening: () => {
      for (const { channel } of sessions.values()) channel.stopListening();
    },
  };
}

function keyOf({ serverId, version, principal }: Owner): string {
  return JSON.stringify([serverId, version, principal]);
}
