import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { checkAddress } from '@tollgate/contracts/node';
import { Agent, buildConnector } from 'undici';

/** The address of an upstream is not one that may be connected to. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

export type AgentLimits = {
  readonly allowedCidrs: readonly string[];
  readonly connectTimeoutMs: number;
  readonly responseLimitBytes: number;
};

/**
 * Connects as the edge does: the address is checked where the socket is made, after the name was
 * resolved, so that a name which means something else by then gains nothing. Follows no redirects.
 * The caller destroys it.
 */
export function createGuardedAgent(limits: AgentLimits): Agent {
  const mayConnect = (address: string): boolean => checkAddress(address, limits.allowedCidrs).ok;
  const connect = buildConnector({
    timeout: limits.connectTimeoutMs,
    lookup: checkedLookup(mayConnect),
    allowH2: false,
  });
  return new Agent({
    connections: 1,
    allowH2: false,
    maxResponseSize: limits.responseLimitBytes,
    connect: (target, callback) => {
      // The system's resolver is not asked about literal addresses, so the lookup never sees them.
      const literal = target.hostname.replace(/^\[|\]$/g, '');
      if (isIP(literal) !== 0 && !mayConnect(literal)) callback(new ForbiddenAddress(), null);
      else connect(target, callback);
    },
  });
}

function checkedLookup(mayConnect: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const allowed = addresses.filter(({ address }) => mayConnect(address));
      const [first] = allowed;
      if (!first) return callback(new ForbiddenAddress(), '');
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
