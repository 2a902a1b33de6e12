import type { Browser, Page } from 'playwright-core';

import {
  chat,
  expectStatus,
  newTenant,
  recordOf,
  requestIdOf,
  sharedGateway,
  type SharedGateway,
  type Tenant,
} from '..';
import { browserBinary, openBrowser } from '../gateway/browser';
import { signIn, visit, type Visitor } from './test-support/visitor';

// Charts of usage that answer: filters by clicks and drags, the same by keyboard, saved views, the comparison in words, and
// what an empty chart says.

const binary = browserBinary();
const PASSWORD = 'correct horse battery staple';

(binary === undefined ? describe.skip : describe)('the charts of usage', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway);
    const otherId = await tenant.model('other', 'sim');
    await tenant.create('users', {
      email: `zora@${tenant.slug}.example`,
      name: 'Zora',
      role: 'ORG_ADMIN',
      password: PASSWORD,
    });
    const { key } = await tenant.key({ modelIds: [tenant.modelId, otherId] });
    for (const model of ['chat', 'chat', 'other']) {
      const answer = expectStatus(await chat(gateway.edgeUrl(), key, { model }), 200);
      await recordOf(gateway, tenant, requestIdOf(answer));
    }
    browser = await openBrowser(binary ?? '');
    visitor = await visit(browser);
    ({ page } = visitor);
    await signIn(visitor, gateway, gateway.superAdmin, `/${tenant.slug}/usage`);
  });
  afterAll(async () => {
    await browser?.close();
  });

  async function open(query: string): Promise<void> {
    const url = `${gateway.adminUrl}/${tenant.slug}/usage?${query}`;
    await page.goto(url, { waitUntil: 'networkidle' });
  }
  const chart = (label: RegExp) => page.getByRole('group', { name: label });
  const search = (): URLSearchParams => new URL(page.url()).searchParams;
  const filter = () => page.getByRole('search', { name: 'Filters' });

  /** Drags over a part of the chart, from and to given in parts of its width. */
  async function drag(label: RegExp, from: number, to: number): Promise<void> {
    const box = await chart(label).boundingBox();
    if (box === null) throw new Error('the chart is not there');
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * from, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * ((from + to) / 2), y);
    await page.mouse.move(box.x + box.width * to, y);
    await page.mouse.up();
  }

  test('keys with Alt are left to the browser', async () => {
    await open('metric=requests&range=7d');
    await page.evaluate(`window.taken = [];
      addEventListener('keydown', (e) => {
        if (e.key.startsWith('Arrow')) window.taken.push(e.defaultPrevented);
      });`);
    const taken = (): Promise<boolean[]> => page.evaluate<boolean[]>('window.taken.splice(0)');
    await chart(/^Requests by model/).press('ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    expect(await taken()).toEqual([true, true]);
    await chart(/^Requests by model/).dispatchEvent('keydown', { key: 'ArrowLeft', altKey: true });
    expect(await taken()).toEqual([false]);
  });

  test('a click on a part of a bar filters by its group, and Back undoes it', async () => {
    await open('metric=requests&range=7d');
    await chart(/^Requests by model/)
      .locator('rect[data-key]')
      .last()
      .click();
    await filter().getByText('other').waitFor();
    expect(search().get('modelId')).not.toBeNull();
    await page.getByRole('heading', { name: /^Requests by API key/ }).waitFor();
    await page.goBack();
    await filter().getByText('other').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: /^Requests by model/ }).waitFor();
  });

  test('the legend does the same with the keyboard', async () => {
    await open('metric=requests&range=7d');
    await page.getByRole('button', { name: 'Filter by chat' }).press('Enter');
    await filter().getByText('chat').waitFor();
  });

  test('a drag shows only its period, and a click on a bar only its time', async () => {
    await open('group=time&metric=requests&range=30d');
    await drag(/^Requests over time, by day/, 0.85, 0.99);
    await page.waitForURL(/range=custom/);
    const [from, to] = [search().get('from') ?? '', search().get('to') ?? ''];
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
    expect([4, 5]).toContain(days);
    expect(await page.getByLabel('First day').inputValue()).toBe(from);
    await page.getByRole('table', { name: 'Requests over time, by day' }).waitFor();
    const box = await chart(/^Requests over time/).boundingBox();
    await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) * 0.98, (box?.y ?? 0) + 100);
    await page.getByRole('table', { name: 'Requests over time, by hour' }).waitFor();
    expect([search().get('from'), search().get('to')]).toEqual([to, to]);
  });

  test('the arrow keys with Shift mark hours, Enter shows only them', async () => {
    const hours = chart(/^Requests over time, by hour/);
    await hours.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await hours.getByRole('status').getByText(/ to /).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/from=[^&]*T/);
    const [from, to] = [search().get('from') ?? '', search().get('to') ?? ''];
    expect(Date.parse(to) - Date.parse(from)).toBe(3 * 3_600_000);
  });

  test('the change against the period before is told in words', async () => {
    await open('group=time&metric=requests&range=7d');
    await page
      .getByText(/^Requests: 3, after none in the previous period \(.+ to .+\)\.$/)
      .waitFor();
    await page.getByRole('switch', { name: 'Compare with the previous period' }).click();
    await page.getByText(/after none in the previous period/).waitFor({ state: 'detached' });
  });

  test('a chart without values says what it shows and why it is empty', async () => {
    await open('group=time&metric=errors&range=7d');
    await page
      .getByText(
        'No errors in this period: 3 requests without one. This chart shows errors by day.',
      )
      .waitFor();
    await open('group=time&range=custom&from=2020-01-01&to=2020-01-31');
    await page.getByText('No usage in this period').waitFor();
    await page.getByText(/^Spend, requests, tokens and errors appear here/).waitFor();
  });

  test('a single point can be seen', async () => {
    await open('group=time&metric=requests&range=7d');
    const line = chart(/^Latency by day/)
      .locator('path[stroke-linecap=round]')
      .first();
    expect(await line.getAttribute('d')).toMatch(/^M[\d.]+ [\d.]+h0\.0001$/);
  });

  const views = () => page.getByRole('dialog', { name: 'Saved views' });

  test('a view is saved, found again, renamed, shared and deleted', async () => {
    await open('group=apikey&metric=tokens&range=90d');
    await page.getByRole('button', { name: 'Views' }).click();
    await views().getByText('No saved views yet.').waitFor();
    await views().getByLabel('Name of a new view').fill('Tokens by key');
    await views().getByRole('button', { name: 'Save what the page shows' }).click();
    await views().getByRole('button', { name: 'Tokens by key', exact: true }).waitFor();
    await views().getByLabel('Name of a new view').fill('Tokens by key');
    await views().getByRole('button', { name: 'Save what the page shows' }).click();
    await views().getByText('a saved view of this user has this name').waitFor();

    await open('modelId=' + tenant.modelId);
    await page.getByRole('button', { name: 'Views' }).click();
    await views().getByRole('button', { name: 'Tokens by key', exact: true }).click();
    await page.waitForURL(/group=apikey/);
    await page.getByRole('heading', { name: /^Tokens by API key/ }).waitFor();
    expect(search().toString()).toBe('range=90d&group=apikey&metric=tokens');

    const act = async (entry: string): Promise<void> => {
      await views()
        .getByRole('button', { name: /^Actions for / })
        .click();
      await page.getByRole('menuitem', { name: entry }).click();
    };
    await page.getByRole('button', { name: 'Views' }).click();
    await act('Rename');
    await views().getByLabel('New name').fill('Keys');
    await views().getByRole('button', { name: 'Save', exact: true }).click();
    await views().getByRole('button', { name: 'Keys', exact: true }).waitFor();
    await act('Share');
    await views().getByText('Shared', { exact: true }).waitFor();
  });

  test('another administrator has the shared view, and not what is private', async () => {
    await tenant.create('usage-views', { name: 'Mine alone', parameters: { group: 'user' } });
    const zora = await visit(browser);
    const account = { email: `zora@${tenant.slug}.example`, password: PASSWORD };
    await signIn(zora, gateway, account, `/${tenant.slug}/usage`);
    await zora.page.getByRole('button', { name: 'Views' }).click();
    const dialog = zora.page.getByRole('dialog', { name: 'Saved views' });
    await dialog.getByRole('button', { name: 'Keys', exact: true }).waitFor();
    expect(await dialog.getByText('Mine alone').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Actions for Keys' }).click();
    await zora.page.getByRole('menuitem', { name: 'Delete' }).click();
    const question = zora.page.getByRole('alertdialog');
    await question.getByText(/removed for every administrator/).waitFor();
    await question.getByRole('button', { name: 'Delete view' }).click();
    await dialog.getByText('No saved views yet.').waitFor();
    expect(zora.complaints()).toEqual([]);
  });

  test('no unexpected browser errors occurred', () => {
    // A name that was taken was refused on purpose.
    const refused = /^409 POST \/api\/organisations\/[^/]+\/usage-views$/;
    expect(visitor.complaints().filter((line) => !refused.test(line))).toEqual([]);
  });
});
