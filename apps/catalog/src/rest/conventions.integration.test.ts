import { rest } from '@tollgate/contracts';

import type { Database } from '../schema';
import { startTestDatabases, type TestDatabases } from '../test-support';
import { createTenant, startRest, type RestServer, type Tenant, type Who } from './test-support';

/** Conventions of every endpoint. */

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

async function raw(
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; body: string; headers: Headers }> {
  const response = await fetch(`${server.url}${path}`, init);
  return { status: response.status, body: await response.text(), headers: response.headers };
}

describe('lists', () => {
  it.each(['name', '-name', 'createdAt', '-createdAt'] as const)(
    'give every row once, page by page, by %s',
    async (sort) => {
      const all = await server.ok(admin, rest.listTeams, { params, query: { sort, limit: 200 } });
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const query = { sort, limit: 3, ...(cursor === undefined ? {} : { cursor }) };
        const page = await server.ok(admin, rest.listTeams, { params, query });
        expect(page.data.length).toBeLessThanOrEqual(3);
        seen.push(...page.data.map(({ id }) => id));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(all.data.map(({ id }) => id));
      expect(new Set(seen).size).toBe(seen.length);
    },
  );

  beforeAll(async () => {
    for (let n = 0; n < 10; n += 1) {
      await server.ok(admin, rest.createTeam, { params, body: { name: `Team 50% ${n}` } });
    }
  });

  it('find text anywhere in a name, signs of patterns included', async () => {
    const search = async (text: string): Promise<number> =>
      (await server.ok(admin, rest.listTeams, { params, query: { search: text } })).data.length;
    expect(await search('TEAM 50%')).toBe(10);
    expect(await search('m_50')).toBe(0);
    expect(await search('%')).toBe(10);
  });

  it.each([
    [{ limit: 201 }, 'limit'],
    [{ limit: 0 }, 'limit'],
    [{ sort: 'colour' }, 'sort'],
    [{ colour: 'red' }, 'colour'],
    [{ cursor: 'garbage' }, 'cursor'],
    [{ search: 'a\0b' }, 'search'],
    [{ cursor: forged(['createdAt', 'x', 'y']), sort: 'createdAt' }, 'cursor'],
    [{ cursor: forged(['createdAt', 'x', uuid(1)]), sort: 'createdAt' }, 'cursor'],
    [{ cursor: forged(['name', 'x', uuid(1)]), sort: 'createdAt' }, 'cursor'],
    [{ cursor: forged(['name', 'a\0', uuid(1)]), sort: 'name' }, 'cursor'],
  ])('refuse the query %j', async (query, path) => {
    const refused = await server.refused(admin, rest.listTeams, { params, query: query as object });
    expect(refused).toMatchObject({ status: 422, code: 'validation_failed', path });
  });
});

function forged(parts: string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

function uuid(n: number): string {
  return `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
}

describe('bodies', () => {
  const create = (body: unknown) =>
    server.refused(admin, rest.createModel, { params, body: body as never });

  it('are refused with the path of the field that is wrong', async () => {
    const model = { name: 'm', providerId: tenant.providerId };
    const step = { input: '1', output: '1' };
    expect(await create({})).toMatchObject({ status: 422, path: 'name' });
    expect(await create({ ...model, colour: 1 })).toMatchObject({ status: 422, path: 'colour' });
    expect(
      await create({ ...model, prices: [{ steps: [{ ...step, input: '-1' }] }] }),
    ).toMatchObject({
      status: 422,
      path: 'prices[0].steps[0].input',
    });
    expect(await create({ ...model, upstreamModel: 'a\0b' })).toMatchObject({
      path: 'upstreamModel',
    });
    expect(await create({ ...model, upstreamModel: '\ud800' })).toMatchObject({
      path: 'upstreamModel',
    });
    expect(await create([])).toMatchObject({ status: 422 });
  });

  it('must be JSON, not too large and not too deep', async () => {
    const path = rest.fillPath(rest.createTeam.path, params);
    const post = (body: string) =>
      raw(path, { method: 'POST', body, headers: { authorization: `Bearer ${admin?.token}` } });
    expect((await post('{"name":')).status).toBe(400);
    expect((await post('"text"')).status).toBe(400);
    expect((await post(JSON.stringify({ name: 'x'.repeat(1_100_000) }))).status).toBe(413);
    expect((await post(`{"name":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)).status).toBe(422);
  });

  it('of strangers are not read', async () => {
    const path = rest.fillPath(rest.createTeam.path, params);
    expect((await raw(path, { method: 'POST', body: '{"name":' })).status).toBe(401);
  });
});

