import type { Browser, Page } from 'playwright-core';

import { newTenant, sharedGateway, type SharedGateway } from '..';
import { browserBinary, openBrowser } from '../gateway/browser';

// An administrator tries requests as a key whose secret nobody knows.

const binary = browserBinary();

(binary === undefined ? describe.skip : describe)('the key’s page', () => {
  let gateway: SharedGateway;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    gateway = await sharedGateway();
    const tenant = await newTenant(gateway);
    const own = await tenant.key({ name: 'tried' });
    await tenant.create('budgets', {
      scope: { type: 'API_KEY', id: own.id },
      period: 'MONTHLY',
      limitUsd: '0.001',
    });
    browser = await openBrowser(binary ?? '');
    page = await browser.newPage();
    page.setDefaultTimeout(90_000);
    await page.goto(`${gateway.adminUrl}/login?next=/${tenant.slug}/apikeys/${own.id}`);
    await page.getByLabel('Email').fill(gateway.superAdmin.email);
    await page.getByLabel('Password').fill(gateway.superAdmin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  });
  afterAll(async () => {
    await browser?.close();
  });

  test('explains an allow, and a refusal with what helps', async () => {
    const card = page.getByRole('region', { name: 'Try as this key' });
    await card.getByRole('button', { name: 'Explain the decision' }).waitFor();
    const body = card.getByLabel('Body');
    const ask = async (max_tokens: number): Promise<void> => {
      const messages = [{ role: 'user', content: 'Hello' }];
      await body.fill(JSON.stringify({ model: 'chat', max_tokens, messages }));
      await card.getByRole('button', { name: 'Explain the decision' }).click();
    };
    await ask(20);
    await card.getByText('The request would be allowed.').waitFor();
    await card.getByRole('list', { name: 'Checks' }).getByText('Every limit has room').waitFor();
    await card.getByText('chat at provider_a').waitFor();
    await ask(100_000);
    await card.getByText('The request would be refused with 402').waitFor();
    await card.getByText('Needed by this request').waitFor();
    await card.getByText('What helps').waitFor();
    await body.fill('no json');
    await card.getByRole('button', { name: 'Explain the decision' }).click();
    await card.getByText('The body must be a JSON object.').waitFor();
  });
});
