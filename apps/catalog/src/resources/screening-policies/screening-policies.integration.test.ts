import { rest, SCREENING_LIMITS, type ScreeningRule } from '@tollgate/contracts';
import { hashApiKey, type ScreeningEntry } from '@tollgate/contracts/node';
import type { z } from 'zod';

import { getScreeningPolicy } from '../../directory/get-screening-policy';
import { resolveKey } from '../../directory/resolve-key';
import {
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let rival: Tenant;
let admin: Who;
let params: { organisationId: string };

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  rival = await createTenant(server, 'rival');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

type Create = z.input<typeof rest.screeningPolicyCreate>;
type Rule = NonNullable<Create['rules']>[number];

const CARDS: Rule = {
  id: 'cards',
  kind: 'PERSONAL_DATA',
  types: ['CARD'],
  where: ['INPUT', 'OUTPUT'],
  action: 'BLOCK',
  onError: 'BLOCK',
};
let made = 0;
const bodyOf = (over: Partial<Create> = {}): Create => {
  made += 1;
  return { identifier: `policy-${made}`, name: `Policy ${made}`, rules: [CARDS], ...over };
};
const create = (over: Partial<Create> = {}) =>
  server.ok(admin, rest.createScreeningPolicy, { params, body: bodyOf(over) });
const update = (id: string, body: z.input<typeof rest.screeningPolicyPatch>) =>
  server.ok(admin, rest.updateScreeningPolicy, {
    params: { ...params, screeningPolicyId: id },
    body,
  });
const refused = (body: Create) =>
  server.refused(admin, rest.createScreeningPolicy, { params, body });

async function screeningOfNewKey(): Promise<readonly ScreeningEntry[]> {
  const body = { name: 'a key', type: 'ORGANISATION' as const };
  const { key } = await server.ok(admin, rest.createApiKey, { params, body });
  const { context } = await resolveKey(database.pool, hashApiKey(key));
  return context?.screening ?? [];
}

test('a policy starts with version 1, and each change of its rules is a new one', async () => {
  const { id, version } = await create();
  expect(version).toBe(1);
  expect(await update(id, { name: 'Another name' })).toMatchObject({ version: 1 });
  expect(await update(id, { rules: [{ ...CARDS, action: 'MASK' }] })).toMatchObject({ version: 2 });
  const at = { ...params, screeningPolicyId: id };
  const { data } = await server.ok(admin, rest.listScreeningPolicyVersions, { params: at });
  expect(data).toMatchObject([
    { version: 2, rules: [{ action: 'MASK' }], createdBy: tenant.userIds.ORG_ADMIN },
    { version: 1, rules: [{ action: 'BLOCK' }] },
  ]);
});

test('an edge gets the rules of the version that it asks for', async () => {
  const { id, identifier } = await create();
  await update(id, { rules: [] });
  const first = await getScreeningPolicy(database.pool, id, 1);
  expect(first).toMatchObject({ identifier, version: 1, organisationId: tenant.organisationId });
  const rules = JSON.parse(first?.rulesJson ?? '') as ScreeningRule[];
  expect(rules).toMatchObject([{ id: 'cards', sample: 1, message: null, restore: true }]);
  expect(await getScreeningPolicy(database.pool, id, 3)).toBeUndefined();
  expect(await getScreeningPolicy(database.pool, 'no-id', 1)).toBeUndefined();
});

test('decisions know active policies that are attached and have rules', async () => {
  const attachedTo = [
    { scopeType: 'ORGANISATION' as const, scopeId: tenant.organisationId },
    { scopeType: 'TEAM' as const, scopeId: tenant.teamId },
    { scopeType: 'MODEL' as const, scopeId: tenant.modelId },
    { scopeType: 'MCP_SERVER' as const, scopeId: tenant.mcpServerId },
  ];
  const { id } = await create({ attachedTo });
  await create();
  await create({ attachedTo, rules: [] });
  expect(await screeningOfNewKey()).toEqual([
    { policyId: id, version: 1, attachedTo, services: [] },
  ]);
  await update(id, { status: 'DISABLED' });
  expect(await screeningOfNewKey()).toEqual([]);
});

test.each([
  ['a model of another organisation', () => rival.modelId, 'MODEL'],
  ['another organisation', () => rival.organisationId, 'ORGANISATION'],
  ['a team under the scope of keys', () => tenant.teamId, 'API_KEY'],
  ['an MCP server of another organisation', () => rival.mcpServerId, 'MCP_SERVER'],
] as const)('an attachment to %s is refused', async (_, scopeId, scopeType) => {
  const reply = await refused(bodyOf({ attachedTo: [{ scopeType, scopeId: scopeId() }] }));
  expect(reply).toMatchObject({ status: 422, path: 'attachedTo[0].scopeId' });
});

test('an attachment stays when its object is gone', async () => {
  const body = { name: 'a key', type: 'ORGANISATION' as const };
  const key = await server.ok(admin, rest.createApiKey, { params, body });
  const attachedTo = [{ scopeType: 'API_KEY' as const, scopeId: key.id }];
  const { id } = await create({ attachedTo });
  await server.ok(admin, rest.revokeApiKey, { params: { ...params, apiKeyId: key.id } });
  await update(id, { attachedTo, name: 'still there' });
  expect(await refused(bodyOf({ attachedTo }))).toMatchObject({ path: 'attachedTo[0].scopeId' });
});

const PATTERNS: Rule = {
  id: 'tickets',
  kind: 'REGEX',
  patterns: [{ name: 'TICKET', pattern: 'T-\\d+' }],
  where: ['INPUT'],
  action: 'MASK',
  onError: 'PASS',
};

const ROUTER: Rule = {
  id: 'router',
  kind: 'PLUGIN',
  service: 'none-such',
  mayRouteTo: ['small'],
  where: ['INPUT'],
  action: 'BLOCK',
  onError: 'PASS',
};

test.each<[name: string, rule: Rule, path: string]>([
  [
    'a pattern with a lookahead',
    { ...PATTERNS, patterns: [{ name: 'A', pattern: '(?=x)y' }] },
    'rules[1].patterns[0].pattern',
  ],
  [
    'a pattern that matches nothing',
    { ...PATTERNS, patterns: [{ name: 'A', pattern: 'a*' }] },
    'rules[1].patterns[0].pattern',
  ],
  ['no choice for errors', { ...PATTERNS, onError: undefined as never }, 'rules[1].onError'],
  ['an id twice', { ...PATTERNS, id: 'cards' }, 'rules'],
  ['a sample of what is blocked', { ...PATTERNS, sample: 0.5 }, 'rules[1].sample'],
  ['a model for an answer', { ...ROUTER, where: ['OUTPUT'] }, 'rules[1].mayRouteTo'],
  ['a model beside the call', { ...ROUTER, wait: 'BESIDE' }, 'rules[1].wait'],
  ['a name of no model', { ...ROUTER, mayRouteTo: ['a, b'] }, 'rules[1].mayRouteTo[0]'],
])('%s is refused, naming the field', async (_, rule, path) => {
  expect(await refused(bodyOf({ rules: [CARDS, rule] }))).toMatchObject({ path });
});

const BLOCKS = { where: ['INPUT' as const], action: 'BLOCK' as const, onError: 'BLOCK' as const };
const MODELS: Rule = {
  ...BLOCKS,
  id: 'models',
  kind: 'MODELS',
  mode: 'DENY',
  models: ['gpt-4*'],
};
const PARAMETERS: Rule = {
  ...BLOCKS,
  id: 'bounds',
  kind: 'PARAMETERS',
  parameters: [{ name: 'max_tokens', maximum: 4_000 }],
};
const SHAPE: Rule = {
  ...BLOCKS,
  id: 'shape',
  kind: 'JSON_SCHEMA',
  schema: { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] },
  where: ['OUTPUT'],
};

