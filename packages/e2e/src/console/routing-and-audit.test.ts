import axios from 'axios';
import type { Browser, Page } from 'playwright-core';

import { chat, eventually, newTenant, sharedGateway, type SharedGateway, type Tenant } from '..';
import { browserBinary, openBrowser } from '../gateway/browser';

// A routing policy, created with the keyboard and used by a request; the audit trail; a key's
// refusals on its page; passed soft limits.

const binary = browserBinary();

(binary === undefined ? describe.skip : describe)('the console’s routing and audit pages', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let page: Page;
  let key: { readonly id: string; readonly key: string };
  const seen: string[] = [];

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway, { organisation: { routingEnabled: true } });
    const backupId = await tenant.model('backup', 'sim');
    await tenant.model('other', 'sim');
    key = await tenant.key({ name: 'of the app', modelIds: [tenant.modelId, backupId] });
    browser = await openBrowser(binary ?? '');
    page = await browser.newPage();
    page.setDefaultTimeout(90_000);
    page.on('pageerror', (error) => seen.push(error.message));
    page.on('response', (response) => {
      if (response.status() >= 500) seen.push(`${String(response.status())} ${response.url()}`);
    });
    await page.goto(`${gateway.adminUrl}/login?next=/${tenant.slug}/routing`);
    await page.getByLabel('Email').fill(gateway.superAdmin.email);
    await page.getByLabel('Password').fill(gateway.superAdmin.password);
    await button('Sign in').click();
    await page.getByRole('heading', { name: 'Routing policies' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
  });

  const open = (path: string): Promise<unknown> =>
    page.goto(`${gateway.adminUrl}/${tenant.slug}/${path}`);
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');

  test('a policy is created with the keyboard alone, its candidates in the intended order', async () => {
    await button('Create policy').first().press('Enter');
    const name = dialog().getByLabel('Name');
    await name.press('Enter');
    await dialog().getByRole('alert').first().waitFor();
    await name.pressSequentially('fast');
    const candidates = dialog().getByRole('combobox', { name: 'Search candidates' });
    for (const model of ['chat', 'backup']) {
      await candidates.fill(model);
      await candidates.press('Enter');
      const chosen = dialog().getByRole('option', {
        name: new RegExp(`^${model}`),
        selected: true,
      });
      await chosen.waitFor();
    }
    const order = dialog().getByRole('list', { name: 'Order of the candidates' });
    await dialog().getByRole('button', { name: 'Move backup up' }).press('Enter');
    await dialog().getByText('backup is number 1 of 2.').waitFor();
    const rows = await order.getByRole('listitem').allTextContents();
    expect(rows.map((row) => row.replaceAll(/\W|\d/g, ''))).toEqual(['backup', 'chat']);
    await dialog().getByText('When it fails, or it is too slow').waitFor();
    await name.press('Enter');
    await dialog().waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'fast' }).press('Enter');
    await page.getByRole('heading', { name: 'Keys with this policy' }).waitFor();
  });

  test('a key with the policy may use its name as a model', async () => {
    await button('Assign to keys').click();
    await dialog()
      .getByRole('option', { name: /^of the app/ })
      .click();
    await dialog().getByRole('button', { name: 'Assign to keys' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'of the app' }).click();
    await page.getByRole('link', { name: 'fast' }).waitFor();
    const answer = await eventually('the policy serves', async () => {
      const served = await axios.post(
        `${gateway.edgeUrl()}/v1/llm/chat`,
        { model: 'fast', messages: [{ role: 'user', content: 'Hello' }] },
        { headers: { authorization: `Bearer ${key.key}` }, validateStatus: () => true },
      );
      return served.status === 200 && served;
    });
    expect(answer.headers['x-tollgate-model']).toBe('backup');
  });

  test('the audit trail shows who assigned it, and the previous value', async () => {
    await open('audit?targetType=apikey');
    await page.getByRole('searchbox', { name: 'Search action, email or id' }).fill('apikey.update');
    await page.waitForURL(/search=apikey.update/);
    await button(/^API key: create$/).waitFor({ state: 'hidden' });
    await button(/^API key: update$/).click();
    await dialog().getByText(gateway.superAdmin.email).waitFor();
    const changed = dialog().getByRole('row', { name: /^routingPolicyId none / });
    await changed.waitFor();
    expect(await dialog().getByRole('row').count()).toBe(2);
    await dialog().getByRole('button', { name: 'Close' }).click();

    const path = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href');
    const csv = await page.request.get(`${gateway.adminUrl}${path ?? ''}`);
    expect(csv.status()).toBe(200);
    const lines = (await csv.text()).trim().split(/\r?\n/);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('apikey.update');
  });

  test('a key’s page shows its refusals, and links to the limit that caused them', async () => {
    await tenant.create('budgets', {
      scope: { type: 'API_KEY', id: key.id },
      period: 'DAILY',
      limitUsd: '0.000001',
    });
    const url = gateway.edgeUrl();
    await eventually('the budget binds', async () => (await chat(url, key.key)).status === 402);
    expect((await chat(url, key.key, { model: 'other' })).status).toBe(403);
    await eventually('both refusals are listed', async () => {
      await open(`apikeys/${key.id}`);
      const codes = page.getByRole('rowheader', { name: /budget_exceeded|model_access_denied/ });
      await page.getByRole('heading', { name: 'Limits that apply to this key' }).waitFor();
      return (await codes.count()) === 2;
    });
    const refusals = page.getByRole('table', { name: 'Last refusals of the key' });
    await refusals.getByText('Edit the key and grant it the model.').waitFor();
    await refusals.getByRole('link', { name: /^Daily budget of/ }).click();
    await page.waitForURL(new RegExp(`/budgets\\?.*scopeId=${key.id}`));
    await page.getByText(/^\$[\d.]+ of \$0\.000001$/).waitFor();
  });

  test('a passed soft limit is listed at its key, its limit and its organisation', async () => {
    const { id, key: secret } = await tenant.key({ name: 'of the batch' });
    await open(`apikeys/${id}`);
    await page
      .getByText('No request has passed a soft limit that applies to this key yet.')
      .waitFor();
    await tenant.create('budgets', {
      scope: { type: 'API_KEY', id },
      period: 'DAILY',
      limitUsd: '0.000002',
      mode: 'SOFT',
    });
    const passes = `${tenant.base}/soft-limit-passes?apiKeyId=${id}`;
    await eventually('a request passes the budget', async () => {
      expect((await chat(gateway.edgeUrl(), secret)).status).toBe(200);
      const { data } = await gateway.rest.get<{ data: unknown[] }>(passes);
      return data.data.length > 0;
    });
    for (const path of ['dashboard', 'budgets', `apikeys/${id}`]) {
      await open(path);
      const row = page
        .getByRole('table', { name: 'Soft limits passed' })
        .getByRole('row', { name: /^Budget of \$0\.000002 .*of the batch/ });
      await row.getByRole('cell', { name: /used/ }).waitFor();
    }
    await page.getByRole('link', { name: 'Budget of $0.000002', exact: true }).click();
    await page.waitForURL(new RegExp(`/budgets\\?.*scopeId=${id}`));
    await open('quotas');
    await page.getByText('No request has passed a soft quota yet.').waitFor();
  });

  test('a policy that a key uses is not deleted, with the reason', async () => {
    await open('routing');
    await button('Actions for fast').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('textbox', { name: /to confirm/ }).fill('fast');
    await button('Delete policy').click();
    await page.getByRole('alertdialog').getByRole('alert').waitFor();
    await button('Keep the policy').click();
    await page.getByRole('rowheader', { name: 'fast' }).waitFor();
  });

  test('no browser errors occurred', () => {
    expect(seen).toEqual([]);
  });
});
