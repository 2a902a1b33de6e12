import { previewOf } from '@tollgate/contracts/node';

import { FaultyDocuments } from '../documents/faults';
import { titleOf } from '../kinds/index';
import { ACME, doc, docs, documentsOf, installationOf } from '../test-support/fakes';
import { createPlan, type Plan } from './plan';
import { diffText, planText } from './print';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const SECRET = 'sk-0123456789abcdef-very-secret';
const options = (prune = false) => ({ prune, nowMs: NOW });

const provider = (over: object = {}) =>
  doc('Provider', 'openai', {
    type: 'PROVIDER_A',
    baseUrl: 'https://api.example.com/v1',
    apiKeys: [{ apiKey: { env: 'KEY' } }],
    ...over,
  });
const model = (over: object = {}) => doc('Model', 'chat', { provider: 'openai', ...over });
const OPENAI = {
  kind: 'Provider',
  name: 'openai',
  spec: { type: 'PROVIDER_A', baseUrl: 'https://api.example.com/v1', timeoutMs: 1_000 },
  row: {
    apiKeys: [{ id: 'k', name: 'default', preview: 'sk-0…cret', weight: 1, status: 'ACTIVE' }],
  },
};
const amounts = (input: string) => ({
  steps: [
    {
      fromInputTokens: 0,
      input,
      cacheRead: input,
      cacheWrite5m: input,
      cacheWrite1h: input,
      audioInput: input,
      imageInput: input,
      output: '10.00',
      audioOutput: '10.00',
      imageOutput: '10.00',
    },
  ],
  perRequestUsd: '0.00',
  perUnitUsd: {},
});
const CHAT = {
  kind: 'Model',
  name: 'chat',
  spec: { provider: 'openai', contextTokens: 128_000, capabilities: ['vision', 'tools'] },
  row: { model: { currentPrice: amounts('2.50') }, scheduled: [] },
};

const planOf = (
  text: string,
  given: Parameters<typeof installationOf>[0],
  prune = false,
  env: Record<string, string> = { KEY: SECRET },
): Plan => createPlan(documentsOf(text, env), installationOf(given), options(prune));

function faultsOf(...args: Parameters<typeof planOf>): string[] {
  try {
    planOf(...args);
  } catch (error) {
    if (error instanceof FaultyDocuments) return error.message.split('\n');
    throw error;
  }
  return [];
}

const stepsOf = (plan: Plan) =>
  plan.steps.map(({ action, identity }) => `${action} ${titleOf(identity)}`);

test('objects are created after those that they name, whatever the order of documents', () => {
  const key = doc('ApiKey', 'app', { type: 'ORGANISATION', models: ['chat'] });
  const organisation = doc('Organisation', 'acme', { name: 'Acme' });
  const plan = createPlan(
    documentsOf(docs(key, model(), provider(), organisation), { KEY: SECRET }),
    { ...installationOf([]), organisations: new Map() },
    options(),
  );
  expect(stepsOf(plan)).toEqual([
    'create Organisation acme',
    'create Provider acme/openai',
    'create Model acme/chat',
    'create ApiKey acme/app',
  ]);
});

