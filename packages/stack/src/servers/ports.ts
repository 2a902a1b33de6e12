import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

// Below the system's range of outgoing ports, so that no outgoing connection takes a port between
// its choice and its use. Each process begins in a range of its own, which few processes share.
const FIRST = 20_000;
const STRETCHES = 96;
const STRETCH = 128;
/** A server listens on its port well before. */
const CLAIMED_MS = 120_000;

let given = 0;

/** A free TCP port on 127.0.0.1 that this process does not get again soon. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < STRETCH * STRETCHES; tried += 1) {
    // The next range once this process's own is used up or taken.
    const stretch = (process.pid + Math.floor(given / STRETCH)) % STRETCHES;
    const port = FIRST + stretch * STRETCH + (given % STRETCH);
    given += 1;
    if ((await claim(port)) && !(await portTaken(port))) return port;
  }
  throw new Error(`no port is free from ${String(FIRST)} on`);
}

/**
 * Binds the UDP port of the same number, which the system gives to one process at a time and takes back when that ends:
 * two processes that look for a port at once would both find it free, and the second one would use the server of the first.
 */
function claim(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close();
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    socket.bind({ address: '127.0.0.1', port, exclusive: true }, () => {
      socket.unref();
      setTimeout(() => socket.close(), CLAIMED_MS).unref();
      resolve(true);
    });
  });
}

/** Whether something listens on this port of 127.0.0.1 or of all addresses. */
export function portTaken(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(true);
      else reject(error);
    });
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(false)));
  });
}
