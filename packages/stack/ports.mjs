// The ports of `npm start`, which `start.mjs` checks before it installs anything: Node built-ins
// only. A test compares this table with src/config.ts, from which the launcher reads them.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

export const SERVICE_PORTS = {
  simulator: { SIMULATOR_PORT: 9090 },
  catalog: { CATALOG_PORT: 8081, CATALOG_GRPC_PORT: 50052, CATALOG_OPS_PORT: 8084 },
  policy: { POLICY_GRPC_PORT: 50051, POLICY_HTTP_PORT: 8082 },
  runner: { RUNNER_PORT: 8085, RUNNER_OPS_PORT: 8086 },
  edge: { EDGE_PORT: 8080, EDGE_OPS_PORT: 8083 },
  admin: { ADMIN_PORT: 3000 },
};

/** One line per port of these services that another program uses. */
export async function takenPorts(env, without) {
  const lines = [];
  for (const [service, ports] of Object.entries(SERVICE_PORTS)) {
    if (without.includes(service)) continue;
    for (const [variable, fallback] of Object.entries(ports)) {
      const port = Number(env[variable] || fallback);
      // The launcher reports an invalid port.
      if (!Number.isInteger(port) || port < 1 || port > 65_535) continue;
      if (await taken(port)) {
        lines.push(`Port ${port} (${service}) is in use: set ${variable} to another one.`);
      }
    }
  }
  return lines;
}

/**
 * Whether processes of an earlier start may still run: the launcher ends them, then checks ports.
 */
export function hasLeftovers(stateDir) {
  try {
    const started = JSON.parse(readFileSync(join(stateDir, 'processes.json'), 'utf8'));
    return started.some(({ pid }) => isAlive(pid));
  } catch {
    return false;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function taken(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    // Only a used port counts; the service reports anything else.
    probe.once('error', (error) => resolve(error.code === 'EADDRINUSE'));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(false)));
  });
}
