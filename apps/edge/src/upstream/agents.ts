import { lookup } from 'node:dns';
import { getCACertificates } from 'node:tls';
import { gatewayError } from '@tollgate/contracts';
import { guardedLookup, literalAddress, portOf, type Resolve } from '@tollgate/contracts/node';
import { buildConnector, Client, EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici';

import { UpstreamFailure } from './failure';

/** Checks a port at an address. */
export type EndpointCheck = (address: string, port: number) => boolean;
type AddressCheck = (address: string) => boolean;

/** Settings shared by all upstream connections. */
export interface AgentOptions {
  /** Sockets per origin; further calls wait. */
  connections: number;
  /** How long an idle socket is kept, if the upstream does not say. */
  keepAliveMs: number;
  /** An older socket takes no new call, so that DNS is resolved again. */
  socketAgeMs: number;
  /** Limit of all response headers together. */
  headerBytes: number;
  /** Use HTTP/2 with upstreams that offer it. */
  http2: boolean;
  /** PEM certificates trusted in addition to the system's; empty: none. */
  ca: string;
  proxies: Proxies;
  /** Whether an address and port may be connected to. Checked after DNS resolution. */
  mayConnect: EndpointCheck;
  /** Resolves all addresses of a name; absent: the system's resolver. */
  resolve?: Resolve;
}

/** Proxy URLs for plain and for TLS upstreams, and hosts that are called directly. */
export interface Proxies {
  http: string;
  https: string;
  none: string;
}

/** A connection pool, shared by all callers that use an origin with the same settings. */
export interface Lease {
  agent: Dispatcher;
  /** Closes the pool after its running calls. */
  release: () => void;
}

export interface Agents {
  open: (origin: string, connectTimeoutMs: number) => Lease;
  /** Aborts all calls. */
  close: () => Promise<void>;
}

export function createAgents(options: AgentOptions): Agents {
  const shared = new Map<string, { agent: Dispatcher; leases: number }>();
  let closed = false;

  const open: Agents['open'] = (origin, connectTimeoutMs) => {
    const key = `${connectTimeoutMs} ${origin}`;
    const entry = shared.get(key) ?? {
      agent: createAgent(origin, connectTimeoutMs, options),
      leases: 0,
    };
    shared.set(key, entry);
    entry.leases += 1;
    const { agent } = entry;
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      entry.leases -= 1;
      if (entry.leases > 0) return;
      shared.delete(key);
      // close() has already destroyed it.
      if (!closed) void agent.close();
    };
    return { agent, release };
  };

  const close = async (): Promise<void> => {
    closed = true;
    const agents = [...shared.values()].map(({ agent }) => agent);
    shared.clear();
    await Promise.all(agents.map((agent) => agent.destroy()));
  };

  return { open, close };
}

type Connector = buildConnector.connector;

function createAgent(origin: string, timeoutMs: number, options: AgentOptions): Dispatcher {
  const { http2, proxies, resolve = lookup } = options;
  // All connections of this agent go to one origin, directly or through a proxy.
  const port = portOf(new URL(origin));
  const mayConnect: AddressCheck = (address) => options.mayConnect(address, port);
  const tls = options.ca === '' ? {} : { ca: [...getCACertificates('default'), options.ca] };
  const common = {
    ...tls,
    timeout: timeoutMs,
    allowH2: http2,
    preferH2: http2,
  } as buildConnector.BuildOptions;
  // `pipelining` is left unset: one call at a time on an HTTP/1.1 socket, many on HTTP/2.
  const pool = {
    connections: options.connections,
    allowH2: http2,
    clientTtl: options.socketAgeMs,
    keepAliveTimeout: options.keepAliveMs,
    keepAliveMaxTimeout: Math.max(options.keepAliveMs, options.socketAgeMs),
    maxHeaderSize: options.headerBytes,
    factory: (target: URL, given: object) => createClient(target, given, options.socketAgeMs),
  };
  const guard = { allows: mayConnect, forbidden, resolve };
  const direct = buildConnector({ ...common, lookup: guardedLookup(guard) });
  if (proxies.http === '' && proxies.https === '') {
    return new Pool(origin, { ...pool, connect: literalsChecked(direct, mayConnect) });
  }
  return new EnvHttpProxyAgent({
    ...pool,
    httpProxy: proxies.http,
    httpsProxy: proxies.https,
    noProxy: proxies.none,
    // Plain upstreams use a tunnel too, because only then the target address is known to the check.
    proxyTunnel: true,
    connectTimeout: timeoutMs,
    proxyTls: common,
    requestTls: common,
    connect: literalsChecked(direct, mayConnect),
    // `connect` is the function above, or the proxy's.
    factory: (target: URL | string, given: object) => {
      const { connect } = given as { connect: Connector };
      const checked = connect === undefined ? connect : namesChecked(connect, mayConnect, resolve);
      return new Pool(target, { ...pool, connect: checked });
    },
  });
}

