import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { getCACertificates } from 'node:tls';
import { gatewayError } from '@tollgate/contracts';
import { portOf } from '@tollgate/contracts/node';
import { buildConnector, Client, EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici';
import { UpstreamFailure } from './failure';

/** Of a port at an address. */
export type EndpointCheck = (address: string, port: number) => boolean;
type AddressCheck = (address: string) => boolean;

/** How upstreams are connected to, whichever they are. */
export type AgentOptions = {
  /** Sockets to one origin; more calls than that wait. */
  connections: number;
  /** How long an unused socket is kept, where the upstream does not say. */
  keepAliveMs: number;
  /** A socket older than this takes no new call, so that a name is looked up again. */
  socketAgeMs: number;
  /** Of all headers of an answer together. */
  headerBytes: number;
  /** Whether HTTP/2 is spoken with upstreams that offer it. */
  http2: boolean;
  /** Certificates in PEM that are trusted beside the system's; empty: none. */
  ca: string;
  proxies: Proxies;
  /** Whether a port of an address may be connected to. Asked after the name was resolved. */
  mayConnect: EndpointCheck;
  /** Finds all addresses of a name; absent: the system's resolver. */
  resolve?: Resolve;
};

export type Resolve = (
  hostname: string,
  options: { all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** URLs of proxies for plain and for encrypted upstreams, and hosts that are called without one. */
export type Proxies = { http: string; https: string; none: string };

/** A pool of connections, shared by all who call the origin alike. */
export type Lease = {
  agent: Dispatcher;
  /** Calls under way end first. */
  release: () => void;
};

export type Agents = {
  open: (origin: string, connectTimeoutMs: number) => Lease;
  /** Ends all calls. */
  close: () => Promise<void>;
};

export function createAgents(options: AgentOptions): Agents {
  const shared = new Map<string, { agent: Dispatcher; leases: number }>();

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
      void agent.close();
    };
    return { agent, release };
  };

  const close = async (): Promise<void> => {
    const agents = [...shared.values()].map(({ agent }) => agent);
    shared.clear();
    await Promise.all(agents.map((agent) => agent.destroy()));
  };

  return { open, close };
}

type Connector = buildConnector.connector;

function createAgent(origin: string, timeoutMs: number, options: AgentOptions): Dispatcher {
  const { http2, proxies, resolve = lookup } = options;
  // Every connection of this agent is to the one origin, directly or through a proxy.
  const port = portOf(new URL(origin));
  const mayConnect: AddressCheck = (address) => options.mayConnect(address, port);
  const tls = options.ca === '' ? {} : { ca: [...getCACertificates('default'), options.ca] };
  const common = {
    ...tls,
    timeout: timeoutMs,
    allowH2: http2,
    preferH2: http2,
  } as buildConnector.BuildOptions;
  // Without `pipelining`: one call at a time on an HTTP/1.1 socket, many on one of HTTP/2.
  const pool = {
    connections: options.connections,
    allowH2: http2,
    clientTtl: options.socketAgeMs,
    keepAliveTimeout: options.keepAliveMs,
    keepAliveMaxTimeout: Math.max(options.keepAliveMs, options.socketAgeMs),
    maxHeaderSize: options.headerBytes,
    factory: (target: URL, given: object) => createClient(target, given, options.socketAgeMs),
  };
  const direct = buildConnector({ ...common, lookup: checkedLookup(mayConnect, resolve) });
  if (proxies.http === '' && proxies.https === '') {
    return new Pool(origin, { ...pool, connect: literalsChecked(direct, mayConnect) });
  }
  return new EnvHttpProxyAgent({
    ...pool,
    httpProxy: proxies.http,
    httpsProxy: proxies.https,
    noProxy: proxies.none,
    // A tunnel for plain upstreams too: only where it is asked for the target is still known.
    proxyTunnel: true,
    connectTimeout: timeoutMs,
    proxyTls: common,
    requestTls: common,
    connect: literalsChecked(direct, mayConnect),
    // `connect` is the one above, or the one through the proxy.
    factory: (target: URL | string, given: object) => {
      const { connect } = given as { connect: Connector };
      const checked = connect === undefined ? connect : namesChecked(connect, mayConnect, resolve);
      return new Pool(target, { ...pool, connect: checked });
    },
  });
}

/** As many calls as may wait for a new connection while an old one still ends its streams. */
const WAITING_CALLS = 100;

// After a GOAWAY the client sends what the upstream has not taken once more, on a new connection; but
// it opens that only when the streams of the old one have ended, since it takes them for calls of a
// socket which serves one at a time. So it is told otherwise until it is connected again.
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
 * A pool looks for a free client twice for each call, and asks the clock how old each one is that it comes by, so
 * the more calls are under way, the dearer is the next. It does so only for clients that say since when they have
 * been connected. This one says nothing before its time has come.
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

  /** Set by the pool, once connected. */
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

// The system's resolver is not asked about literal addresses, so the lookup never sees them.
function literalsChecked(connect: Connector, mayConnect: AddressCheck): Connector {
  return (target, callback) => {
    if (allowedLiteral(target.hostname, mayConnect) === false) callback(forbidden(), null);
    else connect(target, callback);
  };
}

// The proxy looks the name up, perhaps elsewhere; what it means here is checked all the same.
function namesChecked(connect: Connector, mayConnect: AddressCheck, resolve: Resolve): Connector {
  return (target, callback) => {
    const literal = allowedLiteral(target.hostname, mayConnect);
    if (literal === false) return callback(forbidden(), null);
    if (literal === true) return connect(target, callback);
    resolve(target.hostname, { all: true }, (error, addresses) => {
      // A name that only the proxy can resolve is the proxy's to judge.
      if (error || addresses.some(({ address }) => mayConnect(address))) connect(target, callback);
      else callback(forbidden(), null);
    });
  };
}

/** Undefined: it is a name. */
function allowedLiteral(hostname: string, mayConnect: AddressCheck): boolean | undefined {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) === 0 ? undefined : mayConnect(literal);
}

// Checked where the socket is made, so that a name which resolves differently the second time gains
// nothing.
function checkedLookup(mayConnect: AddressCheck, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const allowed = addresses.filter(({ address }) => mayConnect(address));
      const [first] = allowed;
      if (!first) return callback(forbidden(), '');
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

function forbidden(): UpstreamFailure {
  const text = "The provider's address is not one that this gateway may connect to.";
  const error = gatewayError('provider_misconfigured', text);
  return new UpstreamFailure('NETWORK', error, { sent: false });
}
