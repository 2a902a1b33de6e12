import { createLogger, readConfig } from '@tollgate/kit';

import { startCatalog, type Catalog } from '../composition';
import { configShape } from '../config';

export const TOKENS = { edge: 'edge-token-0123456789', policy: 'policy-token-0123456789' };

/** The whole service in this process, on free ports, with its log lines. */
export async function startTestCatalog(
  databaseUrl: string,
  environment: Record<string, string> = {},
): Promise<Catalog & { logs: string[] }> {
  const logs: string[] = [];
  const config = readConfig('catalog', configShape, {
    DATABASE_URL: databaseUrl,
    CATALOG_PORT: '0',
    CATALOG_OPS_PORT: '0',
    CATALOG_GRPC_PORT: '0',
    JWT_SECRET: 'a secret of more than thirty-two characters',
    KEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    INTERNAL_TOKENS: `edge=${TOKENS.edge},policy=${TOKENS.policy}`,
    ...environment,
  });
  const log = createLogger({
    service: 'catalog',
    level: 'debug',
    write: (line) => logs.push(line),
  });
  return { ...(await startCatalog(config, { log })), logs };
}
