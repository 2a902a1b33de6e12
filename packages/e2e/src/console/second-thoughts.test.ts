import { Client } from 'pg';
import type { Browser, Page } from 'playwright-core';

import {
  expectStatus,
  newMember,
  newTenant,
  sharedGateway,
  type SharedGateway,
  type Tenant,
} from '..';
import { browserBinary, openBrowser } from '../gateway/browser';
import { signIn, visit, type Visitor } from './test-support/visitor';

// Mistakes and concurrent edits in the console: undo after a change, a change over another user's
// change, an unlinked identity; and filters of a list in its address.

const binary = browserBinary();
/** Longer than any message that disappears by itself. */
const LONG_AFTER = '05:00';

(binary === undefined ? describe.skip : describe)('second thoughts in the console', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway);
    browser = await openBrowser(binary ?? '');
    visitor = await visit(browser);
    ({ page } = visitor);
    await page.clock.install();
    await signIn(visitor, gateway, gateway.superAdmin, `/${tenant.slug}/models`);
    await open('models');
  });
  afterAll(async () => {
    await browser?.close();
  });

  /** Waits until the page is interactive, because an earlier press of a button is lost. */
  async function open(path: string): Promise<void> {
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/${path}`, { waitUntil: 'networkidle' });
  }
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const undo = () => page.getByRole('region', { name: /^Notifications/ }).getByRole('button');
  const modelPath = () => `${tenant.base}/models/${tenant.modelId}`;

  async function statusOfModel(): Promise<string> {
    const answer = expectStatus(await gateway.rest.get(modelPath()), 200);
    return (answer.data as { status: string }).status;
  }

  async function turnOff(): Promise<void> {
    await button('Actions for chat').click();
    await page.getByRole('menuitem', { name: 'Turn off' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    await undo().waitFor();
    expect(await statusOfModel()).toBe('DISABLED');
  }

  test('a disabled item is enabled again with the keyboard, at any later time', async () => {
    await turnOff();
    await page.keyboard.press('F8');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.clock.fastForward(LONG_AFTER);
    expect(await page.locator(':focus').textContent()).toBe('Undo');
    await page.keyboard.press('Enter');
    await page.getByText('chat is on again.', { exact: true }).first().waitFor();
    expect(await statusOfModel()).toBe('ACTIVE');
  });

  test('the undo offer disappears by itself without focus', async () => {
    await open('models');
    await turnOff();
    await page.clock.fastForward(LONG_AFTER);
    await undo().waitFor({ state: 'hidden' });
    expect(await statusOfModel()).toBe('DISABLED');
    expectStatus(await gateway.rest.patch(modelPath(), { status: 'ACTIVE' }), 200);
  });

  test('an undo never overwrites a later change of another user', async () => {
    await open('models');
    await turnOff();
    expectStatus(await gateway.rest.patch(modelPath(), { contextTokens: 64_000 }), 200);
    await undo().click();
    await page
      .getByText(/^Undo failed\./)
      .first()
      .waitFor();
    expect(await statusOfModel()).toBe('DISABLED');
    expectStatus(await gateway.rest.patch(modelPath(), { status: 'ACTIVE' }), 200);
  });

  test('a change over another user’s change is refused, with the reason', async () => {
    await open('settings');
    const name = page.getByLabel('Name', { exact: true });
    await name.waitFor();
    const path = tenant.base;
    expectStatus(await gateway.rest.patch(path, { name: 'Theirs' }), 200);
    await name.fill('Mine');
    await button('Save').click();
    await page.getByText(/your changes were not saved/).waitFor();
    const now = expectStatus(await gateway.rest.get(path), 200).data as { name: string };
    expect(now.name).toBe('Theirs');
  });

  test('an action on several rows says in a sentence what was done', async () => {
    for (const name of ['first of two', 'second of two']) await tenant.key({ name });
    await open('apikeys');
    for (const name of ['first of two', 'second of two']) {
      await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    }
    await page.getByRole('toolbar').getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Revoke 2 keys?' });
    await dialog.getByLabel('Type “2” to confirm').fill('2');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('2 keys revoked.', { exact: true }).first().waitFor();
  });

  test('the address filters the list of invoices by month and status', async () => {
    for (const month of ['2025-02', '2025-03']) await tenant.create('invoices', { month });
    await open('invoices?month=2025-02');
    const rows = page.getByRole('table', { name: 'Invoices' }).getByRole('rowheader');
    await rows.first().waitFor();
    expect(await rows.allTextContents()).toEqual(['February 2025']);
    expect(await page.getByLabel('Month').inputValue()).toBe('2025-02');
    await page.getByLabel('Month').selectOption('March 2025');
    await page.waitForURL(/month=2025-03/);
    await page.getByRole('rowheader', { name: 'March 2025' }).waitFor();
    await page.getByLabel('Status').selectOption('Issued');
    await page.waitForURL(/month=2025-03.*status=ISSUED/);
    await page.getByText('No matches').waitFor();
  });

  test('a draft that was recomputed in the meantime is not issued unseen', async () => {
    await open('invoices?month=2025-02');
    await button('Actions for February 2025').click();
    await page.getByRole('menuitem', { name: 'Issue' }).click();
    const listed = await gateway.rest.get(`${tenant.base}/invoices?month=2025-02`);
    const [draft] = (expectStatus(listed, 200).data as { data: { id: string }[] }).data;
    const path = `${tenant.base}/invoices/${draft?.id ?? ''}`;
    expectStatus(await gateway.rest.post(`${path}/recompute`), 200);
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('textbox').fill('February 2025');
    await dialog.getByRole('button', { name: 'Issue' }).click();
    await dialog.getByText(/your changes were not saved/).waitFor();
    const now = expectStatus(await gateway.rest.get(path), 200).data as { status: string };
    expect(now.status).toBe('DRAFT');
    await dialog.getByRole('button', { name: 'Keep the draft' }).click();
  });

  test('an administrator unlinks the identity of a user', async () => {
    const { userId } = await newMember(tenant);
    const database = new Client({ connectionString: gateway.databaseUrl });
    await database.connect();
    try {
      await database.query(
        `INSERT INTO user_identity (issuer, subject, user_id) VALUES ($1, $2, $3)`,
        ['https://id.example.com', `subject-${userId}`, userId],
      );
    } finally {
      await database.end();
    }
    await open(`users/${userId}`);
    await button('Unlink id.example.com').click();
    const dialog = page.getByRole('alertdialog', { name: 'Unlink id.example.com from Ada?' });
    await dialog.getByRole('button', { name: 'Unlink' }).click();
    await page.getByText('Ada unlinked from id.example.com.').first().waitFor();
    const left = await gateway.rest.get(`${tenant.base}/users/${userId}/identities`);
    expect(expectStatus(left, 200).data).toMatchObject({ data: [] });
  });

  test('on a phone the playground starts with the conversation', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open('playground');
    const settings = button(/^Settings/);
    await settings.waitFor();
    const system = page.getByRole('textbox', { name: 'System prompt (optional)' });
    expect(await system.count()).toBe(0);
    expect(await settings.getAttribute('aria-expanded')).toBe('false');
    await settings.click();
    await system.waitFor();
  });

  test('no unexpected browser errors occurred', () => {
    // Changes over another user's were refused on purpose.
    const refused = /^4\d\d /;
    expect(visitor.complaints().filter((line) => !refused.test(line))).toEqual([]);
  });
});
