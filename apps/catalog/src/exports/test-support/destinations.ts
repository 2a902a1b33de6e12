import type { rest } from '@tollgate/contracts';
import { createAddressRules, exportSecretContext, type KeyRing } from '@tollgate/contracts/node';
import { createLogger, uuidv7, type Clock } from '@tollgate/kit';

import { transactionOf } from '../../db';
import { recordReaders } from '../../resources/export-destinations/record-readers';
import { TEST_KEY_RING } from '../../rest/test-support';
import type { Database } from '../../schema';
import { sealedRowSecret } from '../../secrets';
import { newWebhookSecret } from '../../webhooks';
import { exportNext, type ExportDeps, type Step } from '../deliver';
import { ExportDestination } from '../export-destination.entity';
import { placeCursors } from '../place-cursors';

export const WEBHOOK_SECRET = newWebhookSecret();
export const STORAGE_KEY = {
  accessKeyId: 'AKIAEXPORT',
  secretAccessKey: 'a secret access key/of+the=tests',
  region: 'eu-test-1',
};
export const BUCKET = 'records.of.tests';

export const webhookTarget = (url: string): rest.ExportTarget => ({
  type: 'WEBHOOK',
  url,
  compression: 'GZIP',
});

export const storageTarget = (
  endpoint: string,
  prefix = 'tollgate/a=1',
): Extract<rest.ExportTarget, { type: 'S3' }> => ({
  type: 'S3',
  endpoint,
  region: STORAGE_KEY.region,
  bucket: BUCKET,
  prefix,
  addressing: 'PATH',
  accessKeyId: STORAGE_KEY.accessKeyId,
  compression: 'GZIP',
});

type Values = Pick<ExportDestination, 'organisationId' | 'target'> & Partial<ExportDestination>;

/** A destination that begins now, or at `startFrom`; returns its id. */
export async function createDestination(
  { orm }: Database,
  values: Values,
  nowMs = Date.now(),
): Promise<string> {
  const id = uuidv7();
  const { target, records = ['USAGE'], startFrom = null } = values;
  const secret = target.type === 'S3' ? STORAGE_KEY.secretAccessKey : WEBHOOK_SECRET;
  await orm.transaction(async (db) => {
    await db.insert(ExportDestination, {
      id,
      name: 'warehouse',
      maxRows: 1_000,
      intervalSeconds: 1,
      nextAttemptAt: new Date(nowMs),
      ...sealedRowSecret(TEST_KEY_RING, exportSecretContext(id), secret),
      ...values,
      records,
      startFrom,
    });
    await placeCursors(await transactionOf(db), id, records, { startFrom, nowMs });
  });
  return id;
}

export interface Worker {
  readonly deps: ExportDeps;
  readonly clock: Clock & { advance(ms: number): void };
  readonly logs: string[];
  /** Steps until nothing is due; returns what they came to. */
  drain(): Promise<Step[]>;
}

/** One catalog's worker, with a clock that stands still. */
export function workerOf({ orm, pool }: Database, ring: KeyRing = TEST_KEY_RING): Worker {
  let nowMs = Date.now();
  const logs: string[] = [];
  const clock = {
    now: () => nowMs,
    advance: (ms: number) => {
      nowMs += ms;
    },
  };
  const deps: ExportDeps = {
    orm,
    pool,
    readers: recordReaders,
    ring,
    addressRules: createAddressRules({ allowed: ['127.0.0.0/8'] }),
    log: createLogger({ service: 'catalog', level: 'debug', write: (line) => logs.push(line) }),
    clock,
  };
  return {
    deps,
    clock,
    logs,
    async drain() {
      const steps: Step[] = [];
      for (let step = await exportNext(deps); step !== undefined; step = await exportNext(deps)) {
        steps.push(step);
        if (steps.length > 1_000) throw new Error('the export does not come to rest');
      }
      return steps;
    },
  };
}
