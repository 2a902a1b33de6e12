import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { gatewayError } from '@tollgate/contracts';
import { buildConnector, Pool } from 'undici';
import { UpstreamFailure } from './failure';

export type AddressCheck = (address: string) => boolean;

export type AgentOptions = {
  connectTimeoutMs: number;
  /** Sockets to one upstream; more calls than that wait. */
  connections: number;
  /** Whether an address may be connected to. Asked after the name was resolved. */
  mayConnect: AddressCheck;
};

// One pool of connections per provider connection. The address is checked where the socket is made,
// so that a name which resolves differently the second time gains nothing.
export function createAgent(origin: string, options: AgentOptions): Pool {
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    lookup: checkedLookup(options.mayConnect),
    // An aborted HTTP/1.1 call ends with its socket, which the upstream cannot overlook; and one
    // slow stream never shares a socket with another.
    allowH2: false,
  });
  return new Pool(origin, {
    connections: options.connections,
    pipelining: 1,
    allowH2: false,
    connect: (target, callback) => {
      // The system's resolver is not asked about literal addresses, so the lookup never sees them.
      const literal = target.hostname.replace(/^\[|\]$/g, '');
      if (isIP(literal) !== 0 && !options.mayConnect(literal)) callback(forbidden(), null);
      else connect(target, callback);
    },
  });
}

function checkedLookup(mayConnect: AddressCheck): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
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
  return new UpstreamFailure('NETWORK', gatewayError('provider_misconfigured', text));
}