/** Limit of calls that wait for a new connection while an old one finishes its streams. */
const WAITING_CALLS = 100;

// After a GOAWAY, undici resends calls that the upstream did not take on a new connection. It opens
// that connection only when the old streams have ended, because it treats the old socket as one
// that serves a single call. So `pipelining` is raised until the client is connected again.
function createClient(origin: URL, options: object, socketAgeMs: number): Client {
  const client = new AgeingClient(origin, options, socketAgeMs);
  client.on('disconnect', () => {
    if (client.stats.running > 0) client.pipelining = WAITING_CALLS;
  });
  client.on('connect', () => {
    if (client.pipelining !== 1) client.pipelining = 1;
  });
  return client;
}

/**
 * undici's pool searches for a free client twice per call, and reads the clock for each client that
 * reports when it connected. With many calls that is expensive. This client reports its connect
 * time only once it is old enough to be replaced.
 */
class AgeingClient extends Client {
  readonly #socketAgeMs: number;
  #oldSinceMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(origin: URL, options: Client.Options, socketAgeMs: number) {
    super(origin, options);
    this.#socketAgeMs = socketAgeMs;
    this.on('disconnect', () => clearTimeout(this.#timer));
  }

  get ttl(): number | undefined {
    return this.#oldSinceMs;
  }

  /** Set by the pool on connect. */
  set ttl(connectedMs: number) {
    this.#oldSinceMs = undefined;
    clearTimeout(this.#timer);
    const grownOld = (): void => {
      this.#oldSinceMs = connectedMs;
    };
    this.#timer = setTimeout(grownOld, this.#socketAgeMs);
    this.#timer.unref();
  }
}

// Node does not resolve literal addresses, so the lookup never checks them.
function literalsChecked(connect: Connector, mayConnect: AddressCheck): Connector {
  return (target, callback) => {
    if (allowedLiteral(target.hostname, mayConnect) === false) callback(forbidden(), null);
    else connect(target, callback);
  };
}

// The proxy resolves the name itself, perhaps differently; the local result is checked anyway.
function namesChecked(connect: Connector, mayConnect: AddressCheck, resolve: Resolve): Connector {
  return (target, callback) => {
    const literal = allowedLiteral(target.hostname, mayConnect);
    if (literal === false) return callback(forbidden(), null);
    if (literal === true) return connect(target, callback);
    resolve(target.hostname, { all: true }, (error, addresses) => {
      // If only the proxy can resolve a name, the proxy decides.
      if (error || addresses.some(({ address }) => mayConnect(address))) connect(target, callback);
      else callback(forbidden(), null);
    });
  };
}

/** Undefined: the host is a name, not a literal address. */
function allowedLiteral(hostname: string, mayConnect: AddressCheck): boolean | undefined {
  const literal = literalAddress(hostname);
  return literal === undefined ? undefined : mayConnect(literal);
}

function forbidden(): UpstreamFailure {
  const text = "The gateway is not allowed to connect to the provider's address.";
  const error = gatewayError('provider_misconfigured', text);
  return new UpstreamFailure('NETWORK', error, { sent: false });
}
