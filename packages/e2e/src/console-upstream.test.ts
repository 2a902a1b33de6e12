import type { Browser, Page } from 'playwright-core';

import { chat, newTenant, sharedGateway, type SharedGateway, type Tenant } from '.';
import { browserBinary, openBrowser } from './gateway/browser';

// An administrator adds models in the console: a provider, its connection, its models and their
// prices. Then a request is served and charged.

const binary = browserBinary();

(binary === undefined ? describe.skip : describe)('the console’s upstream pages', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let page: Page;
  const seen: string[] = [];

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway);
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
    await button('Sign in').click();
    await page.getByRole('heading', { name: 'Providers' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');

  test('a provider is tested before it is saved, and problems are shown at their field', async () => {
    await button('Add provider').first().click();
    await dialog().getByLabel('Name').fill('Second');
    await dialog().getByLabel('API key').fill('sk-of-the-console');
    await dialog().getByLabel('Base URL').fill(`${gateway.simulatorUrl}/nothing-here`);
    await dialog().getByRole('button', { name: 'Test connection' }).click();
    const address = dialog().getByLabel('Base URL');
    await dialog().getByText('Connection failed').waitFor();
    expect(await address.getAttribute('aria-invalid')).toBe('true');

    await address.fill(`${gateway.simulatorUrl}/v1`);
    await dialog().getByRole('button', { name: 'Test connection' }).click();
    await dialog().getByText('Connection works').waitFor();
    await dialog().getByRole('button', { name: 'Add provider' }).click();
    await page.getByRole('heading', { name: 'Second' }).waitFor();
  });

  test('its models are discovered, and a model whose name is taken gets another', async () => {
    await button('Import models').first().click();
    await dialog()
      .getByRole('checkbox', { name: /^sim(?!-)/ })
      .check();
    await dialog().getByLabel('Name of sim here').fill('chat');
    await dialog().getByRole('button', { name: 'Import 1 model' }).click();
    await dialog().getByText('name taken').waitFor();
    await dialog().getByLabel('Another name for sim').fill('imported');
    await dialog().getByRole('button', { name: 'Import again' }).click();
    await dialog().getByRole('link', { name: 'imported' }).click();
    await page.getByRole('heading', { name: 'imported' }).waitFor();
    await page.getByText('unpriced: refused under a budget').waitFor();
  });

  test('with a price, a model is served and charged', async () => {
    await button('Set a price').click();
    await dialog().getByLabel('Input', { exact: true }).fill('3');
    await dialog().getByRole('button', { name: 'Set price' }).click();
    await dialog().getByRole('alert').first().waitFor();
    await dialog().getByLabel('Output', { exact: true }).fill('9');
    await dialog().getByRole('button', { name: 'Set price' }).click();
    await page.getByRole('row', { name: /Current.*\$3\.00 in/ }).waitFor();

    const modelId = new URL(page.url()).pathname.split('/').at(-1);
    const { key } = await tenant.key({ modelIds: [modelId] });
    const answer = await chat(gateway.edgeUrl(), key, { model: 'imported' });
    expect(answer.status).toBe(200);
    expect(Number(answer.headers['x-tollgate-cost-usd'])).toBeGreaterThan(0);
    expect(seen).toEqual([]);
  });
});
