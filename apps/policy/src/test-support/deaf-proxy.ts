import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy in front of a server. While deaf it forwards requests and drops replies. */
export interface DeafProxy {
  readonly url: string;
  readonly deafen: () => void;
  /** Breaks every connection; new ones are forwarded in both directions. */
  readonly heal: () => void;
  readonly stop: () => Promise<void>;
}

export async function startDeafProxy(redisUrl: string): Promise<DeafProxy> {
  const { hostname, port } = new URL(redisUrl);
  const sockets = new Set<Socket>();
  let deaf = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
      socket.on('error', () => socket.destroy());
    }
    client.pipe(upstream);
    upstream.on('data', (data) => {
      if (!deaf) client.write(data);
    });
  });
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    deafen: () => {
      deaf = true;
    },
    heal: () => {
      deaf = false;
      breakAll();
    },
    stop: () => {
      breakAll();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
