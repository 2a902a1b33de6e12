import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

// A TCP proxy before one or several servers: connections go round robin to the servers that accept,
// and data can be delayed or withheld.

export interface Proxy {
  readonly port: number;
  /** The delay of each piece in either direction, in milliseconds. The order of bytes is kept. */
  readonly delay: (ms: number) => void;
  /** Keeps connections open and passes no data, until called with false. */
  readonly hold: (held: boolean) => void;
  /** Breaks every connection. */
  readonly cut: () => void;
  readonly stop: () => Promise<void>;
}

interface Passage {
  delayMs: number;
  held: Promise<void> | undefined;
  release: () => void;
}

export async function startProxy(targets: readonly number[]): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const passage: Passage = { delayMs: 0, held: undefined, release: () => undefined };
  let next = 0;

  /** The first target, in turn, that accepts the connection. */
  const reach = async (): Promise<Socket | undefined> => {
    for (let tried = 0; tried < targets.length; tried += 1) {
      const port = targets[next % targets.length] ?? 0;
      next += 1;
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      try {
        await once(socket, 'connect');
        return socket;
      } catch {
        socket.destroy();
      }
    }
    return undefined;
  };

  const server = createServer({ noDelay: true }, (client) => {
    sockets.add(client);
    client.on('error', () => client.destroy());
    client.once('close', () => sockets.delete(client));
    void reach().then((upstream) => {
      if (upstream === undefined || client.destroyed) {
        client.destroy();
        upstream?.destroy();
        return;
      }
      sockets.add(upstream);
      upstream.once('close', () => sockets.delete(upstream));
      join(passage, client, upstream);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    delay: (ms) => {
      passage.delayMs = ms;
    },
    hold: (on) => hold(passage, on),
    cut,
    stop: async () => {
      passage.release();
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

function hold(passage: Passage, on: boolean): void {
  passage.release();
  passage.held = undefined;
  if (!on) return;
  passage.held = new Promise((resolve) => {
    passage.release = resolve;
  });
}

/** Passes bytes both ways until one of the two ends, which ends the other. */
function join(passage: Passage, client: Socket, upstream: Socket): void {
  upstream.on('error', () => upstream.destroy());
  const end = (): void => {
    upstream.destroy();
    client.destroy();
  };
  upstream.once('close', end);
  client.once('close', end);
  Promise.all([pass(passage, client, upstream), pass(passage, upstream, client)]).then(end, end);
}

async function pass(passage: Passage, from: Socket, to: Socket): Promise<void> {
  // Reading one piece at a time keeps the order, and causes backpressure as the network would.
  for await (const piece of from) {
    if (passage.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, passage.delayMs));
    await passage.held;
    if (to.destroyed) return;
    if (!to.write(piece as Buffer)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
  }
  to.end();
}
