import type { rest } from '@tollgate/contracts';
import type { Browser } from 'playwright-core';
import { Webhook } from 'standardwebhooks';

import { chat, eventually, newTenant, startGateway, type Gateway, type Tenant } from '..';
import { browserBinary, openBrowser } from '../gateway/browser';
import { signIn, visit, type Visitor } from './test-support/visitor';
import { startWebhookReceiver, type WebhookReceiver } from './test-support/webhook-receiver';

// From nothing to an alert that arrives and is seen, in a real browser.

const binary = browserBinary();

(binary === undefined ? describe.skip : describe)('alerts in the console', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  let browser: Browser;
  let visitor: Visitor;
  let receiver: WebhookReceiver;
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    receiver = await startWebhookReceiver();
    stops.push(receiver.stop);
    const env = { catalog: { ALERT_INTERVAL_SECONDS: '1' } };
    gateway = await startGateway({ admin: true, env });
    stops.push(gateway.stop);
    tenant = await newTenant(gateway);
    browser = await openBrowser(binary ?? '');
    stops.push(() => browser.close());
    visitor = await visit(browser);
    const path = `/${tenant.slug}/alerts?tab=destinations`;
    await signIn(visitor, gateway, gateway.superAdmin, path);
  });
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  test('a destination, its test, the recommended rules, a crossing, and the log', async () => {
    const { page, settled } = visitor;
    await page.getByRole('button', { name: 'Add destination' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Kind').selectOption('WEBHOOK');
    await dialog.getByLabel('Name').fill('pager');
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByRole('button', { name: 'Add destination' }).click();
    await page.getByRole('heading', { name: 'The signing secret' }).waitFor();
    const secret = /whsec_[A-Za-z0-9+/=]+/.exec(await dialog.innerText())?.[0] ?? '';
    await dialog.getByRole('button', { name: 'I have copied it' }).click();

    await page.getByRole('button', { name: 'Actions for pager' }).click();
    await page.getByRole('menuitem', { name: 'Send a test' }).click();
    await page.getByText('Test delivered to pager.', { exact: true }).waitFor();
    expect(receiver.received).toHaveLength(1);

    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByRole('button', { name: 'Recommended rules' }).first().click();
    await page.getByRole('button', { name: 'Add rules' }).click();
    await page.getByText('Budgets at 50, 80 and 100 %', { exact: true }).waitFor();

    const { id, key } = await tenant.key({ name: 'shop app' });
    await tenant.create('budgets', {
      scope: { type: 'API_KEY', id },
      period: 'DAILY',
      limitUsd: '0.000001',
      mode: 'SOFT',
    });
    expect((await chat(gateway.edgeUrl(), key)).status).toBe(200);
    const message = await eventually('the message', () =>
      Promise.resolve(receiver.received.find(({ body }) => body.includes('alert.raised'))),
    );
    const headers = message.headers as Record<string, string>;
    const sent = new Webhook(secret).verify(message.body, headers) as rest.AlertMessage;

    // The link of the message opens the alert; its own address is the console's default in tests.
    await visitor.open(gateway.adminUrl + new URL(sent.url).pathname + new URL(sent.url).search);
    await page.getByRole('heading', { name: sent.data.title }).waitFor();
    await page.getByRole('dialog').getByText('Delivered').waitFor();
    await page.getByRole('button', { name: 'Mark as seen' }).click();
    await page.getByText('Marked as seen.', { exact: true }).waitFor();
    await settled();
    const { data } = await gateway.rest.get(`${tenant.base}/alerts?seen=false`);
    expect((data as { data: unknown[] }).data).toEqual([]);
    expect(visitor.complaints()).toEqual([]);
  });
});
