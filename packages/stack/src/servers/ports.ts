import { createServer } from 'node:net';

// Below the range that systems take the ports of outgoing connections from, so that none of those
// gets a port between its choice and its use; a stretch for each process, so that processes that
// start servers side by side do not choose the same.
const FIRST = 20_000;
const STRETCHES = 96;
const STRETCH = 128;

let given = 0;

/** A TCP port on 127.0.0.1 that is free, and that this process is not given again soon. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < STRETCH * STRETCHES; tried += 1) {
    // The next stretch once this process's own is used up or taken.
    const stretch = (process.pid + Math.floor(given / STRETCH)) % STRETCHES;
    const port = FIRST + stretch * STRETCH + (given % STRETCH);
    given += 1;
    if (!(await portTaken(port))) return port;
  }
  throw new Error(`no port is free from ${String(FIRST)} on`);
}

/** Whether something listens on this port of 127.0.0.1, or of all addresses, already. */
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
