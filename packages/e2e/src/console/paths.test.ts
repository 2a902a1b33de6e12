import { rest, ROLES, type Role } from '@tollgate/contracts';
import type { APIRequestContext, Browser, Page } from 'playwright-core';

import { startGateway, type Account, type Gateway } from '..';
import { browserBinary, openBrowser } from '../gateway/browser';
import { MANAGED, openHouse, WHO, type House } from './test-support/house';
import type { Row, Shown } from './test-support/house-pages';
import { readNavigation, type Entry, type Scope } from './test-support/navigation';
import { visit, type Visitor } from './test-support/visitor';

// Every page of the navigation, in both scopes and for each role: its status, the data that it
// shows, the data that it hides, and the actions that it offers. The table of permissions
// determines the expected results.

const binary = browserBinary();

const BOTH = `dashboard providers models mcp-servers teams users apikeys budgets quotas usage
  invoices playground settings`.split(/\s+/);
const SPECIFIED: Readonly<Record<Scope, readonly string[]>> = {
  platform: ['organisations', ...BOTH],
  organisation: BOTH,
};
const SCOPES = ['organisation', 'platform'] as const;
const EVERYWHERE = 'all/';
/** Only holders of this permission may open the platform's scope. */
const PLATFORM = 'platform.organisations.read';
/** Both are in one team, so that they have the team's models too. */
const MODELS_OF_UMA = ['birch', 'cedar'] as const;

