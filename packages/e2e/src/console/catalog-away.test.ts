import type { Browser, Page } from 'playwright-core';

import { eventually, newTenant, startGateway, type Gateway, type Tenant } from '..';
import { browserBinary, openBrowser } from '../gateway/browser';
import { readNavigation, type Entry, type Scope } from './test-support/navigation';
import { signIn, visit, type Visitor } from './test-support/visitor';

// The catalog is killed or frozen while somebody uses the console: every page says so inside its frame, and
// recovers by itself.

const binary = browserBinary();

const AWAY = /The catalog (cannot be reached|does not answer)\./;
/** A user reads it within 5 seconds; the rest is room for a busy machine. */
const SAID_WITHIN_MS = 20_000;
/** Pages that a frozen catalog is tried on at the same time, each in a tab. */
const TABS = 6;

(binary === undefined ? describe.skip : describe)('the console without its catalog', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  let browser: Browser;
  let visitor: Visitor;
  let navigation: Readonly<Record<Scope, readonly Entry[]>>;
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    gateway = await startGateway({ admin: true });
    stops.push(gateway.stop);
    tenant = await newTenant(gateway);
    navigation = await readNavigation();
    browser = await openBrowser(binary ?? '');
    stops.push(() => browser.close());
    visitor = await visit(browser);
    await signIn(visitor, gateway, gateway.superAdmin, homeOf('organisation'));
  });
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  function homeOf(scope: Scope): string {
    return scope === 'organisation'
      ? `/${tenant.slug}/dashboard`
      : `/admin/dashboard?organisation=${tenant.slug}`;
  }

  const entriesOf = (scope: Scope): readonly Entry[] =>
    navigation[scope].filter(({ page }) => page !== 'dashboard');

  /** Follows a link of the navigation, as a click does: within the page, without loading it anew. */
  async function follow(page: Page, { label }: Entry): Promise<void> {
    await page
      .getByRole('navigation')
      .getByRole('link', { name: label, exact: true })
      .first()
      .click();
  }

  async function saysSo(page: Page, { label }: Entry): Promise<number> {
    const beganMs = performance.now();
    await page
      .getByRole('main')
      .getByRole('alert')
      .filter({ hasText: AWAY })
      .first()
      .waitFor({ timeout: SAID_WITHIN_MS });
    // The frame stays, with the way to everywhere else.
    expect(
      await page.getByRole('navigation').getByRole('link', { name: label }).count(),
    ).toBeGreaterThan(0);
    return performance.now() - beganMs;
  }

  async function recovers(page: Page): Promise<void> {
    await page
      .getByRole('heading', { name: 'This page cannot be shown right now' })
      .waitFor({ state: 'hidden' });
    await page.getByRole('alert').filter({ hasText: AWAY }).first().waitFor({ state: 'hidden' });
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page
      .getByRole('status', { name: /^Loading/ })
      .first()
      .waitFor({ state: 'hidden' });
  }

  test.each(['organisation', 'platform'] as const)(
    'killed: every page of the %s says so, and comes back by itself',
    async (scope) => {
      const { page } = visitor;
      await page.goto(`${gateway.adminUrl}${homeOf(scope)}`);
      await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
      await gateway.catalog.process().stop('SIGKILL');
      let slowestMs = 0;
      for (const entry of entriesOf(scope)) {
        await follow(page, entry);
        await page.waitForURL((url) => url.pathname.endsWith(`/${entry.page}`));
        slowestMs = Math.max(slowestMs, await saysSo(page, entry));
      }
      process.stdout.write(`killed, ${scope}: said after at most ${slowestMs.toFixed(0)} ms\n`);
      await gateway.catalog.restart();
      await recovers(page);
    },
  );

  test('frozen: every page of the organisation says so, and comes back by itself', async () => {
    const entries = entriesOf('organisation');
    for (let at = 0; at < entries.length; at += TABS) {
      const tabs = await Promise.all(
        entries.slice(at, at + TABS).map(async (entry) => {
          const page = await visitor.context.newPage();
          await page.goto(`${gateway.adminUrl}${homeOf('organisation')}`);
          await page.getByRole('heading', { name: 'Latest requests' }).waitFor();
          return { entry, page };
        }),
      );
      gateway.catalog.process().signal('SIGSTOP');
      try {
        await Promise.all(tabs.map(({ page, entry }) => follow(page, entry)));
        const took = await Promise.all(tabs.map(({ page, entry }) => saysSo(page, entry)));
        const words = took.map((ms) => ms.toFixed(0)).join(', ');
        process.stdout.write(`frozen: said after ${words} ms\n`);
      } finally {
        gateway.catalog.process().signal('SIGCONT');
      }
      await Promise.all(tabs.map(({ page }) => recovers(page)));
      await Promise.all(tabs.map(({ page }) => page.close()));
    }
  }, 300_000);

  test('killed under a page that is open: it keeps what it shows, says so, and is current again', async () => {
    const { page } = visitor;
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/teams`);
    await page.getByRole('heading', { name: 'Teams', level: 1 }).waitFor();
    await visitor.settled();
    await gateway.catalog.process().stop('SIGKILL');
    await page.getByRole('searchbox').first().fill('a team');
    await page.getByRole('alert').filter({ hasText: AWAY }).first().waitFor();
    await gateway.catalog.restart();
    await recovers(page);
    const alerts = page.getByRole('main').getByRole('alert');
    await eventually('no read has failed', async () => (await alerts.count()) === 0);
  });

  test('a page that is opened anew says so without its frame, and comes back by itself', async () => {
    const { page } = visitor;
    await gateway.catalog.process().stop('SIGKILL');
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/models`);
    await page.getByRole('heading', { name: 'This page cannot be shown right now' }).waitFor();
    await page.getByText('The catalog cannot be reached.').waitFor();
    await gateway.catalog.restart();
    await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
  });
});
