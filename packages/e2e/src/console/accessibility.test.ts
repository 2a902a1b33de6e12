import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';

import {
  chat,
  eventually,
  newMember,
  newTenant,
  recordOf,
  requestIdOf,
  sharedGateway,
  type SharedGateway,
  type Tenant,
} from '..';
import { browserBinary, openBrowser } from '../gateway/browser';
import { complaintsOf, THEMES } from './test-support/axe';

// axe in a real browser on every page, in light and dark, with data on each. No page is wider than
// a phone, which would force horizontal scrolling.

const binary = browserBinary();
const APP = join(__dirname, '../../../../apps/admin/src/app');
const TOKEN = 'x'.repeat(43);

/** Every folder of the app with a page, so that a new page is covered automatically. */
const ROUTES = readdirSync(APP, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.name === 'page.tsx')
  .map(({ parentPath }) => parentPath.slice(APP.length).replaceAll(sep, '/'))
  // These redirect to another page.
  .filter((route) => !['', '/admin', '/[organisation]'].includes(route))
  .toSorted();
const isPublic = (route: string): boolean =>
  !route.startsWith('/admin/') && !route.startsWith('/[organisation]/');

(binary === undefined ? describe.skip : describe)('the console is for everybody', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** The id of an item in the list of this folder. */
  let ids: Readonly<Record<string, string>>;

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway, { organisation: { routingEnabled: true } });
    ids = await somethingOfEverything();
    browser = await openBrowser(binary ?? '');
    // Elements with a transition appear at once.
    context = await browser.newContext({ reducedMotion: 'reduce' });
    await context.addInitScript({ content: axe.source });
    page = await context.newPage();
    page.setDefaultTimeout(90_000);
  });
  afterAll(async () => {
    await browser?.close();
  });

  async function somethingOfEverything(): Promise<Readonly<Record<string, string>>> {
    const { teamId, userId } = await newMember(tenant);
    const scope = { type: 'ORGANISATION', id: tenant.id };
    const { id: policy } = await tenant.create('routing-policies', {
      name: 'fast',
      strategy: 'priority',
      candidates: [{ modelId: tenant.modelId }],
    });
    await tenant.create('model-aliases', {
      name: 'claude-fast',
      targets: [{ modelId: tenant.modelId }],
      retirement: { sunsetAt: '2031-01-01T00:00:00Z', replacementModelId: tenant.modelId },
    });
    const { id: experiment } = await tenant.create('experiments', {
      name: 'trial',
      model: 'claude-fast',
      status: 'PAUSED',
      arms: [{ name: 'control', modelId: tenant.modelId, share: 100 }],
    });
    const key = await tenant.key({ name: 'production' });
    await tenant.create('budgets', { scope, period: 'MONTHLY', limitUsd: '10.00' });
    await tenant.create('budgets', { scope, period: 'DAILY', limitUsd: '0.000001', mode: 'SOFT' });
    await tenant.create('quotas', { scope, metric: 'REQUESTS', period: 'DAILY', limit: 1_000 });
    await tenant.create('rate-limits', { scope, requestsPerMinute: 1_000 });
    const { id: server } = await tenant.create('mcp-servers', {
      name: 'Tickets',
      identifier: 'tickets',
      url: 'https://mcp.example.com/mcp',
    });
    const { id: rules } = await tenant.create('screening-policies', {
      name: 'House rules',
      identifier: 'house',
      rules: [
        { id: 'secrets', kind: 'SECRETS', where: ['INPUT'], action: 'OBSERVE', onError: 'PASS' },
      ],
    });
    await tenant.create('export-destinations', {
      name: 'Warehouse',
      target: { type: 'WEBHOOK', url: 'https://records.example.com/hook' },
      records: ['ADJUSTMENT'],
    });
    const last = new Date();
    last.setUTCDate(0);
    const invoice = await tenant.create('invoices', { month: last.toISOString().slice(0, 7) });
    const asked = await chat(gateway.edgeUrl(), key.key);
    expect(asked.status).toBe(200);
    expect((await chat(gateway.edgeUrl(), key.key, { model: 'unknown' })).status).toBe(404);
    const request = requestIdOf(asked);
    await recordOf(gateway, tenant, request);
    await eventually('the soft budget is listed as passed', async () => {
      const { data } = await gateway.rest.get<{ data: unknown[] }>(
        `${tenant.base}/soft-limit-passes`,
      );
      return data.data.length > 0;
    });
    return {
      apikeys: key.id,
      invoices: invoice.id,
      'mcp-servers': server,
      models: tenant.modelId,
      providers: tenant.providerId,
      experiments: experiment,
      routing: policy,
      screening: rules,
      teams: teamId,
      usage: request,
      users: userId,
    };
  }

  /** The address of a route, with the ids of existing items as its parameters. */
  function addressOf(route: string): string {
    const path = route
      .replace('[organisation]', tenant.slug)
      .replace(/([\w-]+)\/\[id\]/, (_, list) => {
        const id = ids[String(list)];
        if (id === undefined) throw new Error(`${route}: the test has nothing of ${String(list)}`);
        return `${String(list)}/${id}`;
      });
    if (path.includes('[')) throw new Error(`${route}: the test does not know its parameters`);
    const query = path.startsWith('/admin/') ? `?organisation=${tenant.slug}` : '';
    // Links of invitations and password resets have a token in the fragment.
    const hash = isPublic(route) && route !== '/login' ? `#token=${TOKEN}` : '';
    return `${gateway.adminUrl}${path}${query}${hash}`;
  }

  async function look(route: string): Promise<string[]> {
    const answer = await page.goto(addressOf(route));
    expect([route, answer?.status()]).toEqual([route, 200]);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    // All transitions have ended.
    await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
    return complaints(route);
  }

  const complaints = (where: string): Promise<string[]> => complaintsOf(page, where);

  async function signIn(): Promise<void> {
    await page.goto(`${gateway.adminUrl}/login?next=/${tenant.slug}/settings`);
    await page.getByLabel('Email').fill(gateway.superAdmin.email);
    await page.getByLabel('Password').fill(gateway.superAdmin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
  }

  test('every page of the specification is covered', () => {
    const both =
      'dashboard providers models mcp-servers teams users apikeys budgets quotas usage invoices playground settings'.split(
        ' ',
      );
    const pages = [
      '/admin/organisations',
      ...both.flatMap((name) => [`/admin/${name}`, `/[organisation]/${name}`]),
    ];
    expect(ROUTES).toEqual(expect.arrayContaining(pages));
  });

  test('violations are detected, colours in both themes', async () => {
    await page.goto(`${gateway.adminUrl}/login`);
    await page.evaluate(`
      const wide = '<div style="position: absolute; left: 0; width: 400px; height: 1px"></div>';
      document.body.insertAdjacentHTML('beforeend', '<input><p id="pale">Pale</p>' + wide);
      document.getElementById('pale').style.color = 'var(--color-line)';
    `);
    const found = await complaints('here');
    expect(found).toContainEqual(expect.stringMatching(/^here \(light\) label: /));
    expect(found).toContain('here: 10 px wider than a phone');
    for (const theme of THEMES) {
      const pale = `here (${theme}) color-contrast: `;
      expect(found).toContainEqual(expect.stringContaining(pale));
    }
  });

  test.each(ROUTES.filter(isPublic))('%s has no serious violation', async (route) => {
    expect(await look(route)).toEqual([]);
  });

  describe('with a session', () => {
    beforeAll(signIn);

    test.each(ROUTES.filter((route) => !isPublic(route)))(
      '%s has no serious violation',
      async (route) => {
        expect(await look(route)).toEqual([]);
      },
    );

    test('dialogs, menus and the palette have no serious violation', async () => {
      const found: string[] = [];
      await page.goto(`${gateway.adminUrl}/${tenant.slug}/apikeys`);
      await page.getByRole('button', { name: 'Create key' }).first().click();
      await page.getByRole('dialog').getByLabel('Name').waitFor();
      found.push(...(await complaints('the dialog of a new key')));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Actions for production' }).click();
      await page.getByRole('menu').waitFor();
      found.push(...(await complaints('the menu of a key')));
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'hidden' });
      await page.goto(`${gateway.adminUrl}/${tenant.slug}/screening`);
      await page.getByRole('button', { name: 'Create policy' }).first().click();
      await page.getByRole('dialog').getByRole('heading', { name: 'Rule 1' }).waitFor();
      found.push(...(await complaints('the dialog of a new screening policy')));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.getByRole('link', { name: 'Services' }).click();
      await page.getByRole('button', { name: 'Add service' }).first().click();
      await page.getByRole('dialog').getByLabel('Protocol').selectOption('CHAT_JUDGE');
      found.push(...(await complaints('the dialog of a new screening service')));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.keyboard.press('Control+K');
      await page.getByRole('combobox', { name: /^Go to/ }).fill('prod');
      await page.getByRole('option', { name: /^production/ }).waitFor();
      found.push(...(await complaints('the palette')));
      expect(found).toEqual([]);
    });
  });
});
