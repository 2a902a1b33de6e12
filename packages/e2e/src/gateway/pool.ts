import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { startGateway, undo, type Gateway } from './gateway';
import { POOL_URL, type SharedAddresses } from './shared-gateway';

// Keeps a gateway for each worker of Jest from the first suite that asks until the last has ended. Workers are processes
// of their own and may be replaced, so the pool runs in the process that starts them.

let server: Server | undefined;
const gateways = new Map<string, Promise<Gateway>>();

/** Before all suites: `globalSetup`. */
export async function openPool(): Promise<void> {
  server = createServer((request, response) => {
    gatewayOf(request.url ?? '').then(
      (addresses) => response.end(JSON.stringify(addresses)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  const opened = server;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  process.env[POOL_URL] = `http://127.0.0.1:${String((opened.address() as AddressInfo).port)}`;
}

/** After all suites: `globalTeardown`. Fails when a service has ended by itself. */
export async function closePool(): Promise<void> {
  server?.closeAllConnections();
  server?.close();
  const stops = [...gateways.values()].map((started) => async () => (await started).stop());
  gateways.clear();
  await undo(stops);
}

async function gatewayOf(worker: string): Promise<SharedAddresses> {
  let starting = gateways.get(worker);
  if (starting === undefined) {
    starting = startGateway({ admin: true });
    gateways.set(worker, starting);
  }
  const gateway = await starting;
  return {
    adminUrl: gateway.adminUrl,
    catalogUrl: gateway.catalogUrl,
    databaseUrl: gateway.databaseUrl,
    edgeUrl: gateway.edgeUrl(),
    opsUrl: gateway.opsUrl(),
    redisUrl: gateway.redis.url,
    simulatorUrl: gateway.simulatorUrl,
    superAdmin: gateway.superAdmin,
  };
}
