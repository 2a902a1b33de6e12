import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort } from '@tollgate/stack';
import axe from 'axe-core';
import type { Browser, Locator } from 'playwright-core';

import { chat, newTenant, startGateway, type Gateway } from '..';
import { browserBinary, openBrowser } from '../gateway/browser';
import { complaintsOf } from './test-support/axe';
import { button, finish, rowOf } from './test-support/doings';
import { countEffort, effortOf } from './test-support/effort';
import { signIn, visit, type Visitor } from './test-support/visitor';

// The set-up guide in a real browser: from an empty installation to the first request, with what it
// costs the user; and the prices that it offers.

const binary = browserBinary();
const run = promisify(execFile);

const MODELS = /\/models\?/;

(binary === undefined ? describe.skip : describe)('the set-up guide', () => {
  let gateway: Gateway;
  let browser: Browser;
  let root: Visitor;
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    // The vendor lists a model that the list of known models has, and one that it does not.
    const simulator = { SIMULATOR_MODELS: 'sim,gpt-4o-mini' };
    gateway = await startGateway({ admin: true, env: { simulator } });
    stops.push(gateway.stop);
    browser = await openBrowser(binary ?? '');
    stops.push(() => browser.close());
    root = await visit(browser);
    await countEffort(root.context);
    await root.context.addInitScript({ content: axe.source });
    await root.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });
  afterEach(() => {
    expect(root.complaints()).toEqual([]);
  });

  const step = (title: string): Locator => root.page.getByRole('region', { name: title });
  const isDone = (title: string): Promise<void> =>
    step(title).getByText('done', { exact: true }).waitFor();
  const keyIn = (text: string): string => /tg_[\w-]{43}/.exec(text)?.[0] ?? '';

  test('leads from an empty installation to a served request, within 8 clicks and 3 fields', async () => {
    const { page } = root;
    await signIn(root, gateway, gateway.superAdmin, '/admin/dashboard');
    await effortOf(page);

    await page.getByRole('link', { name: 'Start the set-up guide' }).click();
    await page.waitForURL(/\/admin\/setup/);
    await page.getByLabel('Name').fill('Lumen Works');
    await button(root, 'Create organisation').click();

    const provider = step('Connect a provider');
    await provider.getByLabel('Base URL').fill(`${gateway.simulatorUrl}/v1`);
    await provider.getByLabel('API key').fill('sk-of-lumen-works');
    const found: string[] = [];
    await button(root, 'Test and connect').click();
    await isDone('Connect a provider');

    const models = step('Choose models with prices');
    await models.getByText(/from the list of .* 2026/).waitFor();
    await models.getByText('unpriced', { exact: true }).waitFor();
    expect(await models.getByRole('checkbox', { name: /^gpt-4o-mini/ }).isChecked()).toBe(true);
    expect(await models.getByRole('checkbox', { name: /^sim/ }).isChecked()).toBe(false);
    found.push(...(await complaintsOf(page, 'the step of the models')));
    await button(root, 'Import 1 model').click();
    await isDone('Choose models with prices');

    await button(root, 'Create key').click();
    await isDone('Create an API key');
    const request = step('Send the first request');
    await request.getByText('Waiting for the first request').waitFor();
    await button(root, 'Copy').click();
    await request.getByText('Copied').waitFor();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');

    // Two mistakes that a first request has: each is named, with the remedy.
    const refused = request.getByRole('list', { name: 'Refused requests' });
    const key = keyIn(command);
    expect((await chat(gateway.edgeUrl(), `${key.slice(0, -1)}-`, {})).status).toBe(401);
    await refused.getByText('Copy the key again').waitFor();
    expect((await chat(gateway.edgeUrl(), key, { model: 'gpt-4' })).status).toBe(404);
    await refused.getByText('model_not_found').waitFor();
    found.push(...(await complaintsOf(page, 'the step with refusals')));

    const { stdout } = await run('bash', ['-c', command]);
    expect(JSON.parse(stdout)).toMatchObject({ model: 'gpt-4o-mini' });
    await isDone('Send the first request');
    const served = request.getByRole('status');
    await served.getByText('gpt-4o-mini').waitFor();
    await served.getByText(/^\d+ tokens$/).waitFor();
    // Charged with the listed price, not with nothing.
    await served.getByText(/^\$0\.0*[1-9]/).waitFor();
    expect(new URL(page.url()).pathname).toBe('/admin/setup');

    const { clicks, fields } = await effortOf(page);
    expect(fields).toEqual(['Name', 'Base URL', expect.stringMatching(/^API key/)]);
    expect(clicks).toHaveLength(6);
    expect(found).toEqual([]);

    await served.getByRole('link', { name: 'Open the request' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('gpt-4o-mini').first().waitFor();
    // The refused request without a known key.
    root.complaints();
  });

  test('reads its state from the catalog, so another browser sees the same', async () => {
    const other = await visit(browser);
    await signIn(other, gateway, gateway.superAdmin, '/lumen-works/setup');
    await other.page.getByText('The set-up is complete.').waitFor();
    await other.open(`${gateway.adminUrl}/lumen-works/dashboard`);
    expect(await other.page.getByText('Set up the organisation').count()).toBe(0);
    expect(other.complaints()).toEqual([]);
    await other.context.close();
  });

  test('a provider that cannot be reached is told before anything is saved', async () => {
    const { page } = root;
    const made = await gateway.rest.post('/api/admin/organisations', {
      name: 'Beacon',
      slug: 'beacon',
    });
    expect(made.status).toBe(201);
    await root.open(`${gateway.adminUrl}/beacon/setup`);
    const provider = step('Connect a provider');
    await provider.getByLabel('Base URL').fill(`http://127.0.0.1:${String(await freePort())}/v1`);
    await provider.getByLabel('API key').fill('sk-of-beacon');
    await button(root, 'Test and connect').click();
    await provider.getByText('Connection failed').waitFor();
    await provider.getByText('Check: Base URL.').waitFor();
    expect(await complaintsOf(page, 'the step of the provider')).toEqual([]);
    await root.open(`${gateway.adminUrl}/beacon/providers`);
    await page.getByText('No providers yet').waitFor();
  });

  test('its card can be dismissed, and the guide comes back from the account menu', async () => {
    const { page } = root;
    await root.open(`${gateway.adminUrl}/beacon/dashboard`);
    await page.getByRole('region', { name: 'Set up the organisation' }).waitFor();
    await button(root, 'Dismiss').click();
    await root.open(`${gateway.adminUrl}/beacon/dashboard`);
    await page.getByRole('heading', { name: 'Latest requests' }).waitFor();
    expect(await page.getByRole('region', { name: 'Set up the organisation' }).count()).toBe(0);
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByRole('menuitem', { name: 'Set-up guide' }).click();
    await page.waitForURL(`${gateway.adminUrl}/beacon/setup`);
    await step('Connect a provider').getByText('next', { exact: true }).waitFor();
  });

  test('a key that may call nothing is created only after a warning', async () => {
    const { page } = root;
    const dialog = page.getByRole('dialog');
    await root.open(`${gateway.adminUrl}/lumen-works/apikeys`);
    const models = Promise.withResolvers<void>();
    await page.route(MODELS, async (route) => {
      await models.promise;
      await route.continue();
    });
    await button(root, 'Create key').first().click();
    await dialog.getByLabel('Name').fill('second key');
    await dialog.getByLabel('Model patterns').fill('gtp-*');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    // The models come after the click: the warning waits for them.
    models.resolve();
    await dialog.getByText('This key may not call any model').waitFor();
    await page.unroute(MODELS);
    await dialog.getByRole('button', { name: 'Create it anyway' }).waitFor();
    await dialog.getByRole('button', { name: 'Grant all models' }).click();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const key = keyIn((await dialog.getByLabel('API key').textContent()) ?? '');
    await finish(root, 'I have copied it');
    const answer = await chat(gateway.edgeUrl(), key, { model: 'gpt-4o-mini' });
    expect(answer.status).toBe(200);
  });

  test('a price that differs from the list is taken over with one click', async () => {
    const { page } = root;
    const tenant = await newTenant(gateway);
    const modelId = await tenant.model('gpt-4o-mini', 'gpt-4o-mini');
    await root.open(`${gateway.adminUrl}/${tenant.slug}/models`);
    await rowOf(page, /gpt-4o-mini .*List price differs since/).waitFor();
    await root.open(`${gateway.adminUrl}/${tenant.slug}/models/${modelId}`);
    await button(root, 'Take the list price').click();
    await rowOf(page, /Current.*\$0\.15 in · \$0\.60 out/).waitFor();
    await page.getByText('The price is the list price').waitFor();
  });

  test('the known models are a price list of the console as well', async () => {
    const { page } = root;
    const dialog = page.getByRole('dialog');
    const tenant = await newTenant(gateway);
    await tenant.model('gpt-4o-mini', 'gpt-4o-mini', { prices: [] });
    await root.open(`${gateway.adminUrl}/${tenant.slug}/models`);
    await button(root, 'Import prices').click();
    await dialog.getByRole('radio', { name: 'The known models' }).click();
    await dialog.getByRole('button', { name: 'Compare prices' }).click();
    await dialog.getByText('1 price to add, 0 unchanged.').waitFor();
    await finish(root, 'Add 1 price');
    await rowOf(page, /gpt-4o-mini .*\$0\.15 in/).waitFor();
  });
});
