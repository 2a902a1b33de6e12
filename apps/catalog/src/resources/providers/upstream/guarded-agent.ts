import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import {
  checkAddress,
  portOf,
  type AddressRules,
  type AddressVerdict,
} from '@tollgate/contracts/node';
import { Agent, buildConnector } from 'undici';

/** The upstream's address is not permitted; the message names the rule. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

export interface AgentLimits {
  readonly addressRules: AddressRules;
  readonly connectTimeoutMs: number;
  readonly responseLimitBytes: number;
  /** To each host; one by default. */
  readonly connections?: number;
}

/**
 * Connects as the edge does: checks the resolved address when the socket is opened, which defeats
 * DNS rebinding. Follows no redirects. The caller destroys it.
 */
export function createGuardedAgent(limits: AgentLimits): Agent {
  return new Agent({
    connections: limits.connections ?? 1,
    allowH2: false,
    maxResponseSize: limits.responseLimitBytes,
    connect: (target, callback) => {
      const port = portOf(target);
      const check: Check = (address) => checkAddress(address, port, limits.addressRules);
      // Literal addresses are not resolved, so the lookup never sees them.
      const literal = target.hostname.replace(/^\[|\]$/g, '');
      const verdict = isIP(literal) === 0 ? undefined : check(literal);
      if (verdict?.ok === false) return callback(new ForbiddenAddress(verdict.reason), null);
      const connect = buildConnector({
        timeout: limits.connectTimeoutMs,
        lookup: checkedLookup(check, port),
        allowH2: false,
      });
      connect(target, callback);
    },
  });
}

type Check = (address: string) => AddressVerdict;

function unopened(hostname: string, port: number): string {
  return `no entry allows port ${port} of ${hostname}; a port of UPSTREAM_DENIED_PORTS needs an entry that names it`;
}

// The error does not reveal which internal address a name resolves to.
function checkedLookup(check: Check, port: number): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const allowed = addresses.filter(({ address }) => check(address).ok);
      const [first] = allowed;
      if (!first) return callback(new ForbiddenAddress(unopened(hostname, port)), '');
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
