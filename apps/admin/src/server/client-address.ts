import { randomBytes } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';

// The client's address. Next routes see headers but no socket, and clients can forge headers. So a
// Node hook establishes the address before Next and passes it in a header with a random name.

/**
 * The client's address: the connection's, or behind trusted proxies the nearest untrusted one that
 * they name. Undefined when they name an invalid one.
 */
export type AddressOf = (request: IncomingMessage) => string | undefined;

/** @throws TypeError when an entry is neither an address nor a network. */
export function createAddressOf(trustedProxies: readonly string[]): AddressOf {
  const trusts = proxyAddr.compile([...trustedProxies]);
  return (request) => {
    if (request.socket.remoteAddress === undefined) return undefined;
    const address = proxyAddr(request, trusts).replace(/^::ffff:(?=\d+\.)/, '');
    return isIP(address) === 0 ? undefined : address;
  };
}

/** A random name, which clients cannot guess. */
export function newAddressHeader(): string {
  return `x-address-${randomBytes(16).toString('hex')}`;
}

/** Stores the client address of every request of this process in its header. */
export function markAddresses(header: string, addressOf: AddressOf): () => void {
  const started = channel('http.server.request.start');
  const mark = (message: unknown): void => {
    const { request } = message as { request: IncomingMessage };
    const address = addressOf(request);
    if (address !== undefined) request.headers[header] = address;
  };
  started.subscribe(mark);
  return () => started.unsubscribe(mark);
}