test('a name that nothing has is a fault, with its place', () => {
  expect(faultsOf(model(), [ACME])).toEqual([
    'acme.yaml:1: Model acme/chat: spec.provider: there is no Provider acme/openai',
  ]);
  const elsewhere = doc('Team', 'blue', {}, { organisation: 'nowhere' });
  expect(faultsOf(elsewhere, [ACME])).toEqual([
    'acme.yaml:1: Team nowhere/blue: metadata.organisation: there is no organisation nowhere',
  ]);
  const third = doc('ApiKey', 'app', { type: 'ORGANISATION' }, { ordinal: 3 });
  expect(faultsOf(third, [ACME]).join()).toMatch(/there is no ApiKey acme\/app#2 before it/);
});

test('fields that are absent, and other ways to write a value, change nothing', () => {
  const same = docs(
    provider(),
    model({
      capabilities: ['tools', 'vision'],
      prices: [{ steps: [{ input: '2.5', output: '10' }] }],
    }),
  );
  const plan = planOf(same, [ACME, OPENAI, CHAT]);
  expect(planText(plan)).toBe('0 to create, 0 to change, 0 to delete, 2 unchanged\n');
});

test('a change is told by its field, and shown as a diff', () => {
  const plan = planOf(docs(provider({ timeoutMs: 2_000 }), model()), [ACME, OPENAI, CHAT]);
  expect(planText(plan)).toBe(
    '~ Provider acme/openai\n    timeoutMs: 1000 → 2000\n0 to create, 1 to change, 0 to delete, 1 unchanged\n',
  );
  expect(diffText(plan)).toContain('-timeoutMs: 1000\n+timeoutMs: 2000\n');
});

test('a field that cannot be changed is a fault', () => {
  expect(faultsOf(provider({ type: 'PROVIDER_D' }), [ACME, OPENAI])).toEqual([
    'acme.yaml:1: Provider acme/openai: spec.type: is "PROVIDER_A" and cannot be changed; use another name for a new object',
  ]);
});

describe('an export destination', () => {
  const target = (over: object = {}) => ({
    type: 'S3',
    endpoint: 'https://s3.example.com',
    region: 'eu-west-1',
    bucket: 'records',
    prefix: '',
    accessKeyId: 'AKIA1',
    ...over,
  });
  const destination = (over: object = {}) =>
    doc('ExportDestination', 'lake', {
      target: target(over),
      records: ['USAGE'],
      secret: { env: 'KEY' },
    });
  const LAKE = {
    kind: 'ExportDestination',
    name: 'lake',
    spec: { target: target(), records: ['USAGE'], maxRows: 1_000, status: 'ACTIVE' },
    row: { status: 'ACTIVE', secretPreview: previewOf(SECRET) },
  };
  const sent = (over: object) =>
    planOf(destination(over), [ACME, LAKE]).steps.map(({ sendsSecret }) => sendsSecret);

  test('gets its secret again with another access key, not with another bucket', () => {
    expect(sent({ bucket: 'archive' })).toEqual([false]);
    expect(sent({ accessKeyId: 'AKIA2' })).toEqual([true]);
  });

  test('never changes its type', () => {
    const webhook = doc('ExportDestination', 'lake', {
      target: { type: 'WEBHOOK', url: 'https://hooks.example.com' },
      records: ['USAGE'],
      secret: { env: 'KEY' },
    });
    expect(faultsOf(webhook, [ACME, LAKE])).toContainEqual(
      expect.stringContaining('spec.target: is "S3" and cannot be changed'),
    );
  });
});

test('a secret is needed for a new object, kept for an old one, and never shown', () => {
  expect(faultsOf(provider(), [ACME], false, {})).toEqual([
    'acme.yaml:1: Provider acme/openai: spec.apiKeys.default: the environment variable KEY is needed, and is not there or empty',
  ]);
  const kept = planOf(provider(), [ACME, OPENAI], false, {});
  expect(kept.steps).toEqual([]);
  expect(kept.notes).toEqual([
    'Provider acme/openai: the environment variable KEY is not set; its secret is kept',
  ]);
  const rotated = planOf(provider(), [ACME, OPENAI], false, {
    KEY: 'sk-another-0123456789-secret',
  });
  expect(stepsOf(rotated)).toEqual(['update Provider acme/openai']);
  const created = planOf(provider(), [ACME]);
  for (const plan of [rotated, created]) {
    expect(planText(plan) + diffText(plan)).not.toMatch(/0123456789/);
  }
});

test('only owned kinds are deleted, only with --prune, dependants first', () => {
  const owned = doc('Ownership', null, { kinds: ['Model', 'Provider'] });
  const other = { kind: 'Team', name: 'blue', spec: {}, row: { team: {}, members: [] } };
  const given = [ACME, OPENAI, CHAT, other];
  const noted = planOf(owned, given);
  expect(noted.steps).toEqual([]);
  expect(noted.notes).toHaveLength(2);
  expect(stepsOf(planOf(owned, given, true))).toEqual([
    'delete Model acme/chat',
    'delete Provider acme/openai',
  ]);
  const without = doc('Organisation', 'acme', { name: 'Acme' });
  expect(planOf(without, given, true).steps).toEqual([]);
});

test('items of lists are removed with --prune only', () => {
  const none = provider({ apiKeys: [] });
  const kept = planOf(none, [ACME, OPENAI]);
  expect(kept.steps).toEqual([]);
  expect(kept.notes).toEqual([
    'Provider acme/openai: apiKeys.default is not described; --prune removes it',
  ]);
  const [step] = planOf(none, [ACME, OPENAI], true).steps;
  expect(step?.parts).toMatchObject([{ path: 'apiKeys.default', removes: true }]);
});

test('the price in effect is the latest of the list that has begun', () => {
  const price = (input: string, effectiveFrom?: string) => ({
    ...(effectiveFrom === undefined ? {} : { effectiveFrom }),
    steps: [{ input, output: '10' }],
  });
  const pathsFor = (prices: object[]) =>
    planOf(model({ prices }), [ACME, OPENAI, CHAT]).steps.flatMap(({ parts }) =>
      parts.map(({ path }) => path),
    );
  expect(pathsFor([price('9'), price('2.5', '2026-05-01T00:00:00Z')])).toEqual([]);
  expect(pathsFor([price('2.5'), price('9', '2026-05-01T00:00:00Z')])).toEqual(['prices.current']);
  expect(pathsFor([price('2.5'), price('9', '2026-07-01T00:00:00Z')])).toEqual([
    'prices.2026-07-01T00:00:00Z',
  ]);
});

test('an administrator of an organisation cannot manage the platform', () => {
  const text = docs(doc('Organisation', 'other', { name: 'Other' }));
  const plan = () => createPlan(documentsOf(text), installationOf([ACME], false), options());
  expect(plan).toThrow(/Organisation other: metadata: only a platform administrator can manage it/);
});

test('an archived organisation is a fault, not a change', () => {
  const archived = { ...ACME, row: { status: 'ARCHIVED' } };
  const text = doc('Organisation', 'acme', { name: 'Acme' });
  expect(faultsOf(text, [archived]).join()).toMatch(/it is archived/);
});
