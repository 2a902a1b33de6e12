import type { Browser } from 'playwright-core';

import {
  chat,
  eventually,
  newTenant,
  recordOf,
  requestIdOf,
  sharedGateway,
  signedIn,
  type SharedGateway,
  type Tenant,
} from '..';
import { browserBinary, openBrowser } from '../gateway/browser';
import { signIn, visit, type Visitor } from './test-support/visitor';

// Kept bodies in a real browser: switched on, looked at, found in the audit trail, and deleted.

const binary = browserBinary();
const PASSWORD = 'correct horse battery staple';
const MAIL = 'ana@example.org';
const SECRET = 'sk-proj-9aB8cD7eF6gH5iJ4kL3mN2oP1qR0';

(binary === undefined ? describe.skip : describe)('kept bodies in the console', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let visitor: Visitor;
  let key: string;
  let requestId: string;
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway);
    ({ key } = await tenant.key());
    const email = `boss@${tenant.slug}.example`;
    await tenant.create('users', { email, name: 'Boss', role: 'ORG_ADMIN', password: PASSWORD });
    browser = await openBrowser(binary ?? '');
    stops.push(() => browser.close());
    visitor = await visit(browser);
    await signIn(visitor, gateway, { email, password: PASSWORD }, `/${tenant.slug}/settings`);
  });
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  const at = (path: string): string => `${gateway.adminUrl}/${tenant.slug}/${path}`;

  test('an administrator switches keeping on', async () => {
    const { page } = visitor;
    await page.getByLabel('Keep requests').click();
    await page.getByLabel('Keep answers').click();
    await page.getByLabel('Keep bodies for (days)').fill('3');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('No request has a kept body.').waitFor();
    const told = { messages: [{ role: 'user', content: `mail ${MAIL} the key ${SECRET}` }] };
    await eventually('a kept body', async () => {
      requestId = requestIdOf(await chat(gateway.edgeUrl(), key, told));
      await recordOf(gateway, tenant, requestId);
      const path = `${tenant.base}/usage/records/${requestId}/bodies`;
      const { data } = await gateway.rest.get<{ keptAt: string | null }>(path);
      return data.keptAt !== null;
    });
  });

  test('nothing is in the page before the button, and it is masked after it', async () => {
    const { page } = visitor;
    await page.goto(at(`usage/${requestId}`));
    const show = page.getByRole('button', { name: 'Show (this is recorded)' });
    await show.waitFor();
    await page.getByText('EMAIL 2, API_KEY 2').waitFor();
    expect(await page.content()).not.toContain('the key');
    await show.click();
    const request = page.getByLabel('Request', { exact: true });
    await request.waitFor();
    expect(await request.innerText()).toContain('mail <EMAIL_1> the key <API_KEY_1>');
    expect(await request.innerText()).toContain('\n  "messages": [');
    const answer = page.getByLabel('Answer', { exact: true });
    expect(await answer.innerText()).toContain('<API_KEY_1>');
    const whole = await page.content();
    expect(whole).not.toContain(MAIL);
    expect(whole).not.toContain(SECRET);
    expect(await page.getByRole('button', { name: 'Copy', exact: true }).count()).toBe(2);
  });

  test('the look is in the audit trail, and leads to the request', async () => {
    const { page } = visitor;
    await page.goto(at('audit'));
    await page.getByText('Usage: look at bodies').first().click();
    await page.getByRole('link', { name: 'Open page' }).click();
    await page.waitForURL(at(`usage/${requestId}`));
  });

  test('switching off offers to delete what is kept', async () => {
    const { page } = visitor;
    await page.goto(at('settings'));
    await page.getByLabel('Keep requests').click();
    await page.getByLabel('Keep answers').click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('No further bodies are kept.').waitFor();
    await page.getByRole('button', { name: 'Delete kept bodies…' }).click();
    await page.getByRole('button', { name: 'Delete all kept bodies' }).click();
    await page.getByText('Kept bodies deleted.').first().waitFor();
    await page.goto(at(`usage/${requestId}`));
    await page.getByText('Not kept. The organisation’s settings say which requests are.').waitFor();
    const boss = await signedIn(gateway.catalogUrl, `boss@${tenant.slug}.example`, PASSWORD);
    const { data } = await boss.get<{ data: { action: string }[] }>(`${tenant.base}/audit-events`);
    expect(data.data.map(({ action }) => action)).toContain('organisation.clear_kept_bodies');
    expect(visitor.complaints()).toEqual([]);
  });
});
