// Starts the console's server in this process: from the build in a checkout, or from beside this
// file in an image. Next is told where to listen; everything else of the environment it reads
// itself, by src/config.ts, before it serves.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const home = [here, join(here, '.next/standalone/apps/admin')].find((folder) =>
  existsSync(join(folder, 'server.js')),
);
if (home === undefined) {
  console.error('The console is not built yet: run `turbo run build --filter=@tollgate/admin`.');
  process.exit(1);
}

// The defaults of src/config.ts, which a test compares.
process.env.PORT = process.env.ADMIN_PORT || '3000';
process.env.HOSTNAME = process.env.HOST || '127.0.0.1';
process.env.NODE_ENV = 'production';
// Longer than a load balancer's limit, so that the balancer closes idle connections first: with the
// server's own 5 seconds, a request on its way finds the connection closed.
process.env.KEEP_ALIVE_TIMEOUT = '75000';
process.env.NEXT_TELEMETRY_DISABLED = '1';
createRequire(join(home, 'server.js'))('./server.js');
