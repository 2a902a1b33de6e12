import { createLogger, createMetrics } from '@tollgate/kit';

import { freedName } from '../../entities/freed-name';
import type { Database } from '../../schema';
import {
  appendNext,
  createTenant,
  entryOf,
  NOON_MS,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../../test-support';
import { createTenantNames } from './tenant-names';

let databases: TestDatabases;
let database: Database;
let tenant: Tenant;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  tenant = await createTenant(database.orm);
});
afterAll(() => databases.stop());

const DAY_MS = 86_400_000;

test('names of tenants with requests are labels, and are read again after a minute', async () => {
  const metrics = createMetrics({ service: 'catalog' });
  const log = createLogger({ service: 'catalog', level: 'info', write: () => undefined });
  const time = { ms: NOON_MS };
  const clock = { now: () => time.ms };
  const names = createTenantNames({ pool: database.pool, metrics, log, clock });
  const scrape = async (): Promise<string[]> => {
    await names.refresh();
    const text = await metrics.text();
    return text
      .split('\n')
      .filter((line) => /^tollgate_(organisation|team)_info/.test(line))
      .map((line) => line.replace(',service="catalog"', ''));
  };
  const { organisationId, teamId } = tenant;
  // Nobody has sent a request yet.
  expect(await scrape()).toEqual([]);
  await appendNext(database.pool, tenant, [entryOf(tenant)]);
  expect(await scrape()).toEqual([]);
  time.ms += 60_000;
  expect(await scrape()).toEqual([
    `tollgate_organisation_info{organisation="${organisationId}",name="Test"} 1`,
    `tollgate_team_info{organisation="${organisationId}",team="${teamId}",name="Research"} 1`,
  ]);
  await database.pool.query('UPDATE organisation SET name = $2 WHERE id = $1', [
    organisationId,
    'A "quoted" name',
  ]);
  time.ms += 60_000;
  expect(await scrape()).toContain(
    String.raw`tollgate_organisation_info{organisation="${organisationId}",name="A \"quoted\" name"} 1`,
  );
  // A deletion frees the name.
  await database.pool.query('UPDATE team SET name = $2 WHERE id = $1', [
    teamId,
    freedName('Research', teamId),
  ]);
  time.ms += 60_000;
  expect(await scrape()).toContain(
    `tollgate_team_info{organisation="${organisationId}",team="${teamId}",name="Research"} 1`,
  );
  time.ms += 62 * DAY_MS;
  expect(await scrape()).toEqual([]);
});
