import { rest } from '@tollgate/contracts';
import { hashApiKey, openSecret, parseKeyRing, secretContext } from '@tollgate/contracts/node';

import { ApiKey } from '../entities/api-key.entity';
import { ProviderApiKey } from '../entities/provider-api-key.entity';
import {
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../rest/test-support';
import type { Database } from '../schema';
import { startTestDatabases, type TestDatabases } from '../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };

beforeAll(async () => {
  databases = await startTestDatabases();
});
// Each test has its own organisation.
let tenants = 0;
beforeEach(async () => {
  if (tenants === 0) {
    database = await databases.fresh();
    server = await startRest(database);
  }
  tenant = await createTenant(server, `tenant-${(tenants += 1)}`);
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

interface News {
  kind: string;
  key_sha256: Buffer | null;
  limit_ids: string[];
}

/** The news that `work` announces for this organisation. */
async function newsOf(work: () => Promise<unknown>): Promise<News[]> {
  const select = `SELECT kind, key_sha256, limit_ids FROM outbox_event
    WHERE organisation_id = $1 ORDER BY seq`;
  const before: News[] = await database.orm.query(select, [tenant.organisationId]);
  await work();
  const after: News[] = await database.orm.query(select, [tenant.organisationId]);
  return after.slice(before.length);
}

async function keyStatus(apiKeyId: string): Promise<string> {
  const { status } = await server.ok(admin, rest.getApiKey, { params: { ...params, apiKeyId } });
  return status;
}

describe('organisations', () => {
  it.each(['admin', 'api', 'login', 'invite', 'settings', 'v1'])(
    'may not be called %s',
    async (slug) => {
      const refused = await server.refused(server.root, rest.createOrganisation, {
        body: { name: 'x', slug },
      });
      expect(refused).toMatchObject({ status: 422, path: 'slug' });
    },
  );

  it('are suspended and resumed with news, and archived for good with their keys', async () => {
    for (const endpoint of [rest.suspendOrganisation, rest.resumeOrganisation]) {
      const news = await newsOf(() => server.ok(server.root, endpoint, { params }));
      expect(news.map(({ kind }) => kind)).toEqual(['ORGANISATION']);
    }
    const archived = await server.ok(server.root, rest.archiveOrganisation, { params });
    expect(archived.status).toBe('ARCHIVED');
    const { status } = await database.orm.manager.findOneByOrFail(ApiKey, { id: tenant.teamKeyId });
    expect(status).toBe('REVOKED');
    expect((await server.refused(server.root, rest.resumeOrganisation, { params })).status).toBe(
      409,
    );
    const team = { params, body: { name: 'late' } };
    expect((await server.refused(server.root, rest.createTeam, team)).status).toBe(409);
  });

  it('begin the counters of their periods anew in another time zone', async () => {
    const scope = { type: 'ORGANISATION' as const, id: tenant.organisationId };
    const body = { scope, period: 'DAILY' as const, limitUsd: '1' };
    const { id } = await server.ok(admin, rest.createBudget, { params, body });
    const [news] = await newsOf(() =>
      server.ok(admin, rest.updateOwnOrganisation, { params, body: { timeZone: 'Asia/Kolkata' } }),
    );
    expect(news?.limit_ids).toContain(id);
    expect(news?.limit_ids).not.toContain(tenant.quotaId);
  });

  it('keep their slug unless the platform changes it', async () => {
    const body = { slug: 'mine' } as never;
    const refused = await server.refused(admin, rest.updateOwnOrganisation, { params, body });
    expect(refused.path).toBe('slug');
  });
});

describe('teams and users', () => {
  it('a deleted team takes its keys and limits along and gives its name free', async () => {
    const scope = { type: 'TEAM' as const, id: tenant.teamId };
    const body = { scope, period: 'DAILY' as const, limitUsd: '1' };
    const budget = await server.ok(admin, rest.createBudget, { params, body });
    const one = { params: { ...params, teamId: tenant.teamId } };
    const news = await newsOf(() => server.ok(admin, rest.deleteTeam, one));
    expect(news.map(({ kind }) => kind)).toEqual(['TEAM']);
    expect(await keyStatus(tenant.teamKeyId)).toBe('REVOKED');
    expect(await keyStatus(tenant.userKeyId)).toBe('REVOKED');
    expect(await keyStatus(tenant.organisationKeyId)).toBe('ACTIVE');
    const gone = { params: { ...params, budgetId: budget.id } };
    expect((await server.refused(admin, rest.getBudget, gone)).status).toBe(404);
    expect((await server.refused(admin, rest.getTeam, one)).status).toBe(404);
    await server.ok(admin, rest.createTeam, { params, body: { name: 'Research' } });
  });

  it('a member who leaves loses the keys that charge the team', async () => {
    const member = { params: { ...params, teamId: tenant.teamId, userId: tenant.userIds.USER } };
    const news = await newsOf(() =>
      server.ok(tenant.callers.MANAGER, rest.removeTeamMember, member),
    );
    expect(news.map(({ kind }) => kind)).toEqual(['TEAM']);
    expect(await keyStatus(tenant.userKeyId)).toBe('REVOKED');
  });

  it('disabling a user is news; nobody disables themselves or lifts their own role', async () => {
    const one = { params: { ...params, userId: tenant.userIds.USER } };
    const news = await newsOf(() => server.ok(admin, rest.disableUser, one));
    expect(news.map(({ kind }) => kind)).toEqual(['USER']);
    const self = { params: { ...params, userId: tenant.userIds.ORG_ADMIN } };
    expect((await server.refused(admin, rest.disableUser, self)).status).toBe(409);
    const role = { ...self, body: { role: 'USER' as const } };
    expect((await server.refused(admin, rest.updateUser, role)).status).toBe(409);
  });

  it('an address is taken once, in whatever case and organisation', async () => {
    const body = { email: 'USER@tenant-1.example.com', name: 'x', password: 'a long password' };
    const refused = await server.refused(admin, rest.createUser, { params, body });
    expect(refused).toMatchObject({ status: 409, path: 'email' });
  });

  it('a manager sees and changes the own team only, a user sees it', async () => {
    const { MANAGER, USER } = tenant.callers;
    for (const who of [MANAGER, USER]) {
      const teams = await server.ok(who, rest.listTeams, { params });
      expect(teams.data.map(({ id }) => id)).toEqual([tenant.teamId]);
    }
    const query = { userId: tenant.userIds.USER };
    const ofUser = await server.ok(admin, rest.listTeams, { params, query });
    expect(ofUser.data.map(({ id }) => id)).toEqual([tenant.teamId]);
    const other = { params: { ...params, teamId: tenant.otherTeamId } };
    expect((await server.refused(MANAGER, rest.getTeam, other)).status).toBe(404);
    const add = { ...other, body: { userId: tenant.userIds.USER } };
    expect((await server.refused(MANAGER, rest.addTeamMember, add)).status).toBe(404);
    const users = await server.ok(USER, rest.listUsers, { params });
    expect(users.data.map(({ id }) => id)).toEqual([tenant.userIds.USER]);
  });
});

describe('API keys', () => {
  it('are shown once and stored as a hash, with news for that key', async () => {
    const body = { name: 'k', type: 'ORGANISATION' as const, modelIds: [tenant.modelId] };
    let key = '';
    let id = '';
    const [news] = await newsOf(async () => {
      ({ key, id } = await server.ok(admin, rest.createApiKey, { params, body }));
    });
    expect(key).toMatch(/^tg_[\w-]{43}$/);
    expect(news?.key_sha256).toEqual(hashApiKey(key));
    const row = await database.orm.manager.findOneByOrFail(ApiKey, { id });
    expect(row.keySha256).toEqual(hashApiKey(key));
    const trail: unknown[] = await database.orm.query('SELECT details FROM audit_event');
    const list = await server.ok(admin, rest.listApiKeys, { params });
    expect(JSON.stringify([trail, list, server.logs])).not.toContain(key);
  });

  it.each([
    [{ type: 'ORGANISATION', teamId: 'team' }, 'teamId'],
    [{ type: 'ORGANISATION', userId: 'user' }, 'userId'],
    [{ type: 'TEAM' }, 'teamId'],
    [{ type: 'TEAM', teamId: 'team', userId: 'user' }, 'userId'],
    [{ type: 'USER', userId: 'user', teamId: 'other team' }, 'teamId'],
    [{ type: 'USER', userId: 'nobody' }, 'userId'],
    [{ type: 'ORGANISATION', modelIds: ['nobody'] }, 'modelIds[0]'],
    [{ type: 'ORGANISATION', expiresAt: '2001-01-01T00:00:00Z' }, 'expiresAt'],
  ])('are refused as %j', async (draft, path) => {
    const ids: Record<string, string> = {
      team: tenant.teamId,
      'other team': tenant.otherTeamId,
      user: tenant.userIds.USER,
      nobody: '019aa000-0000-7000-8000-000000000000',
    };
    const text = JSON.stringify({ name: 'k', ...draft }).replace(
      /"(team|other team|user|nobody)"(?!:)/g,
      (_whole, name: string) => JSON.stringify(ids[name]),
    );
    const body = JSON.parse(text) as never;
    const refused = await server.refused(admin, rest.createApiKey, { params, body });
    expect(refused).toMatchObject({ status: 422, path });
  });

  it('are revoked for good, with news for that key', async () => {
    const one = { params: { ...params, apiKeyId: tenant.teamKeyId } };
    const [news] = await newsOf(() => server.ok(admin, rest.revokeApiKey, one));
    expect(news?.key_sha256).toHaveLength(32);
    expect(await newsOf(() => server.ok(admin, rest.revokeApiKey, one))).toEqual([]);
    const rename = { ...one, body: { name: 'x' } };
    expect((await server.refused(admin, rest.updateApiKey, rename)).status).toBe(409);
    expect((await server.refused(admin, rest.rotateApiKey, one)).status).toBe(409);
  });

  it('are rotated: old and new key are news, grants stay', async () => {
    const one = { params: { ...params, apiKeyId: tenant.teamKeyId } };
    const before = await database.orm.manager.findOneByOrFail(ApiKey, { id: tenant.teamKeyId });
    let key = '';
    const news = await newsOf(async () => {
      const rotated = await server.ok(admin, rest.rotateApiKey, one);
      expect(rotated.modelIds).toEqual([tenant.modelId]);
      key = rotated.key;
    });
    expect(news.map((row) => row.key_sha256)).toEqual([before.keySha256, hashApiKey(key)]);
  });

  it('are granted models, whole lists at a time', async () => {
    const one = { params: { ...params, apiKeyId: tenant.teamKeyId } };
    const put = (modelIds: string[]) =>
      server.ok(admin, rest.setApiKeyModels, { ...one, body: { modelIds } });
    expect((await put([])).modelIds).toEqual([]);
    expect((await put([tenant.modelId])).modelIds).toEqual([tenant.modelId]);
    const list = (modelId: string) =>
      server.ok(admin, rest.listApiKeys, { params, query: { modelId } });
    expect((await list(tenant.modelId)).data).toHaveLength(3);
  });

  it('a manager makes them for the own team, a user for oneself, neither beyond', async () => {
    const { MANAGER, USER } = tenant.callers;
    const make = (who: Who, body: object) =>
      server.call(who, rest.createApiKey, { params, body: { name: 'k', ...body } as never });
    const team = { type: 'TEAM', teamId: tenant.teamId };
    expect((await make(MANAGER, team)).status).toBe(201);
    expect((await make(MANAGER, { ...team, teamId: tenant.otherTeamId })).status).toBe(403);
    expect((await make(MANAGER, { type: 'ORGANISATION' })).status).toBe(403);
    expect((await make(USER, team)).status).toBe(403);
    const mine = { type: 'USER', modelIds: [tenant.modelId] };
    expect((await make(USER, mine)).status).toBe(201);
    expect((await make(USER, { ...mine, userId: tenant.userIds.MANAGER })).status).toBe(403);
    const foreign = { params: { ...params, apiKeyId: tenant.organisationKeyId } };
    for (const who of [MANAGER, USER]) {
      expect((await server.refused(who, rest.revokeApiKey, foreign)).status).toBe(404);
    }
  });

  it('a user gives only models that the own keys and teams have', async () => {
    const other = await server.ok(admin, rest.createModel, {
      params,
      body: { name: 'dear', providerId: tenant.providerId },
    });
    const body = { name: 'k', type: 'USER' as const, modelIds: [tenant.modelId, other.id] };
    const refused = await server.refused(tenant.callers.USER, rest.createApiKey, { params, body });
    expect(refused).toMatchObject({ status: 422, path: 'modelIds[1]' });
  });

  it('for the playground live a quarter of an hour with the own grants, unlisted', async () => {
    const made = await server.ok(tenant.callers.USER, rest.createPlaygroundKey, { params });
    expect(made).toMatchObject({
      type: 'USER',
      userId: tenant.userIds.USER,
      modelIds: [tenant.modelId],
    });
    const lifeMs = Date.parse(made.expiresAt ?? '') - Date.parse(made.createdAt);
    expect(Math.abs(lifeMs - 15 * 60_000)).toBeLessThan(60_000);
    const list = await server.ok(admin, rest.listApiKeys, { params, query: { limit: 200 } });
    expect(list.data.map(({ id }) => id)).not.toContain(made.id);
    const platform = await server.ok(server.root, rest.createPlaygroundKey, { params });
    expect(platform).toMatchObject({ type: 'ORGANISATION', userId: null });
  });
});

describe('providers and models', () => {
  const ring = parseKeyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`);

  it('seal their keys, answer previews and publish a new connection with every change', async () => {
    const one = { params: { ...params, providerId: tenant.providerId } };
    const secret = 'sk-the-second-secret-key-0002';
    const before = await server.ok(admin, rest.getProvider, one);
    const body = { name: 'second', apiKey: secret, weight: 3 };
    const added = await server.ok(admin, rest.addProviderKey, { ...one, body });
    expect(added).toMatchObject({ weight: 3, preview: 'sk-t…0002' });
    const after = await server.ok(admin, rest.getProvider, one);
    expect(after.connectionVersion).toBe(before.connectionVersion + 1);
    const row = await database.orm.manager.findOneByOrFail(ProviderApiKey, { id: added.id });
    expect(openSecret(ring, row, secretContext(tenant.providerId, added.id))).toBe(secret);
    const trail: unknown[] = await database.orm.query('SELECT details FROM audit_event');
    expect(JSON.stringify([after, trail, server.logs])).not.toContain(secret);
  });

  it.each([
    ['http://169.254.169.254/latest', 'metadata'],
    ['http://10.0.0.1/v1', 'private'],
    ['ftp://example.com', 'scheme'],
    ['https://user:pass@example.com', 'credentials'],
  ])('refuse the base URL %s (%s)', async (baseUrl) => {
    const body = { name: 'p', type: 'PROVIDER_A' as const, baseUrl };
    const refused = await server.refused(admin, rest.createProvider, { params, body });
    expect(refused).toMatchObject({ status: 422, path: 'baseUrl' });
  });

  it('refuse headers that carry secrets or break requests', async () => {
    const base = { name: 'p', type: 'PROVIDER_A' as const, baseUrl: 'https://example.com' };
    for (const headers of [{ Authorization: 'x' }, { Host: 'x' }, { 'x-ok': 'a\r\nb' }]) {
      const refused = await server.refused(admin, rest.createProvider, {
        params,
        body: { ...base, headers },
      });
      expect(refused.status).toBe(422);
    }
  });

  describe('that no route could use', () => {
    const base = { baseUrl: 'https://example.com' };
    const providerOf = async (body: Pick<rest.ProviderCreate, 'type' | 'upstreamFormat'>) =>
      server.ok(admin, rest.createProvider, {
        params,
        body: { ...base, ...body, name: `served ${body.type}` },
      });
    const open = (openCompatRoutes: boolean) =>
      server.ok(admin, rest.updateSettings, { params, body: { openCompatRoutes } });

    it('are 422, which names the setting that opens a route', async () => {
      const custom = await providerOf({ type: 'CUSTOM', upstreamFormat: 'openai' });
      const body = { name: 'drawn', providerId: custom.id, type: 'image' as const };
      const closed = await server.refused(admin, rest.createModel, { params, body });
      expect(closed).toMatchObject({ status: 422, path: 'type' });
      expect(closed.message).toContain('openCompatRoutes is off; switch it on');
      await open(true);
      const made = await server.ok(admin, rest.createModel, { params, body });
      await open(false);
      // A model that became unserved can be edited, except in what makes it unserved.
      const one = { params: { ...params, modelId: made.id } };
      const renamed = { name: 'drawn-2', type: 'image' as const, providerId: custom.id };
      await server.ok(admin, rest.updateModel, { ...one, body: renamed });
      const other = await server.refused(admin, rest.updateModel, {
        ...one,
        body: { type: 'moderation' },
      });
      expect(other).toMatchObject({ status: 422, path: 'type' });
      await server.ok(admin, rest.updateModel, { ...one, body: { type: 'embeddings' } });
    });

    it('are 422 whatever the setting where the provider has no such operation', async () => {
      const provider = await providerOf({ type: 'PROVIDER_B' });
      for (const opened of [false, true]) {
        await open(opened);
        const body = { name: 'never', providerId: provider.id, type: 'embeddings' as const };
        const refused = await server.refused(admin, rest.createModel, { params, body });
        expect(refused).toMatchObject({ status: 422, path: 'type' });
        expect(refused.message).toContain('no route serves models of type embeddings');
        expect(refused.message).not.toContain('openCompatRoutes');
      }
      await open(false);
      const embeds = { providerId: provider.id };
      const found = await server.ok(admin, rest.createModel, {
        params,
        body: { name: 'moved', providerId: tenant.providerId, type: 'embeddings' },
      });
      const one = { params: { ...params, modelId: found.id } };
      const moved = await server.refused(admin, rest.updateModel, { ...one, body: embeds });
      expect(moved).toMatchObject({ status: 422, path: 'type' });
    });
  });

  it('stay while models use them', async () => {
    const one = { params: { ...params, providerId: tenant.providerId } };
    expect((await server.refused(admin, rest.deleteProvider, one)).status).toBe(409);
    const model = { params: { ...params, modelId: tenant.modelId } };
    // As a model stays while an alias stands for it.
    expect((await server.refused(admin, rest.deleteModel, model)).status).toBe(409);
    const { modelAliasId } = tenant;
    await server.ok(admin, rest.deleteModelAlias, { params: { ...params, modelAliasId } });
    const news = await newsOf(() => server.ok(admin, rest.deleteModel, model));
    expect(news.map(({ kind }) => kind)).toEqual(['MODEL']);
    await server.ok(admin, rest.deleteProvider, one);
    const key = await server.ok(admin, rest.getApiKey, {
      params: { ...params, apiKeyId: tenant.teamKeyId },
    });
    expect(key.modelIds).toEqual([]);
  });

  it('keep every price; the latest that has begun is the current one', async () => {
    const one = { params: { ...params, modelId: tenant.modelId } };
    const model = await server.ok(admin, rest.getModel, one);
    expect(model.currentPrice?.steps[0]).toMatchObject({
      input: '2.50',
      cacheRead: '2.50',
      output: '10.00',
    });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const steps = [
      { input: '0.000000001', cacheRead: '0', output: '3' },
      { fromInputTokens: 200_000, input: '5', output: '6' },
    ];
    const news = await newsOf(() =>
      server.ok(admin, rest.addPrice, { ...one, body: { steps, effectiveFrom: later } }),
    );
    expect(news.map(({ kind }) => kind)).toEqual(['MODEL']);
    const prices = await server.ok(admin, rest.listPrices, one);
    expect(prices.data.map((price) => price.steps[0]?.input)).toEqual(['0.000000001', '2.50']);
    expect((await server.ok(admin, rest.getModel, one)).currentPrice?.id).toBe(prices.data[1]?.id);
    const past = { ...one, body: { steps, effectiveFrom: '2001-01-01T00:00:00Z' } };
    expect((await server.refused(admin, rest.addPrice, past)).path).toBe('effectiveFrom');
    const twice = { ...one, body: { steps, effectiveFrom: later } };
    expect((await server.refused(admin, rest.addPrice, twice)).status).toBe(409);
  });
});
