import { previewOf } from '@tollgate/contracts/node';

import { applyPlan } from '../apply/apply';
import { FaultyDocuments } from '../documents/faults';
import { createPlan } from '../plan/plan';
import { planText } from '../plan/print';
import { ACME, doc, docs, documentsOf, fakeApi, ID, installationOf } from '../test-support/fakes';

const SLACK_URL = 'https://hooks.example.com/services/T0123456789/B0123456789/secret';
const ENV = { SLACK: SLACK_URL };

const destination = (name: string, spec: object, metadata: object = {}) =>
  doc('AlertDestination', name, { ...spec }, { ...metadata });
const ruleOf = (spec: object) => doc('AlertRule', 'spending', { ...spec });
/** A document of the platform. */
const ofPlatform = (kind: string, name: string, spec: object) =>
  JSON.stringify({ apiVersion: 'tollgate/v1', kind, metadata: { name }, spec });

const options = { prune: false, nowMs: 0 };
type Given = Parameters<typeof installationOf>[0];
const planOf = (text: string, given: Given = [ACME]) =>
  createPlan(documentsOf(text, ENV), installationOf(given), options);

function faultsOf(text: string, given: Given = [ACME]): string {
  try {
    planOf(text, given);
  } catch (error) {
    if (error instanceof FaultyDocuments) return error.message;
    throw error;
  }
  return '';
}

async function applied(text: string, given: Given = [ACME]) {
  const plan = planOf(text, given);
  const secrets: string[] = [];
  const told: string[] = [];
  let made = 50;
  const { api, sent } = fakeApi((endpoint, body) => {
    if (!endpoint.id.endsWith('AlertDestination') || endpoint.method !== 'POST') return undefined;
    made += 1;
    const { kind, name } = body as { kind: string; name: string };
    const at = '2026-01-01T00:00:00.000Z';
    const shown = kind === 'WEBHOOK' ? `whsec_of ${name}` : null;
    const row = { id: ID(made), organisationId: null, name, kind, email: null, url: null };
    const dates = { createdAt: at, updatedAt: at };
    return {
      destination: { ...row, secretPreview: null, status: 'ACTIVE', ...dates },
      secret: shown,
    };
  });
  const keys = {
    write: async ({ secret }: { secret: string }) => void secrets.push(secret),
  };
  const tell = (line: string): void => void told.push(line);
  const outcome = await applyPlan(plan, { api, installation: installationOf(given), keys, tell });
  return { outcome, plan, secrets, sent, told };
}

test.each([
  ['an email without an address', { kind: 'EMAIL' }, /spec\.email: is required for kind EMAIL/],
  [
    'a webhook with an address',
    { kind: 'WEBHOOK', url: 'https://a.example', email: 'a@a.example' },
    /spec\.email: is (required|allowed) for kind EMAIL/,
  ],
  [
    'the URL of Slack in the open',
    { kind: 'SLACK', url: SLACK_URL },
    /spec\.url: is allowed for kind WEBHOOK only/,
  ],
  ['an address that is none', { kind: 'WEBHOOK', url: 'ftp://a.example' }, /spec\.url/],
])('%s is refused', (_what, spec, fault) => {
  expect(faultsOf(destination('x', spec))).toMatch(fault);
});

test('rules and destinations are created in their order, and the secret of a webhook is shown once', async () => {
  const text = docs(
    ruleOf({
      condition: { kind: 'REQUESTS_REFUSED' },
      destinations: ['hook', { name: 'hook', ordinal: 2 }, 'channel'],
    }),
    destination('hook', { kind: 'WEBHOOK', url: 'https://a.example/1' }),
    destination('hook', { kind: 'WEBHOOK', url: 'https://a.example/2' }, { ordinal: 2 }),
    destination('channel', { kind: 'SLACK', secretUrl: { env: 'SLACK' } }),
  );
  const { outcome, plan, secrets, sent } = await applied(text);
  expect(outcome).toEqual({ done: 4, failed: 0, skipped: 0 });
  expect(planText(plan)).not.toContain(SLACK_URL);
  expect(secrets).toEqual(['whsec_of hook', 'whsec_of hook']);
  expect(sent.map(({ id }) => id)).toEqual([
    'createAlertDestination',
    'createAlertDestination',
    'createAlertDestination',
    'createAlertRule',
  ]);
  const slack = sent.find(({ body }) => (body as { kind?: string }).kind === 'SLACK');
  expect(slack?.body).toEqual({ kind: 'SLACK', name: 'channel', url: SLACK_URL });
  const last: unknown = sent.at(-1)?.body;
  const { destinationIds } = last as { destinationIds: string[] };
  expect(new Set(destinationIds).size).toBe(3);
});

