import type { Browser, Page } from 'playwright-core';

import {
  chat,
  eventually,
  expectStatus,
  newTenant,
  recordOf,
  requestIdOf,
  sharedGateway,
  type SharedGateway,
  type Tenant,
} from '..';
import { browserBinary, openBrowser } from '../gateway/browser';

// Regions in the console, in a real browser: set in forms, and proved by the report.

const binary = browserBinary();

(binary === undefined ? describe.skip : describe)('the console’s regions', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let page: Page;
  let key: { id: string; key: string };
  const requests = { inside: '', outside: '' };
  const seen: string[] = [];

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway, { provider: { region: 'eu' } });
    const { id: providerId } = await tenant.create('providers', {
      name: 'elsewhere',
      type: 'PROVIDER_A',
      baseUrl: `${gateway.simulatorUrl}/v1`,
      apiKey: 'sk-sim-elsewhere',
      region: 'us',
    });
    const elsewhereId = await tenant.model('elsewhere', 'sim', { providerId });
    key = await tenant.key({ modelIds: [tenant.modelId, elsewhereId] });
    const send = async (model: string): Promise<string> => {
      const answer = expectStatus(await chat(gateway.edgeUrl(), key.key, { model }), 200);
      await recordOf(gateway, tenant, requestIdOf(answer));
      return requestIdOf(answer);
    };
    requests.inside = await send('chat');
    requests.outside = await send('elsewhere');
    browser = await openBrowser(binary ?? '');
    page = await browser.newPage();
    page.setDefaultTimeout(90_000);
    page.on('pageerror', (error) => seen.push(error.message));
    page.on('response', (response) => {
      if (response.status() >= 500) seen.push(`${String(response.status())} ${response.url()}`);
    });

    await page.goto(`${gateway.adminUrl}/login?next=/${tenant.slug}/providers`);
    await page.getByLabel('Email').fill(gateway.superAdmin.email);
    await page.getByLabel('Password').fill(gateway.superAdmin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${gateway.adminUrl}/${tenant.slug}/providers`);
  });
  afterAll(async () => {
    await browser?.close();
  });

  const open = (path: string): Promise<unknown> =>
    page.goto(`${gateway.adminUrl}/${tenant.slug}/${path}`);

  test('a region is suggested by the address, and saved only when it is taken', async () => {
    await open('providers');
    await page.getByRole('row', { name: /^elsewhere.* us / }).waitFor();
    await page.getByRole('button', { name: 'Add provider' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name').fill('european');
    await form.getByLabel('Base URL').fill('https://eu.api.openai.com/v1');
    expect(await form.getByLabel('Region').inputValue()).toBe('');
    await form.getByText('The base URL names the region eu.').waitFor();
    await form.getByLabel('Region').fill('Not A Name');
    await form.getByRole('button', { name: /^(Create|Add) provider$|^Save$/ }).click();
    await form.getByText('lower-case letters, digits and inner hyphens only').waitFor();
    await form.getByRole('button', { name: 'Use eu' }).click();
    await form.getByRole('button', { name: /^(Create|Add) provider$|^Save$/ }).click();
    await form.waitFor({ state: 'detached' });
    const saved = await eventually('the provider', async () => {
      const found = await gateway.rest.get(`${tenant.base}/providers?search=european`);
      return (expectStatus(found, 200).data as { data: { region: string }[] }).data[0];
    });
    expect(saved.region).toBe('eu');
  });

  test('the report names what left, by period and region, and downloads', async () => {
    await open('usage?tab=regions');
    const regions = page.getByLabel('Did all requests stay in');
    await regions.fill('eu');
    await page.getByRole('button', { name: 'Show report' }).click();
    await page.getByText('Not all requests stayed in eu.').waitFor();
    const counts = page.getByRole('table', { name: 'Requests by region' });
    await counts.getByRole('row', { name: /^eu inside 1 / }).waitFor();
    await counts.getByRole('row', { name: /^us outside 1 / }).waitFor();
    const csv = page.getByRole('link', { name: 'Download CSV' });
    const [file] = await Promise.all([page.waitForEvent('download'), csv.click()]);
    expect(file.suggestedFilename()).toMatch(/^residency-.*\.csv$/);
    await page.getByRole('table', { name: 'Not inside' }).getByRole('link').click();
    await page.waitForURL(`**/usage/${requests.outside}`);
    await page.getByRole('table', { name: 'Attempts' }).getByText('us', { exact: true }).waitFor();

    await open('usage?tab=regions&regions=eu%2C+us');
    await page.getByText('All requests stayed in eu, us: 2.').waitFor();
    await open('usage?group=region');
    const table = page.getByRole('table', { name: 'Usage by region' });
    await table.getByRole('row', { name: /^us/ }).waitFor();
    await table.getByRole('row', { name: /^eu/ }).waitFor();
  });

  test('allowed regions of the organisation show on the key’s page, and hold', async () => {
    await open('settings');
    await page.getByLabel('Allowed regions').fill('eu');
    await page.getByRole('button', { name: /^Save/ }).click();
    await open(`apikeys/${key.id}`);
    await page.getByText('From organisation: eu').waitFor();
    const refused = await eventually('the setting counts', async () => {
      const answer = await chat(gateway.edgeUrl(), key.key, { model: 'elsewhere' });
      return answer.status === 403 && answer;
    });
    expect(refused.data).toMatchObject({ error: { code: 'region_not_allowed' } });
    expectStatus(await chat(gateway.edgeUrl(), key.key), 200);
    expect(seen).toEqual([]);
  });
});
