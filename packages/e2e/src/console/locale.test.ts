import type { Browser } from 'playwright-core';

import { newTenant, sharedGateway, type SharedGateway, type Tenant } from '..';
import { browserBinary, openBrowser } from '../gateway/browser';
import { signIn, visit } from './test-support/visitor';

// Numbers, money and dates of the console in a real browser of another locale. The server and the
// browser format alike: a difference would be an error of hydration, which a visitor records.

const binary = browserBinary();

const LOCALES = [
  { locale: 'de-DE', money: '1.234,50 $', date: /^\d{2}\.\d{2}\.\d{4}$/ },
  { locale: 'en-GB', money: 'US$1,234.50', date: /^\d{1,2} [A-Z][a-z]{2,3} \d{4}$/ },
  { locale: 'en-US', money: '$1,234.50', date: /^[A-Z][a-z]{2} \d{1,2}, \d{4}$/ },
] as const;

(binary === undefined ? describe.skip : describe)('the console in the locale of a browser', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway);
    await tenant.create('budgets', {
      scope: { type: 'ORGANISATION', id: tenant.id },
      period: 'MONTHLY',
      limitUsd: '1234.5',
    });
    browser = await openBrowser(binary ?? '');
  });
  afterAll(async () => {
    await browser?.close();
  });

  test.each(LOCALES)('$locale: $money', async ({ locale, money, date }) => {
    const visitor = await visit(browser, { locale });
    const { context, page, complaints, open } = visitor;
    const path = `/${tenant.slug}/budgets`;
    await signIn(visitor, gateway, gateway.superAdmin, path);
    complaints();
    await open(`${gateway.adminUrl}${path}`);
    const row = page.getByRole('row').filter({ hasText: 'Monthly' });
    await row.getByText(`of ${money}`).first().waitFor();
    expect(await row.getByRole('time').first().innerText()).toMatch(date);
    expect(await page.locator('html').getAttribute('lang')).toBe('en');

    // What the server sends is what the browser shows after it.
    const answer = await context.request.get(`${gateway.adminUrl}${path}`, {
      headers: { 'accept-language': locale },
    });
    const html = (await answer.text()).replaceAll(/\u00a0|&nbsp;/g, ' ');
    expect(html).toContain(`of ${money}`);

    // A page that the browser alone renders has the same form, and typed amounts stay as they are.
    await page.getByRole('button', { name: 'Create budget' }).first().click();
    await page.getByLabel('Limit in US dollars').fill('2345.5');
    await page.getByRole('button', { name: 'Create budget' }).last().click();
    await row
      .getByText(`of ${money.replace('1', '2').replace('234', '345')}`)
      .first()
      .waitFor();
    expect(complaints()).toEqual([]);
    await context.close();
  });
});