test.each([
  ['a keyword that is none', { properties: { 'a/b': { minumum: 1 } } }, '/properties/a~1b/minumum'],
  ['a pattern with a lookahead', { pattern: '(?=x)y' }, '/pattern'],
  ['a reference to elsewhere', { $ref: 'https://elsewhere.example/' }, '/$ref'],
])('a schema with %s is refused, naming its place', async (_, schema, pointer) => {
  const reply = await refused(bodyOf({ rules: [CARDS, { ...SHAPE, schema }] }));
  expect(reply).toMatchObject({ status: 422, path: 'rules[1].schema' });
  expect(JSON.stringify(reply)).toContain(`${pointer}: `);
});

test.each<[string, Rule, string]>([
  ['models', { ...MODELS, where: ['INPUT', 'MCP_REQUEST'] }, 'rules[0].where'],
  ['parameters', { ...PARAMETERS, where: ['MCP_REQUEST'] }, 'rules[0].where'],
  ['answers', { ...SHAPE, where: ['MCP_RESULT'] }, 'rules[0].where'],
  ['nothing', { ...PARAMETERS, parameters: [{ name: 'n' }] }, 'rules[0].parameters[0].name'],
])('a rule about %s is refused where it cannot look', async (_, rule, path) => {
  expect(await refused(bodyOf({ rules: [rule] }))).toMatchObject({ path });
});

