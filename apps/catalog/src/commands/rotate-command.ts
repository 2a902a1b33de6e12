import { parseArgs } from 'node:util';
import { parseKeyRing } from '@tollgate/contracts/node';
import { ConfigError, readConfig, type Env } from '@tollgate/kit';

import { recordChanges } from '../audit';
import { rotateConfigShape } from '../config';
import { openDatabase } from '../schema';
import { rotateSecrets, type RotationReport } from '../secrets/rotate';

const USAGE = `usage: keys:rotate [--dry-run] [--batch-size 1..10000]
Re-encrypts every stored secret with the first key of KEY_ENCRYPTION_KEYS; the keys that secrets
have now must follow in the list.\n`;

/**
 * The command line `keys:rotate`. Writes one line of JSON. Returns the exit code: 0 every secret is
 * under the first key and readable, 1 not all of them or a failure, 2 wrong usage or configuration.
 */
export async function rotateCommand(
  words: readonly string[],
  env: Env,
  write: (line: string) => void,
): Promise<number> {
  const options = optionsOf(words);
  if (options === undefined) {
    write(USAGE);
    return 2;
  }
  try {
    const config = readConfig('catalog', rotateConfigShape, env);
    const ring = parseKeyRing(config.KEY_ENCRYPTION_KEYS);
    const database = await openDatabase({ url: config.DATABASE_URL, poolSize: 2 });
    try {
      const report = await rotateSecrets(database.pool, ring, options);
      if (rotatedOf(report) > 0) {
        const origin = { actor: null, requestId: null, remoteAddress: null };
        const after = { keyEncryptionKeyId: report.keyId, stores: countsOf(report) };
        const target = { type: 'key-encryption-key', id: null };
        await database.orm.transaction((tx) =>
          recordChanges(tx, origin, [
            { action: 'keys.rotate', organisationId: null, target, after },
          ]),
        );
      }
      write(`${JSON.stringify(report)}\n`);
      return report.ok ? 0 : 1;
    } finally {
      await database.close();
    }
  } catch (error) {
    write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof ConfigError ? 2 : 1;
  }
}

function rotatedOf({ stores }: RotationReport): number {
  return stores.reduce((sum, { rotated }) => sum + rotated, 0);
}

function countsOf({ stores }: RotationReport): Record<string, number> {
  return Object.fromEntries(stores.map(({ table, rotated }) => [table, rotated]));
}

function optionsOf(words: readonly string[]): { dryRun: boolean; batchSize: number } | undefined {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: { 'dry-run': { type: 'boolean' }, 'batch-size': { type: 'string' } },
    });
    const batchSize = Number(values['batch-size'] ?? 200);
    const sound = Number.isInteger(batchSize) && batchSize >= 1 && batchSize <= 10_000;
    return sound ? { dryRun: values['dry-run'] ?? false, batchSize } : undefined;
  } catch {
    return undefined;
  }
}
