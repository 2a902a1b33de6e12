import { connect, createServer, type Socket } from 'node:net';

/** An upstream that can be killed and brought back without losing its caches. */
export interface Door {
  readonly url: string;
  /** Breaks all connections, and every later one until it is opened. */
  readonly shut: () => void;
  readonly open: () => void;
  readonly stop: () => Promise<void>;
}

/** A TCP proxy in front of an upstream on this machine. */
export async function startDoor(upstreamUrl: string): Promise<Door> {
  const { hostname, port } = new URL(upstreamUrl);
  const sockets = new Set<Socket>();
  let shut = false;
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const server = createServer((client) => {
    track(client);
    if (shut) {
      client.resetAndDestroy();
      return;
    }
    const upstream = track(connect(Number(port), hostname));
    client.pipe(upstream).pipe(client);
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the door has no port');
  const breakAll = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${String(address.port)}`,
    shut: () => {
      shut = true;
      breakAll();
    },
    open: () => {
      shut = false;
    },
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      breakAll();
      await closed;
    },
  };
}
