import type { Browser, Page } from 'playwright-core';

import {
  chat,
  expectStatus,
  newMember,
  newTenant,
  recordOf,
  requestIdOf,
  sharedGateway,
  type SharedGateway,
  type Tenant,
} from '..';
import { browserBinary, openBrowser } from '../gateway/browser';

// The pages of a team, a user and a key tell their story, and lead on to the lists behind it.

const binary = browserBinary();

(binary === undefined ? describe.skip : describe)('stories of objects in the console', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let page: Page;
  let owner: { teamId: string; userId: string };
  let key: { id: string; key: string };
  let requestId: string;
  const seen: string[] = [];

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway);
    owner = await newMember(tenant);
    key = await tenant.key({ name: 'of the team', type: 'USER', ...owner });
    await tenant.key({ name: 'of nobody here' });
    await tenant.create('budgets', {
      scope: { type: 'TEAM', id: owner.teamId },
      period: 'MONTHLY',
      limitUsd: '50.00',
    });
    await tenant.create('budgets', {
      scope: { type: 'ORGANISATION', id: tenant.id },
      period: 'DAILY',
      limitUsd: '70.00',
    });
    requestId = requestIdOf(expectStatus(await chat(gateway.edgeUrl(), key.key), 200));
    await recordOf(gateway, tenant, requestId);
    browser = await openBrowser(binary ?? '');
    page = await browser.newPage();
    page.setDefaultTimeout(90_000);
    page.on('pageerror', (error) => seen.push(error.message));
    page.on('response', (response) => {
      if (response.status() >= 500) seen.push(`${String(response.status())} ${response.url()}`);
    });
    await page.goto(`${gateway.adminUrl}/login?next=/${tenant.slug}/teams`);
    await page.getByLabel('Email').fill(gateway.superAdmin.email);
    await page.getByLabel('Password').fill(gateway.superAdmin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${gateway.adminUrl}/${tenant.slug}/teams`);
  });
  afterAll(async () => {
    await browser?.close();
  });

  const open = (path: string): Promise<unknown> =>
    page.goto(`${gateway.adminUrl}/${tenant.slug}/${path}`);
  const fact = (name: string) =>
    page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) });

  test('a team’s page has spend, last request, keys and limits', async () => {
    await open(`teams/${owner.teamId}`);
    await fact('Spend this month').getByText('nothing last month').waitFor();
    expect(await fact('Spend this month').getByRole('link').textContent()).not.toBe('$0.00');
    expect(await fact('Spend last month').locator('dd').textContent()).toBe('$0.00');
    expect(await fact('Requests this month').getByRole('link').textContent()).toBe('1');
    const limits = page.getByRole('table', { name: 'Limits of the team and of the organisation' });
    await limits.getByRole('row', { name: /^Monthly budget of \$50\.00/ }).waitFor();
    await limits.getByRole('row', { name: /^Daily budget of \$70\.00/ }).waitFor();

    await fact('Last request').getByRole('link').click();
    await page.waitForURL(`**/usage/${requestId}`);
    await page.goBack();
    await limits.getByRole('link', { name: 'Monthly budget of $50.00' }).click();
    await page.waitForURL(/budgets\?.*scopeId=/);
    await page.getByRole('button', { name: 'Remove filter: One object' }).waitFor();
    await page.getByRole('table').getByText('of $50.00').waitFor();
    expect(await page.getByRole('table').getByText('of $70.00').count()).toBe(0);
  });

  test('teams and keys are compared by what they spent', async () => {
    await tenant.create('teams', { name: 'idle' });
    await open('teams');
    const sort = page.getByRole('button', { name: 'Spend this month' });
    await sort.click();
    await page.waitForURL(/sort=spentUsd/);
    await page.getByRole('row', { name: /idle \$0\.00/ }).waitFor();
    await sort.click();
    await page.waitForURL(/sort=-spentUsd/);
    await page.locator('tbody tr').first().getByRole('link', { name: 'blue' }).waitFor();
    await open('apikeys?sort=-spentUsd');
    await page.locator('tbody tr').first().getByRole('link', { name: 'of the team' }).waitFor();
  });

  test('its keys are a list with the filter, which can be removed', async () => {
    await open(`teams/${owner.teamId}`);
    await fact('Active keys').getByRole('link', { name: '1 key' }).click();
    await page.waitForURL(/apikeys\?teamId=.*status=ACTIVE/);
    await page.getByRole('link', { name: 'of the team' }).waitFor();
    expect(await page.getByRole('link', { name: 'of nobody here' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Remove filter: One team' }).click();
    await page.getByRole('link', { name: 'of nobody here' }).waitFor();
  });

  test('a user’s and a key’s page tell the same of theirs', async () => {
    await open(`users/${owner.userId}`);
    await fact('Requests this month').getByRole('link', { name: '1', exact: true }).waitFor();
    const limits = page.getByRole('table', { name: 'Limits of the user and of the organisation' });
    await limits.getByRole('row', { name: /^Daily budget of \$70\.00/ }).waitFor();
    expect(await limits.getByText('$50.00').count()).toBe(0);
    await open(`apikeys/${key.id}`);
    await fact('Requests this month').getByRole('link', { name: '1', exact: true }).click();
    await page.waitForURL(/usage\?apiKeyId=.*tab=requests/);
    expect(seen).toEqual([]);
  });
});
