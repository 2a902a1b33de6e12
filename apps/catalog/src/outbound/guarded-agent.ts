import {
  checkAddress,
  guardedLookup,
  literalAddress,
  portOf,
  type AddressRules,
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
 * Connects as the edge does: checks the resolved address when the socket is opened. Follows no
 * redirects. The caller destroys it.
 */
export function createGuardedAgent(limits: AgentLimits): Agent {
  return new Agent({
    connections: limits.connections ?? 1,
    allowH2: false,
    maxResponseSize: limits.responseLimitBytes,
    connect: (target, callback) => {
      const port = portOf(target);
      const check = (address: string) => checkAddress(address, port, limits.addressRules);
      const literal = literalAddress(target.hostname);
      const verdict = literal === undefined ? undefined : check(literal);
      if (verdict?.ok === false) return callback(new ForbiddenAddress(verdict.reason), null);
      const connect = buildConnector({
        timeout: limits.connectTimeoutMs,
        lookup: guardedLookup({
          allows: (address) => check(address).ok,
          forbidden: (hostname) => unopened(hostname, port),
        }),
        allowH2: false,
      });
      connect(target, callback);
    },
  });
}

// The error does not reveal which internal address a name resolves to.
function unopened(hostname: string, port: number): ForbiddenAddress {
  return new ForbiddenAddress(
    `no entry allows port ${port} of ${hostname}; a port of UPSTREAM_DENIED_PORTS needs an entry that names it`,
  );
}
