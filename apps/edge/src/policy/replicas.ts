import { lookup as lookupName } from 'node:dns/promises';
import { isIP } from 'node:net';

/** One policy process, or a port behind which there may be several. */
export interface Replica {
  /** host:port */
  readonly address: string;
  /** The host name that the address came from; its certificate must be for this name. */
  readonly serverName?: string;
}

/** The policy replicas behind the configured addresses. */
export interface Replicas {
  current: () => readonly Replica[];
  /** Looks again soon, because a replica that was there is not reached any more. */
  lookAgain: () => void;
  stop: () => void;
}

export interface ReplicasDeps {
  /** host:port; a host name stands for all of its addresses. */
  addresses: readonly string[];
  lookup?: (host: string) => Promise<readonly { address: string; family: number }[]>;
  /** The replicas have changed. */
  onChange: (replicas: readonly Replica[]) => void;
  /** A name could not be resolved: what was known of it stays in use. */
  onFailure: (host: string, reason: string) => void;
  intervalMs?: number;
  soonMs?: number;
}

/** Pause between two lookups of a name. */
const INTERVAL_MS = 5_000;
/** The pause after a replica was lost, or while a name has no address. */
const SOON_MS = 500;
/** Limit of replicas behind one name. */
const REPLICAS_MOST = 64;

interface State extends ReplicasDeps {
  /** What was last found, by configured address. */
  readonly found: Map<string, readonly Replica[]>;
  looking: boolean;
  /** The next lookup is due after the short pause. */
  soon: boolean;
  timer: NodeJS.Timeout | undefined;
  stopped: boolean;
}

/**
 * Resolves host names again and again, so that new replicas of a headless service get sessions and
 * removed ones are forgotten. Literal addresses, and localhost, are used as they are.
 */
export function createReplicas(deps: ReplicasDeps): Replicas {
  const state: State = {
    ...deps,
    found: new Map(),
    looking: false,
    soon: false,
    timer: undefined,
    stopped: false,
  };
  let named = false;
  for (const address of deps.addresses) {
    const isName = hostNameOf(address) !== undefined;
    state.found.set(address, isName ? [] : [{ address }]);
    named ||= isName;
  }
  if (named) void look(state);
  return {
    current: () => known(state),
    lookAgain: () => {
      if (named) lookSoon(state);
    },
    stop: () => {
      state.stopped = true;
      clearTimeout(state.timer);
    },
  };
}

const known = ({ found }: State): readonly Replica[] => [...found.values()].flat();

async function look(state: State): Promise<void> {
  state.looking = true;
  state.soon = false;
  const before = listOf(known(state));
  for (const address of state.addresses) {
    const host = hostNameOf(address);
    if (host !== undefined) await resolve(state, address, host);
  }
  state.looking = false;
  if (state.stopped) return;
  if (listOf(known(state)) !== before) state.onChange(known(state));
  state.soon ||= [...state.found.values()].some((replicas) => replicas.length === 0);
  schedule(state);
}

function lookSoon(state: State): void {
  if (state.soon || state.stopped) return;
  state.soon = true;
  if (!state.looking) schedule(state);
}

function schedule(state: State): void {
  const { intervalMs = INTERVAL_MS, soonMs = SOON_MS } = state;
  clearTimeout(state.timer);
  state.timer = setTimeout(() => void look(state), state.soon ? soonMs : intervalMs);
}

async function resolve(state: State, address: string, host: string): Promise<void> {
  const { lookup = (name) => lookupName(name, { all: true }) } = state;
  try {
    const all = await lookup(host);
    // A replica with addresses of both families is one replica. Services listen on IPv4 by default.
    const family = all.some((one) => one.family === 4) ? 4 : 6;
    const port = address.slice(address.lastIndexOf(':'));
    const addresses = all
      .filter((one) => one.family === family)
      .map((one) => (family === 4 ? one.address : `[${one.address}]`) + port);
    if (addresses.length === 0) return;
    const sorted = [...new Set(addresses)].sort().slice(0, REPLICAS_MOST);
    state.found.set(
      address,
      sorted.map((one) => ({ address: one, serverName: host })),
    );
  } catch (error) {
    // All replicas unready, or name servers away: sessions that are open may still serve.
    if (!state.stopped)
      state.onFailure(host, error instanceof Error ? error.message : String(error));
  }
}

function hostNameOf(address: string): string | undefined {
  const host = address.slice(0, address.lastIndexOf(':'));
  const literal = host.startsWith('[') || isIP(host) !== 0;
  return literal || host === 'localhost' || host === '' ? undefined : host;
}

const listOf = (replicas: readonly Replica[]): string =>
  replicas.map(({ address }) => address).join();
