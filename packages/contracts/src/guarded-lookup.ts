// Checks the address that a socket will use, after DNS resolution, so that a name cannot be rebound
// between a check and the connection.
import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

export type Resolve = (
  hostname: string,
  options: { all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

export interface AddressGuard {
  readonly allows: (address: string) => boolean;
  /** The error of a connection whose name resolves to no allowed address. */
  readonly forbidden: (hostname: string) => Error;
  /** Absent: the system's resolver. */
  readonly resolve?: Resolve;
}

/** For sockets: resolves a name to its allowed addresses only. Literal addresses do not get here. */
export function guardedLookup({
  allows,
  forbidden,
  resolve = lookup,
}: AddressGuard): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const allowed = found.filter(({ address }) => allows(address));
      const [first] = allowed;
      if (!first) return callback(forbidden(hostname), '');
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/** The address that a URL's host is, without brackets; undefined: it is a name, which is resolved. */
export function literalAddress(hostname: string): string | undefined {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) === 0 ? undefined : literal;
}
