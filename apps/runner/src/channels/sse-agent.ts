// Connections to upstreams of tenants: only to addresses that the rules allow.
import {
  checkAddress,
  guardedLookup,
  literalAddress,
  portOf,
  type AddressRules,
} from '@tollgate/contracts/node';
import { Agent, buildConnector, type Dispatcher } from 'undici';

const MAX_HEADER_BYTES = 32 * 1024;

export function createSseAgent(url: URL, connectMs: number, rules: AddressRules): Dispatcher {
  const port = portOf(url);
  const allows = (address: string): boolean => checkAddress(address, port, rules).ok;
  const connect = buildConnector({
    timeout: connectMs,
    lookup: guardedLookup({ allows, forbidden }),
  });
  return new Agent({
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: (target, callback) => {
      const literal = literalAddress(target.hostname);
      if (literal !== undefined && !allows(literal)) callback(forbidden(), null);
      else connect(target, callback);
    },
  });
}

function forbidden(): Error {
  return new Error("the runner is not allowed to connect to the server's address");
}
