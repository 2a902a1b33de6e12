import type { Browser, Page } from 'playwright-core';

import { expectStatus, newTenant, sharedGateway, type SharedGateway, type Tenant } from '..';
import { browserBinary, openBrowser } from '../gateway/browser';
import { signIn, visit, type Visitor } from './test-support/visitor';

// The console without a pointer: where the focus is after a dialog, pickers, actions of the palette, and the list of
// shortcuts.

const binary = browserBinary();

(binary === undefined ? describe.skip : describe)('the console with the keyboard alone', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway);
    for (const name of ['Almonds', 'Beeches', 'Cedars']) await tenant.create('teams', { name });
    await tenant.key({ name: 'orchard' });
    await tenant.create('export-destinations', {
      name: 'Silo',
      target: { type: 'WEBHOOK', url: 'https://records.example.com/hook' },
      records: ['ADJUSTMENT'],
    });
    browser = await openBrowser(binary ?? '');
    visitor = await visit(browser);
    ({ page } = visitor);
    await signIn(visitor, gateway, gateway.superAdmin, `/${tenant.slug}/teams`);
    await open('teams');
  });
  afterAll(async () => {
    await browser?.close();
  });

  /** Waits until the page is interactive, because an earlier press of a button is lost. */
  async function open(path: string): Promise<void> {
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/${path}`, { waitUntil: 'networkidle' });
  }
  const dialog = () => page.getByRole('dialog');
  const field = () => dialog().getByRole('combobox');
  const focused = (role: 'button' | 'heading', name: string) =>
    page.getByRole(role, { name, exact: true }).and(page.locator(':focus'));

  async function palette(text: string): Promise<void> {
    await page.keyboard.press('Control+K');
    await field().waitFor();
    await page.keyboard.type(text);
  }

  async function ofRow(team: string, entry: string): Promise<void> {
    await page.getByRole('button', { name: `Actions for ${team}`, exact: true }).press('Enter');
    await page.getByRole('menuitem', { name: entry }).press('Enter');
  }

  test('a dialog that a row’s menu opened returns the focus to the menu’s button', async () => {
    await ofRow('Beeches', 'Edit');
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await focused('button', 'Actions for Beeches').waitFor();
  });

  test('a dialog that a button opened returns the focus to the button', async () => {
    await page.getByRole('button', { name: 'Create team' }).press('Enter');
    await dialog().getByLabel('Name').waitFor();
    await page.keyboard.press('Escape');
    await focused('button', 'Create team').waitFor();
  });

  test('after a row is deleted the focus is at the next row, and after the last one at the heading', async () => {
    const remove = async (team: string): Promise<void> => {
      await ofRow(team, 'Delete');
      const question = page.getByRole('alertdialog');
      await question.getByRole('textbox').fill(team);
      await page.keyboard.press('Enter');
      await page.getByRole('rowheader', { name: team }).waitFor({ state: 'detached' });
    };
    await remove('Beeches');
    await focused('button', 'Actions for Cedars').waitFor();
    await remove('Cedars');
    await focused('button', 'Actions for Almonds').waitFor();
    await remove('Almonds');
    await focused('heading', 'Teams').waitFor();
  });

  test('the navigation shows where the page is, also in a low window', async () => {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 1280, height: 480 });
    await open('audit');
    const seen = await page.getByRole('link', { name: 'Audit', exact: true }).evaluate((link) => {
      const { bottom, top } = link.getBoundingClientRect();
      const list = link.closest('nav')?.getBoundingClientRect();
      return list !== undefined && list.top <= top && bottom <= list.bottom;
    });
    expect(seen).toBe(true);
    if (size) await page.setViewportSize(size);
  });

  test('a picker is a combobox: it filters, selects with the arrows, and announces', async () => {
    await tenant.model('larch', 'sim');
    await tenant.model('larkspur', 'sim');
    await open('apikeys');
    await page.getByRole('button', { name: 'Create key' }).press('Enter');
    const models = dialog().getByRole('combobox', { name: 'Search models' });
    const option = (name: RegExp) =>
      dialog().getByRole('listbox', { name: 'Search models' }).getByRole('option', { name });
    const active = async (): Promise<string | null> =>
      page
        .locator(`[id="${(await models.getAttribute('aria-activedescendant')) ?? ''}"]`)
        .textContent();
    await models.focus();
    await page.keyboard.type('lar');
    await option(/^chat/).waitFor({ state: 'detached' });
    await dialog().getByRole('status').filter({ hasText: '2 results.' }).waitFor();
    await page.keyboard.press('End');
    expect(await active()).toMatch(/^larkspur/);
    await page.keyboard.press('ArrowDown');
    expect(await active()).toMatch(/^larch/);
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await dialog().getByRole('status').filter({ hasText: '2 results. 2 chosen.' }).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    expect(await option(/^larch/).getAttribute('aria-selected')).toBe('false');
    expect(await option(/^larkspur/).getAttribute('aria-selected')).toBe('true');

    await page.keyboard.press('Escape');
    expect(await models.inputValue()).toBe('');
    await option(/^chat/).waitFor();
    await page.keyboard.press('Tab');
    expect(await models.and(page.locator(':focus')).count()).toBe(0);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    await focused('button', 'Create key').waitFor();
  });

  test('Escape in a popover clears the search first, then closes the popover only', async () => {
    await page.goto(`${gateway.adminUrl}/admin/teams?organisation=${tenant.slug}`, {
      waitUntil: 'networkidle',
    });
    const trigger = page.getByRole('button', { name: /^Organisation: .*\. Choose another$/ });
    await trigger.press('Enter');
    const search = page.getByRole('combobox', { name: 'Search organisations' });
    await search.fill('zz');
    await page.keyboard.press('Escape');
    expect(await search.inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'detached' });
    await trigger.and(page.locator(':focus')).waitFor();
  });

  test('Escape in a form within a window closes the form, not the window', async () => {
    await tenant.create('usage-views', { name: 'Mornings', parameters: { metric: 'errors' } });
    await open('usage');
    await page.getByRole('button', { name: 'Views' }).press('Enter');
    const menu = () => dialog().getByRole('button', { name: 'Actions for Mornings' });
    await menu().press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).press('Enter');
    const name = dialog().getByLabel('New name');
    await name.fill('Evenings');
    await page.keyboard.press('Escape');
    await name.waitFor({ state: 'detached' });
    await menu().and(page.locator(':focus')).waitFor();
  });

  test('a failed change of a saved view is an alert with the request id', async () => {
    const { id } = await tenant.create('usage-views', {
      name: 'Nights',
      parameters: { metric: 'errors' },
    });
    await open('usage');
    await page.getByRole('button', { name: 'Views' }).press('Enter');
    const actions = dialog().getByRole('button', { name: 'Actions for Nights' });
    await actions.waitFor();
    expectStatus(await gateway.rest.delete(`${tenant.base}/usage-views/${id}`), 204);
    await actions.press('Enter');
    await page.getByRole('menuitem', { name: 'Share' }).press('Enter');
    await dialog()
      .getByRole('alert')
      .filter({ hasText: /not_found · [0-9a-f-]{36}/ })
      .waitFor();
    await page.keyboard.press('Escape');
  });

  test('an action that an address asks for and nobody offers is an alert that stays', async () => {
    const { id } = await tenant.key({ name: 'quince' });
    await open(`apikeys?do=pause&on=${id}`);
    const alert = page.getByRole('alert').filter({ hasText: '“Pause” is not available for it.' });
    await alert.waitFor();
    await alert.getByRole('button', { name: 'Close' }).press('Enter');
    await alert.waitFor({ state: 'detached' });
  });

  test('keys with Alt, Ctrl or Meta are left to the browser', async () => {
    await open('apikeys');
    await page.evaluate(`window.taken = [];
      addEventListener('keydown', (e) => {
        if (e.key.startsWith('Arrow')) window.taken.push(e.defaultPrevented);
      });`);
    const taken = (): Promise<boolean[]> => page.evaluate<boolean[]>('window.taken.splice(0)');
    await palette('');
    for (const modifier of ['Alt', 'Control', 'Meta']) {
      await page.keyboard.press(`${modifier}+ArrowDown`);
    }
    expect(await taken()).toEqual([false, false, false]);
    await page.keyboard.press('ArrowDown');
    expect(await taken()).toEqual([true]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create key' }).press('Enter');
    await dialog().getByRole('combobox', { name: 'Search models' }).press('Alt+ArrowDown');
    expect(await taken()).toEqual([false]);
    await page.keyboard.press('Escape');
  });

  test('the palette creates: “New budget” opens the form, which opens once', async () => {
    await open('settings');
    await palette('new bud');
    await page.keyboard.press('Enter');
    await dialog().getByLabel('Limit in US dollars').waitFor();
    await page.waitForURL(`**/${tenant.slug}/budgets`);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    await page.reload({ waitUntil: 'networkidle' });
    expect(await dialog().count()).toBe(0);
  });

  test('the palette pauses a destination, which it asks for, and the question stays', async () => {
    await palette('pause an export');
    await page.keyboard.press('Enter');
    await dialog().getByRole('combobox', { name: 'Pause which export destination?' }).waitFor();
    await page.getByRole('option', { name: 'Silo', selected: true }).waitFor();
    await page.keyboard.press('Escape');
    await dialog()
      .getByRole('combobox', { name: /^Go to/ })
      .waitFor();
    await page.keyboard.type('pause an export');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Silo', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog', { name: 'Pause Silo?' });
    await question.getByRole('button', { name: 'Pause' }).press('Enter');
    await page.getByRole('row', { name: /Silo .*Paused/ }).waitFor();
    const { data } = expectStatus(await gateway.rest.get(`${tenant.base}/export-destinations`), 200)
      .data as { data: { status: string }[] };
    expect(data.map(({ status }) => status)).toEqual(['PAUSED']);
  });

  test('an address starts no action that does not ask first', async () => {
    await open('exports?do=resume');
    await open('exports?do=delete');
    expect(await page.getByRole('alertdialog').count()).toBe(0);
  });

  test('objects that were opened last are offered first, until the sign-out', async () => {
    await open('apikeys');
    await page.getByRole('link', { name: 'orchard' }).press('Enter');
    await page.getByRole('heading', { name: 'orchard' }).waitFor();
    await open('settings');
    await palette('');
    const recent = page.getByRole('group', { name: 'Recent' }).getByRole('option');
    expect(await recent.allTextContents()).toEqual(['orchardAPI key']);
    expect(await recent.first().getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'orchard' }).waitFor();
  });

  test('the palette switches to an organisation, and the theme', async () => {
    const other = await newTenant(gateway, { organisation: { name: 'Greenhouse Company' } });
    await palette('switch to org');
    await page.keyboard.press('Enter');
    await dialog().getByRole('combobox', { name: 'Switch to which organisation?' }).waitFor();
    await page.keyboard.type(other.slug);
    await page.getByRole('option', { name: /^Greenhouse Company/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/${other.slug}/dashboard`);
    await palette('toggle theme');
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme=dark]').waitFor();
    await palette('toggle theme');
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme=light]').waitFor();
  });

  test('? shows the shortcuts, except in a text field or when it is turned off', async () => {
    await open('apikeys');
    await page.getByRole('searchbox').first().press('?');
    expect(await dialog().count()).toBe(0);
    await open('apikeys');
    await page.keyboard.press('?');
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await shortcuts.getByText('Go to a page or an object, or start an action').waitFor();
    await shortcuts.getByRole('switch', { name: 'Open this list with the ? key' }).press('Space');
    await page.keyboard.press('Escape');
    await shortcuts.waitFor({ state: 'hidden' });
    await page.keyboard.press('?');
    expect(await shortcuts.count()).toBe(0);
    await palette('shortcuts');
    await page.keyboard.press('Enter');
    await shortcuts.getByRole('switch').press('Space');
    await page.keyboard.press('Escape');
  });

  test('the first Tab of a page skips to its content, and the focus is visible', async () => {
    await open('apikeys');
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    await skip.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const within = 'document.querySelector("main").contains(document.activeElement)';
    expect(await page.evaluate<boolean>(within)).toBe(true);
    const outline = 'getComputedStyle(document.activeElement).outlineStyle';
    expect(await page.evaluate<string>(outline)).not.toBe('none');
  });

  test('the palette signs out, and what was opened is forgotten', async () => {
    await palette('sign out');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/login');
    const kept = await page.evaluate<string[]>('Object.keys(localStorage)');
    expect(kept.filter((name) => name.startsWith('tollgate.recent.'))).toEqual([]);
  });
});
