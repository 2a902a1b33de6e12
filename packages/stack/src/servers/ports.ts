import { createServer } from 'node:net';

// Below the system's range of outgoing ports, so that no outgoing connection takes a port between
// its choice and its use. Each process has its own range, so that parallel processes do not choose
// the same port.
const FIRST = 20_000;
const STRETCHES = 96;
const STRETCH = 128;

let given = 0;

/** A free TCP port on 127.0.0.1 that this process does not get again soon. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < STRETCH * STRETCHES; tried += 1) {
    // The next range once this process's own is used up or taken.
    const stretch = (process.pid + Math.floor(given / STRETCH)) % STRETCHES;
    const port = FIRST + stretch * STRETCH + (given % STRETCH);
    given += 1;
    if (!(await portTaken(port))) return port;
  }
  throw new Error(`no port is free from ${String(FIRST)} on`);
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
