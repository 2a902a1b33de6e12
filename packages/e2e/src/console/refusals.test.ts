import { createHash } from 'node:crypto';
import type { rest } from '@tollgate/contracts';
import type { Browser } from 'playwright-core';

import { chat, eventually, newTenant, PRICES, startGateway, type Gateway, type Tenant } from '..';
import { browserBinary, openBrowser } from '../gateway/browser';
import { signIn, visit, type Visitor } from './test-support/visitor';

// Why does my application get 402? Answered from the dashboard, in a real browser.

const binary = browserBinary();
const LIMIT_USD = 0.0005;

(binary === undefined ? describe.skip : describe)('refused requests in the console', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  let browser: Browser;
  let visitor: Visitor;
  let budgetId = '';
  let refusal: { limit: { requested: string }; need: { inputTokens: number } };
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    gateway = await startGateway({ admin: true });
    stops.push(gateway.stop);
    tenant = await newTenant(gateway);
    const { id, key } = await tenant.key({ name: 'shop app' });
    const budget = await tenant.create('budgets', {
      scope: { type: 'API_KEY', id },
      period: 'DAILY',
      limitUsd: String(LIMIT_USD),
    });
    budgetId = budget.id;
    const url = gateway.edgeUrl();
    for (let times = 0; times < 3; times += 1) {
      const answer = await chat(url, key);
      expect(answer.status).toBe(402);
      refusal = (answer.data as { error: { details: typeof refusal } }).error.details;
    }
    await chat(url, key, { temperature: 'hot' });
    for (let times = 0; times < 4; times += 1) await chat(url, 'not-a-key-of-this-gateway');
    await eventually('all refusals are listed', async () => {
      const { data } = await gateway.rest.get('/api/admin/refusals');
      return (data as rest.RefusedRequests).total >= 8;
    });
    browser = await openBrowser(binary ?? '');
    stops.push(() => browser.close());
    visitor = await visit(browser);
    await signIn(visitor, gateway, gateway.superAdmin, `/${tenant.slug}/dashboard`);
  });
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  const factOf = async (name: string): Promise<string> => {
    const fact = visitor.page.locator('dl > div').filter({ hasText: name }).first();
    return fact.locator('dd').innerText();
  };
  const usd = (text: string): number => Number(/\$([\d.,]+)/.exec(text)?.[1]?.replaceAll(',', ''));

  test('nothing is called well before every answer is there', async () => {
    const { page, open, settled } = visitor;
    const dashboard = `${gateway.adminUrl}/${tenant.slug}/dashboard`;
    for (const late of ['**/usage/explore?*orderBy=requests*', '**/upstream-statuses?*']) {
      const held: (() => void)[] = [];
      let holding = true;
      await page.route(late, async (route) => {
        if (holding) await new Promise<void>((resolve) => held.push(resolve));
        await route.continue();
      });
      await page.goto(dashboard);
      const needs = page.getByRole('region', { name: 'What needs you' });
      await eventually('the answer is held', () => Promise.resolve(held.length > 0));
      await needs.getByText('requests refused or failed').waitFor();
      await needs.getByRole('status', { name: 'Loading what needs you' }).waitFor();
      holding = false;
      for (const release of held) release();
      await page.unrouteAll({ behavior: 'wait' });
      await needs.getByText('3 requests refused with budget_exceeded').waitFor();
    }
    await open(dashboard);
    await settled();
  });

  test('one click from the dashboard tells why, with figures that add up', async () => {
    const { page, settled } = visitor;
    const needs = page.getByRole('region', { name: 'What needs you' });
    await needs.getByText('3 requests refused with budget_exceeded').waitFor();
    await needs.getByRole('link', { name: /^See why.*shop app is refused$/ }).click();
    await page.getByRole('heading', { name: 'Last refusal by a limit' }).waitFor();
    await settled();
    const needed = await factOf('Needed by the last request');
    const [limit, spent, held, left] = [
      usd(await factOf('Limit')),
      usd(await factOf('Spent')),
      usd(await factOf('Held')),
      usd(await factOf('Left')),
    ];
    expect(limit).toBe(LIMIT_USD);
    expect(left).toBeCloseTo(limit - spent - held, 9);
    const { inputTokens } = refusal.need;
    const computed =
      (inputTokens * Number(PRICES.input) + 1_000 * Number(PRICES.output)) / 1_000_000;
    expect(Number(refusal.limit.requested)).toBeCloseTo(computed, 9);
    expect(usd(needed)).toBeCloseTo(computed, 9);
    expect(usd(needed)).toBeGreaterThan(left);
    expect(needed).toContain(`${String(inputTokens)} input tokens (estimated)`);
    expect(needed).toContain('1,000 output tokens (assumed by the model');
    const bound = await page.getByLabel('A bound of the output that fits').innerText();
    const tokens = Number(/"max_tokens": (\d+)/.exec(bound)?.[1]);
    expect(
      (inputTokens * Number(PRICES.input) + tokens * Number(PRICES.output)) / 1_000_000,
    ).toBeLessThanOrEqual(left);
  });

  test('the remedies open the right form at the right field', async () => {
    const { page, open, settled } = visitor;
    await page.getByRole('link', { name: 'Raise the budget' }).click();
    await page.waitForURL(new RegExp(`edit=${budgetId}`));
    const limit = page.getByRole('dialog').getByLabel('Limit in US dollars');
    await limit.waitFor();
    await eventually('it has the focus', () =>
      limit.evaluate((element) => element.matches(':focus')),
    );
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await settled();
    await page.getByRole('heading', { name: 'Last refusal by a budget' }).waitFor();
    await open(
      `${gateway.adminUrl}/${tenant.slug}/models/${tenant.modelId}?edit=defaultMaxOutputTokens`,
    );
    const bound = page.getByRole('dialog').getByLabel('Default output bound, in tokens');
    await eventually('it has the focus', () =>
      bound.evaluate((element) => element.matches(':focus')),
    );
  });

  test('the list of the organisation has each cause with advice, and 400s too', async () => {
    const { page, open } = visitor;
    await open(`${gateway.adminUrl}/${tenant.slug}/refusals?sort=-count`);
    const table = page.getByRole('table', { name: 'Refused and failed' });
    const spent = table.getByRole('row').filter({ hasText: 'budget_exceeded' });
    await spent.getByText('3', { exact: true }).waitFor();
    await spent.getByText('Daily budget of $0.0005').waitFor();
    await spent.getByText('Wait for the window to end, or raise the budget.').waitFor();
    const wrong = table.getByRole('row').filter({ hasText: 'invalid_request' });
    await wrong.getByText('Correct the request.').waitFor();
    await wrong.getByRole('link', { name: 'shop app' }).waitFor();
    expect(await table.getByText('invalid_api_key').count()).toBe(0);
  });

  test('the usage explorer sums them by code, and links to the list', async () => {
    const { page, open } = visitor;
    await open(`${gateway.adminUrl}/${tenant.slug}/usage?range=7d`);
    const table = page.getByRole('table', { name: 'Refused and failed requests by code' });
    await table.getByRole('row', { name: /^budget_exceeded 3$/ }).waitFor();
    await table.getByRole('row', { name: /^invalid_request 1$/ }).waitFor();
    await table.getByRole('link', { name: 'budget_exceeded' }).click();
    await page.waitForURL(/\/refusals\?.*code=budget_exceeded/);
    const list = page.getByRole('table', { name: 'Refused and failed' });
    await list.getByRole('row').filter({ hasText: 'Daily budget of $0.0005' }).waitFor();
    expect(await list.getByText('invalid_request').count()).toBe(0);
  });

  test('the platform sees unknown keys by their fingerprint, never the key', async () => {
    const { page, open, complaints } = visitor;
    await open(`${gateway.adminUrl}/admin/dashboard`);
    await page.getByRole('link', { name: /^See which.*Unknown keys are sent$/ }).click();
    const print = createHash('sha256').update('not-a-key-of-this-gateway').digest('hex');
    const table = page.getByRole('table', { name: 'Refused and failed' });
    const row = table.getByRole('row').filter({ hasText: print.slice(0, 10) });
    await row.getByText('4', { exact: true }).waitFor();
    expect(await page.content()).not.toContain('not-a-key-of-this-gateway');
    expect(complaints()).toEqual([]);
  });
});
