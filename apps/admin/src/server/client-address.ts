import { channel } from 'node:diagnostics_channel';
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';
import proxyAddr from 'proxy-addr';

// Where a request comes from. Routes of Next see headers and no socket, and a header may say anything.
// So the address is established where Node hears a request, before Next does, and handed on in a header
// whose name nobody outside of this process can know.

/**
 * The address of the client: the one that the connection comes from, and beyond proxies that are trusted
 * the one that they name, the nearest that is not trusted itself. Undefined: what they name is none.
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

/** A new name: what a client sends under it cannot be taken for ours. */
export function newAddressHeader(): string {
  return `x-address-${randomBytes(16).toString('hex')}`;
}

/** Writes the address of each request that any server of this process hears into its header. */
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
