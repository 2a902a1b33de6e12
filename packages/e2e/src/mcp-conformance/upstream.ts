import { join } from 'node:path';
import { freePort, spawnServer, until, workspaceRoot } from '@tollgate/stack';

// The simulator as a process of its own, whose MCP servers are tested.

export interface Upstream {
  /** The MCP server without directives. */
  url: string;
  stop: () => Promise<void>;
}

const PATIENCE_MS = 30_000;

export async function startUpstream(): Promise<Upstream> {
  const port = await freePort();
  const program = join(workspaceRoot(), 'packages/simulator/dist/main.js');
  const env = { ...process.env, HOST: '127.0.0.1', SIMULATOR_PORT: String(port) };
  const server = await spawnServer(process.execPath, [program], { env });
  const origin = `http://127.0.0.1:${String(port)}`;
  await until(
    async () => {
      const { ok } = await fetch(`${origin}/_sim/health`);
      if (!ok) throw new Error('not healthy');
    },
    'simulator',
    PATIENCE_MS,
    server,
  );
  return { url: `${origin}/mcp`, stop: () => server.stop() };
}