test('rules about models, parameters and answers are kept as they are, and tried', async () => {
  const rules = [MODELS, PARAMETERS, SHAPE];
  const { id } = await create({ rules });
  const at = { ...params, screeningPolicyId: id };
  const stored = await server.ok(admin, rest.getScreeningPolicy, { params: at });
  expect(stored.rules).toMatchObject(rules);
  expect(await update(id, { rules: stored.rules })).toMatchObject({ version: 1 });
  const request = JSON.stringify({ model: 'gpt-4o', max_output_tokens: 5_000 });
  const asked = { rules, text: request };
  expect(await server.ok(admin, rest.testScreening, { params, body: asked })).toMatchObject({
    blockedBy: 'bounds',
    breaches: [
      { ruleId: 'bounds', reason: 'max_output_tokens must be at most 4000' },
      { ruleId: 'models', reason: 'model is not allowed' },
    ],
    notAsked: [],
  });
  const answered = { rules, place: 'OUTPUT' as const, text: '{"price":"1"}' };
  expect(await server.ok(admin, rest.testScreening, { params, body: answered })).toMatchObject({
    blockedBy: 'shape',
    breaches: [{ ruleId: 'shape', reason: '/price does not match the schema' }],
  });
});

test('an identifier is free once', async () => {
  const { identifier } = await create();
  expect(await refused(bodyOf({ identifier }))).toMatchObject({ status: 409, path: 'identifier' });
});

test('rules are tried without being saved', async () => {
  const body = { rules: [CARDS, PATTERNS], text: 'T-7 paid with 4111 1111 1111 1111' };
  expect(await server.ok(admin, rest.testScreening, { params, body })).toEqual({
    blockedBy: 'cards',
    text: '<TICKET_1> paid with 4111 1111 1111 1111',
    hits: [
      { ruleId: 'tickets', label: 'TICKET', start: 0, end: 3 },
      { ruleId: 'cards', label: 'CARD', start: 14, end: 33 },
    ],
    breaches: [],
    notAsked: [],
  });
});

test('a test of rules names those it cannot try', async () => {
  const ask = {
    kind: 'EXTERNAL' as const,
    service: 'none-such',
    action: 'BLOCK' as const,
    onError: 'BLOCK' as const,
  };
  const rules: Rule[] = [
    CARDS,
    { ...ask, id: 'ask', where: ['INPUT'] },
    { ...ask, id: 'ask-later', where: ['OUTPUT'] },
    { ...ask, id: 'change', kind: 'PLUGIN', where: ['INPUT'] },
  ];
  const body = { rules, text: 'no card' };
  expect(await server.ok(admin, rest.testScreening, { params, body })).toEqual({
    blockedBy: null,
    text: 'no card',
    hits: [],
    breaches: [],
    notAsked: ['ask', 'change'],
  });
});

test('a change is in the audit trail, and edges hear of it', async () => {
  const { id } = await create();
  await server.ok(admin, rest.deleteScreeningPolicy, {
    params: { ...params, screeningPolicyId: id },
  });
  const { data } = await server.ok(admin, rest.listAuditEvents, {
    params,
    query: { action: 'screening-policy.delete' },
  });
  expect(data[0]).toMatchObject({ target: { type: 'screening-policy', id } });
  const { rows } = await database.pool.query<{ organisation_id: string }>(
    `SELECT organisation_id FROM outbox_event WHERE kind = 'SCREENING_POLICY' ORDER BY seq DESC LIMIT 1`,
  );
  expect(rows[0]?.organisation_id).toBe(tenant.organisationId);
});

test('patterns and policies of an organisation have a limit', async () => {
  const at = { organisationId: rival.organisationId };
  const owner = rival.callers.ORG_ADMIN;
  const patterns = (count: number): Rule[] => [
    {
      ...PATTERNS,
      patterns: Array.from({ length: count }, (_, n) => ({ name: `P${n}`, pattern: `p${n}` })),
    },
  ];
  const add = (rules: Rule[]) =>
    server.ok(owner, rest.createScreeningPolicy, { params: at, body: bodyOf({ rules }) });
  await add(patterns(20));
  const { id } = await add(patterns(20));
  const body = bodyOf({ rules: patterns(1) });
  const reply = await server.refused(owner, rest.createScreeningPolicy, { params: at, body });
  expect(reply).toMatchObject({ status: 422, path: 'rules' });
  const params = { ...at, screeningPolicyId: id };
  await server.ok(owner, rest.updateScreeningPolicy, { params, body: { rules: patterns(19) } });
  // The tenant comes with one.
  for (let n = 3; n < SCREENING_LIMITS.policies; n += 1) await add([]);
  const more = await server.refused(owner, rest.createScreeningPolicy, {
    params: at,
    body: bodyOf({ rules: [] }),
  });
  expect(more).toMatchObject({ status: 409 });
});