describe('changes', () => {
  it('are refused when the object has changed since it was read', async () => {
    const team = await server.ok(admin, rest.createTeam, { params, body: { name: 'Tagged' } });
    const one = { params: { ...params, teamId: team.id } };
    const read = await server.call(admin, rest.getTeam, one);
    const tag = read.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    const rename = (name: string, match: string) =>
      server.call(admin, rest.updateTeam, {
        ...one,
        body: { name },
        headers: { 'if-match': match },
      });
    const renamed = await rename('Renamed', tag);
    expect(renamed.status).toBe(200);
    expect((await rename('Again', tag)).status).toBe(412);
    expect((await rename('Again', renamed.headers.get('etag') ?? '')).status).toBe(200);
    const unchanged = await server.call(admin, rest.getTeam, {
      ...one,
      headers: {
        'if-none-match': (await server.call(admin, rest.getTeam, one)).headers.get('etag') ?? '',
      },
    });
    expect(unchanged.status).toBe(304);
  });

  it('name the field that is taken already', async () => {
    await server.ok(admin, rest.createTeam, { params, body: { name: 'Taken' } });
    const again = await server.refused(admin, rest.createTeam, { params, body: { name: 'Taken' } });
    expect(again).toMatchObject({ status: 409, code: 'conflict', path: 'name' });
  });

  it('are written down with who, what, before and after, in the transaction', async () => {
    const team = await server.ok(admin, rest.createTeam, { params, body: { name: 'Audited' } });
    const one = { params: { ...params, teamId: team.id } };
    await server.ok(admin, rest.updateTeam, { ...one, body: { name: 'Audited twice' } });
    const events = await server.ok(admin, rest.listAuditEvents, {
      params,
      query: { targetId: team.id },
    });
    expect(events.data.map(({ action }) => action)).toEqual(['team.update', 'team.create']);
    expect(events.data[0]).toMatchObject({
      actor: { kind: 'USER', id: tenant.userIds.ORG_ADMIN, email: 'org_admin@acme.example.com' },
      before: { name: 'Audited' },
      after: { name: 'Audited twice' },
    });
  });
});

describe('an Idempotency-Key', () => {
  const create = (name: string, key: string) =>
    server.call(admin, rest.createTeam, {
      params,
      body: { name },
      headers: { 'idempotency-key': key },
    });

  it('makes a repeat answer as the first did', async () => {
    const first = await create('Once', 'key-1');
    const second = await create('Once', 'key-1');
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  it('is refused for another request', async () => {
    expect((await create('Another', 'key-1')).status).toBe(409);
  });

  it('is free again when the first request failed', async () => {
    expect((await create('Once', 'key-2')).status).toBe(409);
    expect((await create('Not once', 'key-2')).status).toBe(201);
  });

  it('makes many at once make one', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create('Raced', 'key-3')));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it('keeps a secret sealed', async () => {
    const sent = {
      params,
      body: { name: 'k', type: 'ORGANISATION' as const },
      headers: { 'idempotency-key': 'key-4' },
    };
    const first = await server.call(admin, rest.createApiKey, sent);
    expect((await server.call(admin, rest.createApiKey, sent)).body).toEqual(first.body);
    const stored: unknown[] = await database.orm.query(
      `SELECT response FROM idempotency_key WHERE key = 'key-4'`,
    );
    expect(JSON.stringify(stored)).not.toContain(first.body.key);
    expect(first.headers.get('cache-control')).toBe('no-store');
  });

  it('is one word', async () => {
    expect((await create('x', 'two words')).status).toBe(422);
  });
});

describe('the rest', () => {
  it('is not there: unknown routes, other methods, ids that are none', async () => {
    expect((await raw('/api/nothing')).status).toBe(404);
    expect((await raw('/api/auth/login')).status).toBe(404);
    const wrong = { params: { organisationId: 'not-an-id' } };
    expect((await server.refused(admin, rest.listTeams, wrong)).code).toBe('not_found');
  });

  it('answers health with its checks', async () => {
    const { checks } = await server.ok(undefined, rest.getHealth);
    expect(checks['database']?.ok).toBe(true);
  });

  it('lets only configured origins in', async () => {
    const ask = (origin: string) => raw('/api/health', { headers: { origin } });
    const allowed = await ask('https://console.example.com');
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://console.example.com');
    const other = await ask('https://evil.example.com');
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('logs one line per request, without query and body', async () => {
    const { headers } = await server.call(admin, rest.listTeams, {
      params,
      query: { search: 'needle' },
    });
    const lines = server.logs.filter((line) => line.includes(headers.get('x-request-id') ?? '?'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ operation: 'listTeams', status: 200 });
    expect(server.logs.join('\n')).not.toContain('needle');
  });
});
