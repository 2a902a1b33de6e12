import { rest } from '@tollgate/contracts';
import { createLogger, systemClock } from '@tollgate/kit';

import { startRest, type RestServer } from '../../rest/test-support';
import { startHousekeeping, type Database } from '../../schema';
import {
  createMcpServer,
  createTenant,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(database.orm);
  await createMcpServer(database.orm, tenant);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const create = () =>
  server.ok(server.root, rest.createPlaygroundKey, {
    params: { organisationId: tenant.organisationId },
  });

async function expire(apiKeyId: string, hours: number): Promise<void> {
  await database.pool.query(
    `UPDATE api_key SET expires_at = now() - make_interval(hours => $2) WHERE id = $1`,
    [apiKeyId, hours],
  );
}

async function grantsOf(apiKeyId: string): Promise<[models: number, servers: number]> {
  const countIn = async (table: string): Promise<number> => {
    const { rows } = await database.pool.query(`SELECT FROM ${table} WHERE api_key_id = $1`, [
      apiKeyId,
    ]);
    return rows.length;
  };
  return [await countIn('api_key_model_access'), await countIn('api_key_mcp_access')];
}

test('grants of a playground key are removed a day after it has expired, and the key stays', async () => {
  const [spent, recent, current] = [await create(), await create(), await create()];
  expect(await grantsOf(spent.id)).toEqual([2, 1]);
  await expire(spent.id, 25);
  await expire(recent.id, 23);
  await expire(tenant.apiKeyId, 25);
  const log = createLogger({ service: 'catalog', level: 'error', write: () => {} });
  const housekeeping = await startHousekeeping({ pool: database.pool, log, clock: systemClock });
  await housekeeping.stop();
  expect(await grantsOf(spent.id)).toEqual([0, 0]);
  expect(await grantsOf(recent.id)).toEqual([2, 1]);
  expect(await grantsOf(current.id)).toEqual([2, 1]);
  expect(await grantsOf(tenant.apiKeyId)).toEqual([1, 0]);
  const { rows } = await database.pool.query('SELECT FROM api_key WHERE id = $1', [spent.id]);
  expect(rows).toHaveLength(1);
});

test('the audit trail has how many models and servers a playground key may use, and no list', async () => {
  const { id } = await create();
  const { data } = await server.ok(server.root, rest.listAuditEvents, {
    params: { organisationId: tenant.organisationId },
    query: { action: 'apikey.create-playground' },
  });
  const after = data.find(({ target }) => target.id === id)?.after;
  expect(after).toMatchObject({ modelCount: 2, mcpServerCount: 1 });
  expect(JSON.stringify(after)).not.toContain(tenant.modelId);
});
