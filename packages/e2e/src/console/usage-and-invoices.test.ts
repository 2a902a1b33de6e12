import { readFile } from 'node:fs/promises';
import type { Browser, Download, Page } from 'playwright-core';

import {
  chat,
  expectStatus,
  newTenant,
  recordOf,
  requestIdOf,
  startGateway,
  type Gateway,
  type Tenant,
} from '..';
import { browserBinary, openBrowser } from '../gateway/browser';

// Usage and invoices in the console, in a real browser: usage after requests through the edge,
// single requests and their export, an invoice from draft to void, and a user's view of it.

const binary = browserBinary();
const PASSWORD = 'correct horse battery staple';

interface Listed {
  id: string;
  costUsd: string;
}

(binary === undefined ? describe.skip : describe)('the console’s books', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  let browser: Browser;
  let page: Page;
  let stop: () => Promise<void> = async () => undefined;
  const email = () => `ada@${tenant.slug}.example`;
  const requests = { production: '', ada: '', broken: '' };
  const seen: string[] = [];

  beforeAll(async () => {
    gateway = await startGateway({ admin: true });
    stop = gateway.stop;
    tenant = await newTenant(gateway);
    const { id: userId } = await tenant.create('users', {
      email: email(),
      name: 'Ada',
      role: 'USER',
      password: PASSWORD,
    });
    const brokenId = await tenant.model('broken', 'sim-status-500');
    const modelIds = [tenant.modelId, brokenId];
    const production = await tenant.key({ name: 'production', modelIds });
    const ada = await tenant.key({ name: 'key of Ada', type: 'USER', userId });
    requests.production = requestIdOf(await chat(gateway.edgeUrl(), production.key));
    requests.ada = requestIdOf(await chat(gateway.edgeUrl(), ada.key));
    requests.broken = requestIdOf(
      await chat(gateway.edgeUrl(), production.key, { model: 'broken' }),
    );
    for (const id of Object.values(requests)) await recordOf(gateway, tenant, id);
    browser = await openBrowser(binary ?? '');
    page = await browser.newPage();
    page.setDefaultTimeout(90_000);
    page.on('pageerror', (error) => seen.push(error.message));
    page.on('response', (response) => {
      if (response.status() >= 500) seen.push(`${String(response.status())} ${response.url()}`);
    });
    await signIn(page, gateway.superAdmin.email, gateway.superAdmin.password, 'usage');
  });
  afterAll(async () => {
    await browser?.close();
    await stop();
  });

  const open = (path: string): Promise<unknown> => page.goto(`${gateway.adminUrl}${path}`);
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const parameter = (name: string): string | null => new URL(page.url()).searchParams.get(name);

  async function signIn(on: Page, user: string, password: string, next: string): Promise<void> {
    await on.goto(`${gateway.adminUrl}/login?next=/${tenant.slug}/${next}`);
    await on.getByLabel('Email').fill(user);
    await on.getByLabel('Password').fill(password);
    await on.getByRole('button', { name: 'Sign in' }).click();
    await on.waitForURL(`${gateway.adminUrl}/${tenant.slug}/${next}`);
  }

  async function downloaded(click: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
    const [file]: [Download, void] = await Promise.all([page.waitForEvent('download'), click()]);
    return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
  }

  test('usage shows requests through the edge by model, and the period before', async () => {
    const table = page.getByRole('table', { name: 'Usage by model' });
    await table.getByRole('row', { name: /^chat/ }).waitFor();
    await table.getByRole('row', { name: /^broken .*1 100%/ }).waitFor();
    await page.getByText('none before').first().waitFor();
    // The chart has the same data in text form.
    await page
      .getByRole('table', { name: 'Spend by model, by day' })
      .waitFor({ state: 'attached' });
    await page.getByRole('table', { name: 'Latency by day' }).waitFor({ state: 'attached' });
  });

  test('groups and filters are in the address, and survive a reload', async () => {
    await page.getByLabel('Group by').selectOption('API key');
    await page.waitForURL(/group=apikey/);
    const byKey = page.getByRole('table', { name: 'Usage by api key' });
    await byKey.getByRole('link', { name: 'key of Ada' }).waitFor();
    await byKey.getByRole('link', { name: 'production' }).click();
    await page.waitForURL(/apiKeyId=/);
    await page.reload();
    const taken = button('Remove filter: API key');
    // The name of a filter appears once the page is interactive.
    const filters = page.getByRole('search', { name: 'Filters' });
    await filters.getByText('production').waitFor();
    await filters.getByLabel('Result').selectOption('Failed');
    await page.waitForURL(/status=FAILED/);
    const byModel = page.getByRole('table', { name: 'Usage by model' });
    await byModel.getByRole('rowheader', { name: 'chat' }).waitFor({ state: 'hidden' });
    expect(await byModel.getByRole('rowheader').allTextContents()).toEqual(['broken']);
    await taken.click();
    await page.waitForURL((url) => !url.searchParams.has('apiKeyId'));
    expect(parameter('status')).toBe('FAILED');
  });

  test('a single request shows its attempts and its ids', async () => {
    await page.getByRole('link', { name: 'Requests', exact: true }).click();
    await page.waitForURL(/tab=requests/);
    const rows = page.getByRole('table', { name: 'Requests' }).getByRole('rowheader');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    await rows.first().getByRole('link').click();
    await page.getByRole('heading', { name: 'Outcome' }).waitFor();
    await page
      .getByRole('table', { name: 'Attempts' })
      .getByRole('row', { name: /500/ })
      .first()
      .waitFor();
    await page.getByText(requests.broken).first().waitFor();
    await button('Copy request id').waitFor();
  });

  test('the export has one line per request in the ledger', async () => {
    await open(`/${tenant.slug}/usage?tab=requests`);
    await button('Export').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Prompts and answers are not kept').waitFor();
    const { name, bytes } = await downloaded(() =>
      dialog.getByRole('link', { name: 'Download CSV' }).click(),
    );
    expect(name).toMatch(/^usage.*\.csv$/);
    const [head = '', ...lines] = bytes.toString('utf8').trim().split(/\r?\n/);
    const columns = head.replace(/^\uFEFF/, '').split(',');
    const column = (title: string): string[] =>
      lines.map((line) => line.split(',')[columns.indexOf(title)] ?? '');
    const answer = await gateway.rest.get(`${tenant.base}/usage/records?sort=authorisedAt`);
    const booked = (expectStatus(answer, 200).data as { data: Listed[] }).data;
    expect(column('id')).toEqual(booked.map(({ id }) => id));
    expect(column('id').toSorted()).toEqual(Object.values(requests).toSorted());
    expect(column('costUsd').map(Number)).toEqual(booked.map(({ costUsd }) => Number(costUsd)));
  });

  async function draft(month: 'present' | 'before'): Promise<void> {
    await open(`/${tenant.slug}/invoices`);
    await button('Draft an invoice').first().click();
    const dialog = page.getByRole('dialog');
    if (month === 'present') await dialog.getByLabel('Month').selectOption({ index: 0 });
    await dialog.getByRole('button', { name: 'Draft' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.waitForURL(/\/invoices\/[\w-]{36}$/);
    await page.getByText('draft', { exact: true }).waitFor();
  }

  test('the draft of a month has its booked requests, and cannot be issued before its end', async () => {
    await open(`/${tenant.slug}/settings`);
    await page.getByLabel('Invoices are made out to').fill('Acme GmbH');
    await page.getByLabel('Billing address').fill('Hauptstr. 1\n10115 Berlin');
    await page.getByLabel('Tax number').fill('DE123456789');
    await button(/^Save/).click();
    await page.getByText('Saved.').first().waitFor();
    await draft('present');
    for (const line of ['Acme GmbH', '10115 Berlin', 'Tax number DE123456789']) {
      await page.getByText(line).waitFor();
    }
    const teams = page.getByRole('table', { name: 'Sums by team' });
    await teams.getByRole('row', { name: /^Without a team / }).waitFor();
    await page.getByRole('rowheader', { name: 'chat, key production' }).waitFor();
    await page.getByRole('rowheader', { name: /^chat, key key of Ada/ }).waitFor();
    const month = (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
    await button('Issue').click();
    await page.getByRole('textbox', { name: /to confirm/ }).fill(month);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Issue' }).click();
    await page.getByText('is not over yet').waitFor();
    await button('Keep the draft').click();
  });

  test('an invoice is issued, downloaded, and voided under its number', async () => {
    await draft('before');
    const month = (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
    await button('Issue').click();
    const issue = page.getByRole('alertdialog').getByRole('button', { name: 'Issue' });
    expect(await issue.isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: /to confirm/ }).fill(month);
    await issue.click();
    await page.getByRole('heading', { name: `${month} · 000001` }).waitFor();

    const pdf = await downloaded(() => page.getByRole('link', { name: 'PDF' }).click());
    expect(pdf.name).toMatch(/^invoice-000001-\d{4}-\d\d\.pdf$/);
    expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-');
    const csv = await downloaded(() => page.getByRole('link', { name: 'CSV' }).click());
    expect(csv.bytes.toString('utf8')).toContain('Amount due');

    await button('Void').click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('textbox', { name: /to confirm/ }).fill('000001');
    await dialog.getByRole('button', { name: 'Void invoice' }).click();
    await dialog.getByRole('alert').first().waitFor();
    await dialog.getByLabel('Reason').fill('Drafted for a test');
    await dialog.getByRole('button', { name: 'Void invoice' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Drafted for a test').waitFor();
    await open(`/${tenant.slug}/invoices?status=VOID`);
    await page.getByRole('row', { name: /000001 void/ }).waitFor();
  });

  test('the platform sees all organisations, and each one alone', async () => {
    await open('/admin/usage?group=organisation');
    await page
      .getByRole('table', { name: 'Usage by organisation' })
      .getByRole('link', { name: tenant.slug })
      .click();
    await page.waitForURL(new RegExp(`organisation=${tenant.slug}`));
    await page.getByRole('table', { name: 'Usage by model' }).waitFor();
    await open('/admin/invoices');
    const own = page.getByRole('row', { name: new RegExp(`${tenant.slug} .*void`) });
    await own.getByRole('rowheader').getByRole('link').click();
    await page.getByRole('heading', { name: /· 000001$/ }).waitFor();
  });

  test('a user sees only their own usage, and no invoices', async () => {
    const context = await browser.newContext();
    const ada = await context.newPage();
    ada.setDefaultTimeout(90_000);
    await signIn(ada, email(), PASSWORD, 'usage');
    await ada.getByText('Your own usage').first().waitFor();
    // Percentiles load once the page is interactive.
    await ada.getByRole('table', { name: 'Latency by day' }).waitFor({ state: 'attached' });
    await ada.getByLabel('Group by').selectOption('API key');
    const keys = ada.getByRole('table', { name: 'Usage by api key' }).getByRole('rowheader');
    await keys.first().waitFor();
    expect(await keys.allTextContents()).toEqual(['key of Ada']);
    await ada.goto(`${gateway.adminUrl}/${tenant.slug}/usage?tab=requests`);
    const rows = ada.getByRole('table', { name: 'Requests' }).getByRole('rowheader');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    await ada.goto(`${gateway.adminUrl}/${tenant.slug}/usage/${requests.production}`);
    await ada.getByText('There is no record of this request').waitFor();
    expect(await ada.getByRole('link', { name: 'Invoices' }).count()).toBe(0);
    await context.close();
  });

  test('no browser errors occurred', () => {
    expect(seen).toEqual([]);
  });
});
