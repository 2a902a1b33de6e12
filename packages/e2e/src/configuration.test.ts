import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@tollgate/stack';

import { chat, eventually, newTenant, startGateway, undo, type Gateway, type Tenant } from '.';
import { tollgate } from './configuration/command';
import {
  EXPORT_SECRET,
  furnish,
  MCP_SECRET,
  SECOND_KEY,
  SERVICE_SECRET,
} from './configuration/furnish';
import { SLACK_URL, STORAGE_SECRET } from './configuration/furnish-alerts';
import { startDatabase } from './gateway/database';
import { local } from './gateway/fleet';

// Configuration as code: an installation with objects of every kind, a second one that is empty, and
// the command `tollgate` between them.

let gateway: Gateway;
let tenant: Tenant;
let emptyUrl: string;
let folder: string;
const cleanup: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  gateway = await startGateway();
  cleanup.push(gateway.stop);
  tenant = await furnish(gateway);
  const { postgres, databaseUrl } = await startDatabase();
  cleanup.unshift(postgres.stop);
  const catalog = await freePort();
  await gateway.stack.start('catalog', {
    as: 'catalog-empty',
    ports: { catalog, catalogGrpc: await freePort() },
    env: { DATABASE_URL: databaseUrl },
  });
  emptyUrl = local(catalog);
  folder = await mkdtemp(join(tmpdir(), 'tollgate-cli-'));
  cleanup.push(() => rm(folder, { recursive: true, force: true }));
});
afterAll(() => undo(cleanup));

const account = (url: string): Record<string, string> => ({
  TOLLGATE_URL: url,
  TOLLGATE_EMAIL: gateway.superAdmin.email,
  TOLLGATE_PASSWORD: gateway.superAdmin.password,
});

/** A value for every variable that an export names. */
function secretsFor(documents: string): Record<string, string> {
  const names = [...documents.matchAll(/env: (TOLLGATE_SECRET_\w+)/g)].map(
    ([, name]) => name ?? '',
  );
  const valueOf = (name: string): string => {
    if (name.endsWith('_TICKETS')) return MCP_SECRET;
    if (name.endsWith('_JUDGE')) return SERVICE_SECRET;
    if (name.endsWith('_WAREHOUSE')) return EXPORT_SECRET;
    if (name.endsWith('_CHANNEL')) return SLACK_URL;
    if (name.endsWith('_ALL_BOOKS')) return STORAGE_SECRET;
    return name.endsWith('_SECOND') ? SECOND_KEY : `sk-sim-${tenant.slug}`;
  };
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]));
}

test('an export applied to an empty installation gives the same installation', async () => {
  const exported = await tollgate(['export'], account(gateway.catalogUrl));
  expect(exported).toMatchObject({ code: 0, err: '' });
  for (const secret of [
    MCP_SECRET,
    SERVICE_SECRET,
    EXPORT_SECRET,
    SECOND_KEY,
    SLACK_URL,
    STORAGE_SECRET,
    `sk-sim-${tenant.slug}`,
  ]) {
    expect(exported.out).not.toContain(secret);
  }
  const env = { ...account(emptyUrl), ...secretsFor(exported.out) };
  const planned = await tollgate(['plan', '-f', '-'], env, exported.out);
  expect(planned).toMatchObject({ code: 2, err: '' });
  expect(planned.out).toContain(`+ ApiKey ${tenant.slug}/service#2`);
  const refused = await tollgate(['apply', '-f', '-'], env, exported.out);
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(/6 objects would be created with a secret.*--keys-out/);
  const keysFile = join(folder, 'keys.ndjson');
  const applied = await tollgate(['apply', '-f', '-', '--keys-out', keysFile], env, exported.out);
  expect(applied).toMatchObject({ code: 0, out: '' });
  const keys = (await readFile(keysFile, 'utf8')).trimEnd().split('\n');
  expect(keys).toHaveLength(6);
  expect((await stat(keysFile)).mode & 0o777).toBe(0o600);
  const copied = await tollgate(['export'], account(emptyUrl));
  expect(copied.out).toBe(exported.out);
  for (const secret of Object.values(secretsFor(exported.out))) {
    expect(`${planned.out}${applied.err}`).not.toContain(secret);
  }
  const again = await tollgate(['apply', '-f', '-'], env, exported.out);
  expect(again).toMatchObject({ code: 0 });
  expect(again.err).toMatch(/^0 done, \d+ unchanged\n$/);
  expect(await tollgate(['plan', '-f', '-'], env, exported.out)).toMatchObject({ code: 0 });
});