test('an object of the platform is created there, and changed there by its own parameter', async () => {
  const text = docs(
    ofPlatform('AlertDestination', 'pager', { kind: 'WEBHOOK', url: 'https://a.example/1' }),
    ofPlatform('AlertRule', 'late', { condition: { kind: 'LEDGER_LAG' }, destinations: ['pager'] }),
  );
  const { sent } = await applied(text);
  expect(sent.map(({ id, params }) => ({ id, params }))).toEqual([
    { id: 'createPlatformAlertDestination', params: {} },
    { id: 'createPlatformAlertRule', params: {} },
  ]);
  const pager = {
    kind: 'AlertDestination',
    name: 'pager',
    organisation: null,
    spec: { kind: 'WEBHOOK', url: 'https://a.example/old', status: 'ACTIVE' },
    row: { status: 'ACTIVE' },
  };
  const changed = await applied(
    ofPlatform('AlertDestination', 'pager', { kind: 'WEBHOOK', url: 'https://a.example/1' }),
    [ACME, pager],
  );
  expect(changed.sent).toMatchObject([
    { id: 'updatePlatformAlertDestination', params: { platformAlertDestinationId: ID(2) } },
  ]);
});

test('a condition of the platform is refused in an organisation, and the other way round', () => {
  expect(faultsOf(ruleOf({ condition: { kind: 'LEDGER_LAG' } }))).toMatch(/spec\.condition/);
  const wrong = ofPlatform('AlertRule', 'x', { condition: { kind: 'UNPRICED_MODEL' } });
  expect(faultsOf(wrong)).toMatch(/spec\.condition/);
});

describe('a rule of one budget', () => {
  const budget = (ordinal: number) => ({
    kind: 'Budget',
    name: 'ORGANISATION DAILY',
    ordinal,
    spec: { scope: { type: 'ORGANISATION' }, period: 'DAILY', limitUsd: '1' },
  });
  const rule = (named: object) =>
    ruleOf({ condition: { kind: 'BUDGET_USED', thresholds: [100, 50], budget: named } });

  test('has its id, and a budget that is not there is a fault', async () => {
    const named = { name: 'ORGANISATION DAILY', ordinal: 2 };
    const { sent } = await applied(rule(named), [ACME, budget(1), budget(2)]);
    expect(sent[0]?.body).toMatchObject({ condition: { budgetId: ID(3) } });
    expect(faultsOf(rule(named))).toMatch(
      /spec\.condition\.budget: there is no Budget acme\/ORGANISATION DAILY#2/,
    );
  });

  test('is unchanged if it is written in another order or with its defaults', () => {
    const existing = {
      kind: 'AlertRule',
      name: 'spending',
      spec: {
        condition: {
          kind: 'BUDGET_USED',
          thresholds: [50, 100],
          scopeTypes: null,
          budget: { name: 'ORGANISATION DAILY' },
        },
        destinations: [],
        status: 'ACTIVE',
      },
    };
    const given = [ACME, budget(1), existing];
    const same = rule({ name: 'ORGANISATION DAILY', ordinal: 1 });
    expect(planOf(same, given).steps).toEqual([]);
    const other = ruleOf({ condition: { kind: 'UNPRICED_MODEL' } });
    expect(faultsOf(other, given)).toMatch(/condition: is .*"BUDGET_USED".* cannot be changed/);
  });
});

test('another URL of Slack is sent; the same one, or none, is not', () => {
  const row = { status: 'ACTIVE', kind: 'SLACK', secretPreview: previewOf(SLACK_URL) };
  const channel = {
    kind: 'AlertDestination',
    name: 'channel',
    spec: { kind: 'SLACK', status: 'ACTIVE' },
    row,
  };
  const text = destination('channel', { kind: 'SLACK', secretUrl: { env: 'SLACK' } });
  const stepsWith = (env: Record<string, string>) =>
    createPlan(documentsOf(text, env), installationOf([ACME, channel]), options);
  expect(stepsWith(ENV).steps).toEqual([]);
  expect(stepsWith({}).notes).toHaveLength(1);
  const another = stepsWith({ SLACK: 'https://hooks.example.com/services/another-secret-one' });
  expect(another.steps).toMatchObject([{ action: 'update', sendsSecret: true }]);
});
