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

// Aliases and ends of models in the console, in a real browser: set in forms, seen by a client, and who still
// uses them.

const binary = browserBinary();

(binary === undefined ? describe.skip : describe)('the console’s aliases', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let page: Page;
  let key: { id: string; key: string };
  const seen: string[] = [];

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway);
    await tenant.model('newer', 'sim');
    key = await tenant.key({ name: 'nightly', modelIds: [], modelGrants: [{ kind: 'ALL' }] });
    browser = await openBrowser(binary ?? '');
    page = await browser.newPage();
    page.setDefaultTimeout(90_000);
    page.on('pageerror', (error) => seen.push(error.message));
    page.on('response', (response) => {
      if (response.status() >= 500) seen.push(`${String(response.status())} ${response.url()}`);
    });

    await page.goto(`${gateway.adminUrl}/login?next=/${tenant.slug}/aliases`);
    await page.getByLabel('Email').fill(gateway.superAdmin.email);
    await page.getByLabel('Password').fill(gateway.superAdmin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${gateway.adminUrl}/${tenant.slug}/aliases`);
  });
  afterAll(async () => {
    await browser?.close();
  });

  test('an alias is made with a planned change, and mistakes are told at their fields', async () => {
    await page.getByText('No aliases yet').waitFor();
    await page.getByRole('button', { name: 'Create alias' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name', { exact: true }).fill('chat');
    await form.getByRole('option', { name: /^chat/ }).click();
    await form.getByRole('button', { name: 'Create alias' }).click();
    await form.getByText('a model of this organisation has this name').waitFor();
    await form.getByLabel('Name', { exact: true }).fill('claude-fast');
    await form.getByRole('button', { name: 'Add a dated target' }).click();
    const second = form.getByRole('group', { name: 'Target 2', exact: true });
    await second.getByRole('option', { name: /^newer/ }).click();
    await second.getByLabel('From, target 2').fill('2031-01-01T10:00:00');
    await form.getByRole('button', { name: 'Create alias' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /^claude-fast chat newer / }).waitFor();
    const answer = await eventually('the alias serves', async () => {
      const one = await chat(gateway.edgeUrl(), key.key, { model: 'claude-fast' });
      return one.status === 200 && one;
    });
    expect(answer.headers['x-tollgate-model']).toBe('chat');
    await recordOf(gateway, tenant, requestIdOf(answer));
  });

  test('the end of a model is announced in its form, and told to clients', async () => {
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/models/${tenant.modelId}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('switch', { name: /^Announce retirement/ }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('set deprecatedAt, sunsetAt or both').waitFor();
    await form.getByRole('textbox', { name: /^Sunset/ }).fill('2031-06-30T12:00:00');
    const instead = form.getByRole('group', { name: 'Replacement' });
    await instead.getByRole('option', { name: /^newer/ }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByText('use instead:').waitFor();
    const answer = await eventually('the end is told', async () => {
      const one = await chat(gateway.edgeUrl(), key.key);
      expectStatus(one, 200);
      return one.headers['sunset'] !== undefined && one;
    });
    expect(answer.headers['link']).toBe('</v1/models/newer>; rel="successor-version"');
    await recordOf(gateway, tenant, requestIdOf(answer));
  });

  test('who still uses it is listed with its key', async () => {
    const table = page.getByRole('table', { name: 'Who still uses what' });
    await eventually('the requests are in the sums', async () => {
      await page.goto(`${gateway.adminUrl}/${tenant.slug}/aliases`);
      await table.waitFor();
      return (await table.getByRole('row', { name: /^chat model .* nightly / }).count()) === 1;
    });
    await table.getByRole('link', { name: 'nightly' }).click();
    await page.waitForURL(`**/apikeys/${key.id}`);
    expect(seen).toEqual([]);
  });
});
