import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPreparedPostgres, workspaceRoot, type PostgresServer } from '@tollgate/stack';

const run = promisify(execFile);
const NAME = 'tollgate';

export interface GatewayDatabase {
  readonly postgres: PostgresServer;
  readonly databaseUrl: string;
}

/** A server of its own with a migrated, empty database; the migrations are run once for each build. */
export async function startDatabase(): Promise<GatewayDatabase> {
  const catalog = join(workspaceRoot(), 'apps/catalog/dist');
  const postgres = await startPreparedPostgres({
    cache: join(__dirname, '../../node_modules/.cache/tollgate-postgres'),
    // Two migrations take SQL from the rollups.
    sources: [join(catalog, 'schema'), join(catalog, 'ledger/rollups')],
    prepare: async (server) => {
      const env = { ...process.env, DATABASE_URL: await server.createDatabase(NAME) };
      await run(process.execPath, [join(catalog, 'migrate.js'), 'up'], { env });
    },
  });
  const url = new URL(postgres.url);
  url.pathname = NAME;
  return { postgres, databaseUrl: url.href };
}