(binary === undefined ? describe.skip : describe)('the console’s pages', () => {
  let gateway: Gateway;
  let house: House;
  let browser: Browser;
  let navigation: Readonly<Record<Scope, readonly Entry[]>>;
  const visitors = new Map<Role, Visitor>();
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    gateway = await startGateway({ admin: true });
    stops.push(gateway.stop);
    navigation = await readNavigation();
    house = await openHouse(gateway);
    browser = await openBrowser(binary ?? '');
    stops.push(() => browser.close());
    for (const role of ROLES) {
      const visitor = await visit(browser);
      await enter(visitor.context.request, house.accounts[role]);
      visitors.set(role, visitor);
    }
  });
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  /** A session without its page. */
  async function enter(request: APIRequestContext, data: Account): Promise<void> {
    const headers = { origin: gateway.adminUrl };
    const answer = await request.post(`${gateway.adminUrl}/api/auth/login`, { data, headers });
    expect(answer.status()).toBe(204);
  }

  function visitorOf(role: Role): Visitor {
    const visitor = visitors.get(role);
    if (visitor === undefined) throw new Error(`nobody is signed in as ${role}`);
    return visitor;
  }

  function addressOf(scope: Scope, page: string, slug = house.tenant.slug): string {
    const { adminUrl } = gateway;
    if (scope === 'organisation') return `${adminUrl}/${slug}/${page}`;
    return `${adminUrl}/admin/${page}?organisation=${slug}`;
  }

  /** The texts that this role must not see. */
  function secretsOf(role: Role): string[] {
    const rows = Object.values(house.pages).flatMap((shown) =>
      shown.rows.map((row) => ({ row, seen: sees(role, shown, row) })),
    );
    const known = new Set(rows.filter(({ seen }) => seen).map(({ row }) => row.name));
    return rows
      .filter(({ row, seen }) => !seen && row.common !== true && !known.has(row.name))
      .flatMap(({ row: { name, raw } }) => (raw === undefined ? [name] : [name, raw]));
  }

  /** A page that answers shows exactly the rows that the role may see. */
  async function showsItsRows(role: Role, page: Page, shown: Shown): Promise<void> {
    for (const row of shown.rows) {
      const found = page.getByRole('row').filter({ hasText: row.name });
      if (sees(role, shown, row)) await found.first().waitFor();
      else expect([row.name, await found.count()]).toEqual([row.name, 0]);
    }
    if (shown.make === undefined) return;
    const { button, action } = shown.make;
    const offered = await page.getByRole('button', { name: button, exact: true }).count();
    expect([button, offered > 0]).toEqual([button, rest.can(role, action)]);
  }

  /** Pages whose data is not in a table. */
  const PROOFS: Readonly<Record<string, (role: Role, page: Page) => Promise<void>>> = {
    settings: async (role, page) => {
      const name = page.getByRole('textbox', { name: 'Name', exact: true });
      expect(await name.inputValue()).toBe('Harbour Company');
      expect(await name.isEnabled()).toBe(rest.can(role, 'organisation.update'));
    },
    playground: async (role, page) => {
      const choice = page.getByRole('button', { name: 'Model', exact: true });
      // A role that reaches only itself is offered the models of its own keys.
      const own = rest.reachOf(role, 'playground.use') === 'self';
      expect(await choice.textContent()).toBe(own ? MODELS_OF_UMA[0] : 'alder');
      await choice.click();
      const offered = page.getByRole('dialog', { name: 'Models' }).getByRole('option');
      await offered.filter({ hasText: MODELS_OF_UMA[0] }).waitFor();
      // The price follows the name.
      const names = (await offered.allTextContents()).map((text) => /^[a-z]+/.exec(text)?.[0]);
      expect(names).toEqual(own ? MODELS_OF_UMA : expect.arrayContaining(['alder', 'dogwood']));
    },
  };

  async function looksRight(role: Role, scope: Scope, entry: Entry): Promise<void> {
    const visitor = visitorOf(role);
    const { page } = visitor;
    const shown =
      scope === 'platform' && entry.page === 'dashboard'
        ? house.pages[`${EVERYWHERE}dashboard`]
        : house.pages[entry.page];
    const action = shown?.action ?? entry.action;
    expect(await visitor.open(addressOf(scope, entry.page))).toBe(200);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const refused = page.getByRole('alert').filter({ hasText: 'forbidden' });
    if (action !== undefined && !rest.can(role, action)) {
      await refused.first().waitFor();
      await visitor.settled();
      expect(await page.getByRole('row').count()).toBe(0);
      const complaints = visitor.complaints();
      expect(complaints).not.toEqual([]);
      for (const line of complaints) expect(line).toMatch(/^403 GET \/api\//);
    } else {
      if (shown !== undefined) await showsItsRows(role, page, shown);
      await PROOFS[entry.page]?.(role, page);
      await visitor.settled();
      expect(visitor.complaints()).toEqual([]);
    }
    const html = await page.content();
    expect(secretsOf(role).filter((name) => html.includes(name))).toEqual([]);
  }

  test('every page of the specification is in the navigation, and shows data here', () => {
    for (const scope of SCOPES) {
      const pages = navigation[scope].map(({ page }) => page);
      expect(pages).toEqual(expect.arrayContaining([...SPECIFIED[scope], 'audit']));
      for (const page of SPECIFIED[scope]) {
        expect([page, page in house.pages || page in PROOFS]).toEqual([page, true]);
      }
    }
  });

  test('without a session every page redirects to the sign-in, which leads back', async () => {
    const { context } = await visit(browser);
    for (const scope of SCOPES) {
      for (const { page } of navigation[scope]) {
        const address = addressOf(scope, page);
        const answer = await context.request.get(address, { maxRedirects: 0 });
        const { location } = answer.headers();
        const next = new URL(location ?? '', gateway.adminUrl).searchParams.get('next');
        const asked = address.slice(gateway.adminUrl.length);
        expect([page, answer.status(), next]).toEqual([page, 307, asked]);
        expect(await answer.text()).not.toContain('Harbour Company');
      }
    }
    await context.close();
  });

  test('pages that need no session answer', async () => {
    const visitor = await visit(browser);
    for (const page of ['login', 'forgot-password', 'accept-invitation', 'reset-password']) {
      expect([page, await visitor.open(`${gateway.adminUrl}/${page}`)]).toEqual([page, 200]);
      await visitor.page.getByRole('heading', { level: 1 }).waitFor();
      expect([page, visitor.complaints()]).toEqual([page, []]);
    }
    await visitor.context.close();
  });

  test('idle connections are kept for longer than a load balancer does', async () => {
    const answer = await fetch(`${gateway.adminUrl}/login`);
    expect(answer.headers.get('keep-alive')).toBe('timeout=75');
    await answer.text();
  });

  const below = ROLES.filter((role) => !rest.can(role, PLATFORM));

  test.each(below)(
    '%s finds no page of the platform, and none of another organisation',
    async (role) => {
      const { request } = visitorOf(role).context;
      const addresses = SCOPES.flatMap((scope) =>
        navigation[scope].map(({ page }) => addressOf(scope, page, house.elsewhere.slug)),
      );
      for (const address of addresses) {
        const answer = await request.get(address);
        const html = await answer.text();
        expect([address, answer.status()]).toEqual([address, 404]);
        expect(html).toContain('Page not found');
        expect(html).not.toMatch(/Elsewhere/);
      }
    },
  );

  /** The navigation leads a role to the pages on which it may act. */
  async function leads(role: Role, scope: Scope): Promise<void> {
    const { page } = visitorOf(role);
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    const expected = navigation[scope].filter(
      ({ action }) => action === undefined || rest.can(role, action),
    );
    expect(await links.allTextContents()).toEqual(expected.map(({ label }) => label));
  }

  const cells = ROLES.flatMap((role) =>
    SCOPES.filter((scope) => scope === 'organisation' || rest.can(role, PLATFORM)).map(
      (scope): [Role, Scope] => [role, scope],
    ),
  );

  test.each(cells)(
    '%s is led to the pages of the %s that the role may see, and sees there what it reaches',
    async (role, scope) => {
      for (const entry of navigation[scope]) {
        try {
          await looksRight(role, scope, entry);
          if (entry.page === 'dashboard') await leads(role, scope);
        } catch (error) {
          throw new Error(`${entry.page}: ${String(error)}`, { cause: error });
        }
      }
    },
  );

  test('the platform’s pages show all organisations together', async () => {
    const { page, open, complaints } = visitorOf('SUPER_ADMIN');
    for (const [name, shown] of Object.entries(house.pages)) {
      if (!name.startsWith(EVERYWHERE)) continue;
      expect(await open(`${gateway.adminUrl}/admin/${name.slice(EVERYWHERE.length)}`)).toBe(200);
      await showsItsRows('SUPER_ADMIN', page, shown);
      expect([name, complaints()]).toEqual([name, []]);
    }
  });
});

/** The reach of the action and the owner of a row determine whether the row is visible. */
function sees(role: Role, { action }: Shown, row: Row): boolean {
  const reach = rest.reachOf(role, action);
  if (reach === undefined || row.elsewhere === true) return false;
  if (rest.reachesOrganisation(reach)) return true;
  const own = role !== 'SUPER_ADMIN' && row.people?.includes(WHO[role]) === true;
  return own || (reach === 'teams' && row.teams?.some((team) => MANAGED.includes(team)) === true);
}