test('the installation itself is unchanged by its own export, also as JSON and without secrets', async () => {
  const env = account(gateway.catalogUrl);
  const exported = await tollgate(['export', '--format', 'json'], env);
  const planned = await tollgate(['plan', '-f', '-', '--prune'], env, exported.out);
  expect(planned.code).toBe(0);
  expect(planned.out).toMatch(/note: Provider .*SIMULATOR.* is not set; its secret is kept/i);
});

interface Written {
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** A change of a field of each kind. */
const CHANGED: Readonly<Record<string, object>> = {
  Organisation: { name: 'Renamed' },
  User: { name: 'Somebody else' },
  Provider: { timeoutMs: 80_000 },
  Model: {
    displayName: 'Shown',
    prices: [{ steps: [{ input: '1', output: '2' }] }],
    retirement: { sunsetAt: '2033-01-01T00:00:00Z' },
  },
  ModelAlias: { displayName: 'Other', retirement: null },
  Experiment: { endsAt: '2031-12-31T00:00:00Z' },
  McpServer: { callPriceUsd: '0.5' },
  RoutingPolicy: { retries: 2 },
  ApiKey: { modelGrants: [], expiresAt: '2031-02-03T04:05:06Z' },
  Budget: { limitUsd: '77.70' },
  Quota: { status: 'DISABLED' },
  RateLimit: { requestsPerMinute: 7 },
  ScreeningService: { name: 'Another name' },
  ScreeningPolicy: { attachedTo: [{ type: 'ORGANISATION' }] },
  McpSignIn: { scopes: [] },
  ExportDestination: { intervalSeconds: 60 },
  AlertDestination: { status: 'DISABLED' },
  AlertRule: { status: 'DISABLED', destinations: [] },
};

/** A member that is removed loses keys, so a team gets another role instead. */
function changeOf({ kind, spec }: Written): object {
  if (kind !== 'Team') return CHANGED[kind] ?? {};
  const members = spec['members'] as { user: string }[];
  return { members: members.map(({ user }) => ({ user, role: 'MEMBER' })) };
}

test('an object of every kind is changed where its document differs', async () => {
  const env = account(emptyUrl);
  const exported = await tollgate(['export', '--format', 'json'], env);
  const written = JSON.parse(exported.out) as Written[];
  const kinds = new Set(written.map(({ kind }) => kind));
  expect(kinds).toEqual(new Set(['Team', ...Object.keys(CHANGED)]));
  const changed = written.map((one) => ({ ...one, spec: { ...one.spec, ...changeOf(one) } }));
  const text = JSON.stringify(changed);
  const applied = await tollgate(['apply', '-f', '-', '--prune'], env, text);
  expect(applied.err).not.toMatch(/FAILED|not tried/);
  for (const kind of kinds) expect(applied.err).toMatch(new RegExp(`^changed ${kind} `, 'm'));
  const planned = await tollgate(['plan', '-f', '-', '--prune'], env, text);
  expect(planned.out).toMatch(/\n0 to create, 0 to change, 0 to delete, \d+ unchanged\n$/);
});

const SLUG = 'acme';
const document = (kind: string, name: string | undefined, spec: object, more: object = {}) => ({
  apiVersion: 'tollgate/v1',
  kind,
  metadata: { organisation: SLUG, ...(name === undefined ? {} : { name }), ...more },
  spec,
});
const price = { steps: [{ input: '2.50', output: '10' }] };

/** A small organisation at the simulator; `over` changes the model. */
const acme = (over: object = {}): object[] => [
  {
    apiVersion: 'tollgate/v1',
    kind: 'Organisation',
    metadata: { name: SLUG },
    spec: { name: 'Acme' },
  },
  document('Provider', 'simulator', {
    type: 'PROVIDER_A',
    baseUrl: `${gateway.simulatorUrl}/v1`,
    apiKeys: [{ apiKey: { env: 'SIMULATOR_KEY' } }],
  }),
  document('Model', 'chat', {
    provider: 'simulator',
    upstreamModel: 'sim',
    contextTokens: 64_000,
    prices: [price],
    ...over,
  }),
  document('ApiKey', 'app', { type: 'ORGANISATION', models: ['chat'] }),
  document('Budget', undefined, {
    scope: { type: 'MODEL', name: 'chat' },
    period: 'DAILY',
    limitUsd: '5',
  }),
];

async function inFile(name: string, documents: readonly object[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify(documents));
  return path;
}

test('documents make a gateway that serves; changes are planned, shown, applied and pruned', async () => {
  const env = { ...account(gateway.catalogUrl), SIMULATOR_KEY: 'sk-sim-acme-0123456789abcdef' };
  const file = await inFile('acme.json', acme());
  const applied = await tollgate(['apply', '-f', file, '--keys-out', '-'], env);
  expect(applied.code).toBe(0);
  const { key } = JSON.parse(applied.out) as { key: string };
  const served = await eventually('the key serves', async () => {
    const answer = await chat(gateway.edgeUrl(), key);
    return answer.status === 200 && answer;
  });
  expect(served.headers['x-tollgate-cost-usd']).toBeDefined();

  const changed = await inFile(
    'acme.json',
    acme({ contextTokens: 32_000, prices: [{ steps: [{ input: '3', output: '10.00' }] }] }),
  );
  const planned = await tollgate(['plan', '-f', changed], env);
  expect(planned.code).toBe(2);
  expect(planned.out).toContain(
    '~ Model acme/chat\n    contextTokens: 64000 → 32000\n    prices.current:',
  );
  expect(planned.out).toMatch(/0 to create, 1 to change, 0 to delete, 4 unchanged/);
  const diff = await tollgate(['diff', '-f', changed], env);
  expect(diff.code).toBe(2);
  expect(diff.out).toContain('-contextTokens: 64000\n+contextTokens: 32000\n');
  expect((await tollgate(['apply', '-f', changed], env)).code).toBe(0);

  const owned = document('Ownership', undefined, { kinds: ['Budget', 'ApiKey'] });
  const fewer = await inFile('acme.json', [...acme().slice(0, 2), owned]);
  const kept = await tollgate(['apply', '-f', fewer], env);
  expect(kept.code).toBe(0);
  expect(kept.err).toContain(
    'note: ApiKey acme/app: is owned but not described; --prune deletes it',
  );
  const pruned = await tollgate(['apply', '-f', fewer, '--prune'], env);
  expect(pruned.err).toContain('deleted Budget acme/MODEL chat DAILY');
  expect(pruned.err).toContain('deleted ApiKey acme/app');
  expect(pruned.err).not.toContain('deleted Model');
  await eventually(
    'the key is refused',
    async () => (await chat(gateway.edgeUrl(), key)).status === 401,
  );
});

test('a rotated secret replaces the one at the provider', async () => {
  const file = await inFile('rotate.json', acme().slice(0, 2));
  const env = (secret: string) => ({ ...account(gateway.catalogUrl), SIMULATOR_KEY: secret });
  const first = env('sk-sim-acme-0123456789abcdef');
  expect((await tollgate(['apply', '-f', file], first)).code).toBe(0);
  const second = env('sk-sim-acme-0123456789another');
  const planned = await tollgate(['plan', '-f', file], second);
  expect(planned.out).toContain('apiKeys.default.apiKey');
  expect(planned.out).not.toContain('0123456789');
  expect((await tollgate(['apply', '-f', file], second)).code).toBe(0);
  expect(await tollgate(['plan', '-f', file], second)).toMatchObject({ code: 0 });
});

test('a step that fails is told, those that need it are not tried, and a second run does the rest', async () => {
  const env = { ...account(gateway.catalogUrl), SIMULATOR_KEY: 'sk-sim-acme-0123456789abcdef' };
  const provider = (name: string, baseUrl: string) =>
    document('Provider', name, {
      type: 'PROVIDER_A',
      baseUrl,
      apiKeys: [{ apiKey: { env: 'SIMULATOR_KEY' } }],
    });
  const model = (name: string, of: string) => document('Model', name, { provider: of });
  const good = `${gateway.simulatorUrl}/v1`;
  const broken = [
    ...acme().slice(0, 1),
    provider('broken', 'http://169.254.169.254/v1'),
    provider('fine', good),
    model('needs-broken', 'broken'),
    model('needs-fine', 'fine'),
  ];
  const first = await tollgate(['apply', '-f', await inFile('broken.json', broken)], env);
  expect(first.code).toBe(1);
  expect(first.err).toMatch(/FAILED Provider acme\/broken: .*baseUrl/);
  expect(first.err).toContain('not tried Model acme/needs-broken: needs Provider acme/broken');
  expect(first.err).toContain('created Model acme/needs-fine');
  expect(first.err).toMatch(/2 done, 1 unchanged; 1 failed, 1 not tried/);
  const mended = broken.map((one, index) => (index === 1 ? provider('broken', good) : one));
  const second = await tollgate(['apply', '-f', await inFile('broken.json', mended)], env);
  expect(second.err).toMatch(/2 done, 3 unchanged\n$/);
});

test('an administrator of one organisation manages it, and nothing else', async () => {
  const password = 'correct horse battery staple';
  const email = `boss@${tenant.slug}.example`;
  await tenant.create('users', { email, name: 'Boss', role: 'ORG_ADMIN', password });
  const env = {
    TOLLGATE_URL: gateway.catalogUrl,
    TOLLGATE_EMAIL: email,
    TOLLGATE_PASSWORD: password,
  };
  const exported = await tollgate(['export'], env);
  expect(exported.code).toBe(0);
  expect(exported.out).not.toContain('SUPER_ADMIN');
  expect(await tollgate(['plan', '-f', '-'], env, exported.out)).toMatchObject({ code: 0 });
  const other = await tollgate(['plan', '-f', await inFile('other.json', acme())], env);
  expect(other.code).toBe(1);
  expect(other.err).toContain('Organisation acme');
});

test('the known models price an unpriced model, and its next request is charged', async () => {
  const acme = await newTenant(gateway);
  const modelId = await acme.model('gpt-4o-mini', 'gpt-4o-mini', { prices: [] });
  const { key } = await acme.key({ modelIds: [modelId] });
  const prices = (...more: string[]) =>
    tollgate(
      ['prices', 'import', '--organisation', acme.slug, '--known', ...more],
      account(gateway.catalogUrl),
    );
  const tried = await prices('--dry-run');
  expect(tried).toMatchObject({ code: 2, err: '' });
  expect(tried.out).toMatch(/^\+ gpt-4o-mini from .*\n {4}input: \(none\) → 0\.15\n/);
  expect(await prices()).toMatchObject({ code: 0, err: '' });
  expect(await prices('--dry-run')).toMatchObject({ code: 0, out: '0 to add, 1 unchanged\n' });
  const unknown = await tollgate(
    ['prices', 'import', '--organisation', 'nobody', '--known'],
    account(gateway.catalogUrl),
  );
  expect(unknown).toMatchObject({ code: 1, err: 'There is no organisation nobody.\n' });
  await eventually('a request is charged with the listed price', async () => {
    expect((await chat(gateway.edgeUrl(), key, { model: 'gpt-4o-mini' })).status).toBe(200);
    const { data } = await gateway.rest.get(`${acme.base}/usage/records?limit=1`);
    const [record] = (data as { data: { costUsd: string }[] }).data;
    return record !== undefined && record.costUsd !== '0.00';
  });
});
