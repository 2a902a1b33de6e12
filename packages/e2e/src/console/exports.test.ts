import { startWebhookReceiver, type WebhookReceiver } from '@tollgate/simulator';
import type { Browser, Page } from 'playwright-core';

import { chat, eventually, expectStatus, newTenant, sharedGateway, type SharedGateway } from '..';
import { browserBinary, openBrowser } from '../gateway/browser';

// An export destination, made in the console, tried, failing, paused and resumed there.

const binary = browserBinary();

(binary === undefined ? describe.skip : describe)('the console’s exports page', () => {
  let gateway: SharedGateway;
  let browser: Browser;
  let page: Page;
  let receiver: WebhookReceiver;
  let key = '';
  let secret = '';
  let status: number | undefined;
  const seen: string[] = [];

  beforeAll(async () => {
    receiver = await startWebhookReceiver({ secret: () => secret, fault: () => status });
    gateway = await sharedGateway();
    const tenant = await newTenant(gateway);
    ({ key } = await tenant.key());
    browser = await openBrowser(binary ?? '');
    page = await browser.newPage();
    page.setDefaultTimeout(90_000);
    page.on('pageerror', (error) => seen.push(error.message));
    page.on('response', (response) => {
      if (response.status() >= 500) seen.push(`${String(response.status())} ${response.url()}`);
    });
    await page.goto(`${gateway.adminUrl}/login?next=/${tenant.slug}/exports`);
    await page.getByLabel('Email').fill(gateway.superAdmin.email);
    await page.getByLabel('Password').fill(gateway.superAdmin.password);
    await button('Sign in').click();
    await page.getByRole('heading', { name: 'Exports', exact: true }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await receiver.stop();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');
  const act = async (name: string): Promise<void> => {
    await button('Actions for Warehouse').click();
    await page.getByRole('menuitem', { name }).click();
  };

  test('a webhook is added, and its secret shown once', async () => {
    await button('Add destination').first().click();
    await dialog().getByLabel('Name', { exact: true }).fill('Warehouse');
    await dialog().getByLabel('URL').fill('no address');
    await dialog().getByRole('button', { name: 'Add destination' }).click();
    await dialog().getByRole('alert').first().waitFor();
    await dialog().getByLabel('URL').fill(receiver.url);
    await dialog().getByLabel('Seconds to wait for more rows').fill('1');
    await dialog().getByRole('button', { name: 'Add destination' }).click();
    const shown = dialog().getByText(/^whsec_/);
    await shown.waitFor();
    secret = (await shown.textContent()) ?? '';
    await dialog().getByRole('button', { name: 'I have copied it' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await page
      .getByRole('row', { name: /Warehouse/ })
      .getByText('Active')
      .waitFor();
  });

  test('a sample is sent, and says how it went', async () => {
    await act('Send a sample');
    await page.getByText('The sample was accepted.').first().waitFor();
    status = 503;
    await act('Send a sample');
    await page.getByText('The receiver answers with status 503.').first().waitFor();
    expect(receiver.deliveries.map(({ recordType }) => recordType)).toEqual(['TEST', 'TEST']);
  });

  test('a failing destination says why, and its deliveries are listed', async () => {
    expectStatus(await chat(gateway.edgeUrl(), key), 200);
    await eventually('a delivery fails', async () =>
      receiver.deliveries.some(({ recordType }) => recordType === 'USAGE'),
    );
    status = undefined;
    await page.reload();
    await page
      .getByRole('row', { name: /Warehouse/ })
      .getByText('Failing')
      .waitFor();
    await act('See deliveries');
    await dialog().getByText('The receiver answers with status 503.').waitFor();
    await dialog()
      .getByRole('row', { name: /Usage records/ })
      .getByText('Waiting')
      .waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
  });

  test('it is edited, which tries it at once, paused and resumed', async () => {
    await act('Edit');
    await dialog().getByLabel('Most rows in a batch').fill('50');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await eventually('the batch arrives', async () =>
      receiver.deliveries.some(({ recordType, accepted }) => accepted && recordType === 'USAGE'),
    );
    await page.reload();
    await act('Pause');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Pause' }).click();
    await page
      .getByRole('row', { name: /Warehouse/ })
      .getByText('Paused')
      .waitFor();
    await act('Resume');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Resume' }).click();
    await page
      .getByRole('row', { name: /Warehouse/ })
      .getByText('Active')
      .waitFor();
  });

  test('the platform has destinations of its own', async () => {
    await page.goto(`${gateway.adminUrl}/admin/exports`);
    await page.getByText('No export destinations yet').waitFor();
    await button('Add destination').first().click();
    await dialog().getByLabel('Name', { exact: true }).fill('Archive');
    await dialog().getByLabel('Deliver to').selectOption('S3');
    await dialog().getByLabel('Endpoint').fill('http://10.0.0.1');
    await dialog().getByLabel('Bucket', { exact: true }).fill('archive');
    await dialog().getByLabel('Region').fill('auto');
    await dialog().getByLabel('Access key id').fill('AKIA');
    await dialog().getByLabel('Secret access key').fill('secret');
    await dialog().getByRole('button', { name: 'Add destination' }).click();
    await dialog()
      .getByRole('alert')
      .filter({ hasText: /10\.0\.0\.1|private|allow/ })
      .waitFor();
    await dialog().getByLabel('Endpoint').fill('https://s3.example.com');
    await dialog().getByRole('button', { name: 'Add destination' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await page
      .getByRole('row', { name: /Archive/ })
      .getByText('S3-compatible storage')
      .waitFor();
  });

  test('nothing failed on the way', () => {
    expect(seen).toEqual([]);
  });
});
