import { formatUsd } from '@tollgate/contracts';
import type { Browser } from 'playwright-core';

import { eventually, startGateway, zoneAtNoon, type Gateway } from '..';
import { browserBinary, openBrowser } from '../gateway/browser';
import {
  ask,
  button,
  createDoings,
  emailOf,
  finish,
  foreignOf,
  rowOf,
  type Doings,
  type Foreign,
} from './test-support/doings';
import { startMailbox, type Mailbox } from './test-support/mailbox';
import { signIn, visit, type Visitor } from './test-support/visitor';

// Each role's use of the console, in a real browser and from an empty gateway on: the super admin,
// who creates an organisation; its administrator, who sets it up until a budget refuses requests; a
// manager and a user, who see only their own part of it.

const binary = browserBinary();
const LUMEN = { name: 'Lumen Works', slug: 'lumen-works' };
const NEW_PASSWORD = 'a battery of staple horses';

(binary === undefined ? describe.skip : describe)('the journeys of the roles', () => {
  let gateway: Gateway;
  let mailbox: Mailbox;
  let browser: Browser;
  let root: Visitor;
  let admin: Visitor;
  let manager: Visitor;
  let user: Visitor;
  /** The administrator's key, which is shown only once. */
  let key = '';
  /** The cost of the application's requests with that key. */
  let spentUsd = '';
  /** The pages that only the administrator sees, below the organisation's address. */
  let foreign: Foreign;
  let invite: Doings['invite'];
  let accept: Doings['accept'];
  let makeKey: Doings['makeKey'];
  let denied: Doings['denied'];
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    mailbox = await startMailbox();
    stops.push(mailbox.stop);
    gateway = await startGateway({
      admin: true,
      env: {
        catalog: { SMTP_URL: mailbox.url, MAIL_FROM: 'Tollgate <tollgate@example.com>' },
      },
    });
    stops.push(gateway.stop);
    browser = await openBrowser(binary ?? '');
    stops.push(() => browser.close());
    ({ invite, accept, makeKey, denied } = createDoings(gateway, mailbox, LUMEN, SECRETS));
    [root, admin, manager, user] = await Promise.all([
      visit(browser),
      visit(browser),
      visit(browser),
      visit(browser),
    ]);
  });
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });
  afterEach(() => {
    // A test that causes an error on purpose checks it itself.
    for (const visitor of [root, admin, manager, user]) expect(visitor.complaints()).toEqual([]);
  });

  /** A step of a journey: later steps depend on it, and fail with it. */
  let failed: string | undefined;
  function step(name: string, walk: () => Promise<void>): void {
    test(name, async () => {
      if (failed !== undefined) throw new Error(`the journey ended at: ${failed}`);
      failed = name;
      await walk();
      failed = undefined;
    });
  }

  const at = (path: string): string => `${gateway.adminUrl}/${LUMEN.slug}/${path}`;

  step('the super admin creates an organisation and invites its administrator', async () => {
    const { page } = root;
    await signIn(root, gateway, gateway.superAdmin, '/admin/organisations');
    await button(root, 'Create organisation').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(LUMEN.name);
    // In this zone no month ends during the test.
    await dialog.getByLabel('Time zone').fill(zoneAtNoon());
    await finish(root, 'Create organisation');
    await page.getByRole('link', { name: LUMEN.name }).click();
    await page.waitForURL(at('dashboard'));
    await invite(root, 'ada', 'Org admin');
  });

  step(
    'an invited administrator joins with the link in the mail, and sets a password',
    async () => {
      await accept(admin, 'ada', 'Ada Lumen');
      await admin.page.getByRole('heading', { name: 'Dashboard' }).waitFor();
      await admin.page.getByRole('navigation', { name: 'Main' }).getByText('Providers').click();
      await admin.page.waitForURL(at('providers'));
      await admin.page.getByText('No providers yet').waitFor();
    },
  );

  step('the administrator adds a provider, imports two models and prices one', async () => {
    const { page } = admin;
    await button(admin, 'Add provider').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Lighthouse');
    await dialog.getByLabel('API key').fill('sk-of-lumen-works');
    await dialog.getByLabel('Base URL').fill(`${gateway.simulatorUrl}/v1`);
    await dialog.getByRole('button', { name: 'Test connection' }).click();
    await dialog.getByText('Connection works').waitFor();
    await finish(admin, 'Add provider');
    await page.getByRole('heading', { name: 'Lighthouse' }).waitFor();

    await button(admin, 'Import models').first().click();
    for (const model of [/^sim(?!-)/, /^sim-mini/]) {
      await dialog.getByRole('checkbox', { name: model }).check();
    }
    await dialog.getByRole('button', { name: 'Import 2 models' }).click();
    await dialog.getByText('2 created').waitFor();
    await finish(admin, 'Done');

    await admin.open(at('models'));
    await rowOf(page, /sim-mini .*unpriced/i).waitFor();
    await page.getByRole('link', { name: 'sim', exact: true }).click();
    await page.getByRole('heading', { name: 'sim', exact: true }).waitFor();
    await button(admin, 'Set a price').click();
    // A thousand dollars per million tokens, so that few requests exhaust a budget of some cents.
    await dialog.getByLabel('Input', { exact: true }).fill('1000');
    await dialog.getByLabel('Output', { exact: true }).fill('1000');
    await finish(admin, 'Set price');
    await rowOf(page, /Current.*\$1,000\.00 in/).waitFor();
  });

  step('creates a team, a key of the team, and a budget for the key', async () => {
    const { page } = admin;
    const dialog = page.getByRole('dialog');
    for (const team of ['Beacons', 'Lanterns']) {
      await admin.open(at('teams'));
      await button(admin, 'Create team').first().click();
      await dialog.getByLabel('Name').fill(team);
      await finish(admin, 'Create team');
      await page.getByRole('rowheader', { name: team }).waitFor();
    }
    key = await makeKey(admin, 'beacon key', async () => {
      await dialog.getByRole('radio', { name: /^Team/ }).click();
      await dialog.getByRole('option', { name: 'Beacons' }).click();
      await dialog.getByRole('option', { name: /^sim(?!-)/ }).click();
    });
    await admin.open(at('budgets'));
    await button(admin, 'Create budget').first().click();
    await dialog.getByLabel('Applies to').selectOption({ label: 'An API key' });
    await dialog.getByRole('option', { name: /^beacon key/ }).click();
    await dialog.getByLabel('Limit in US dollars').fill('0.25');
    await finish(admin, 'Create budget');
    await rowOf(page, /beacon key/)
      .getByText('$0.00 of $0.25')
      .waitFor();
  });

  step('tries the model in the playground, and sees what it cost', async () => {
    const { page } = admin;
    await admin.open(at('playground'));
    await page.getByLabel('Model', { exact: true }).filter({ hasText: 'sim' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello from Ada');
    await button(admin, 'Send').click();
    const turn = page.getByRole('article').first();
    await turn.getByText('You said: Hello from Ada').waitFor();
    await turn.getByText(/^\$0\.\d+/).waitFor();
  });

  step(
    'an application spends the budget; the key’s page names the limit that refuses it',
    async () => {
      const { page } = admin;
      await admin.open(at('apikeys'));
      await page.getByRole('link', { name: 'beacon key' }).click();
      await page.getByText('No requests were refused recently.').waitFor();
      const limits = page.getByRole('table', { name: 'Limits that apply to the key' });
      const budget = limits.getByRole('row', { name: /^Monthly budget of \$0\.25/ });
      await budget.getByText('$0.25', { exact: true }).waitFor();

      let code: string | undefined;
      let tokens = 0;
      let asked = 0;
      // Each costs a cent or two, and needs eleven cents of room.
      await eventually('it is refused', async () => {
        const answer = await ask(gateway, key);
        asked += 1;
        tokens += answer.tokens;
        ({ code } = answer);
        return code !== undefined;
      });
      expect(code).toBe('budget_exceeded');
      expect(asked).toBeGreaterThan(3);
      spentUsd = formatUsd(BigInt(tokens) * NANO_USD_A_TOKEN);

      // The open page updates by itself.
      const refusals = page.getByRole('table', { name: 'Last refusals of the key' });
      const refusal = refusals.getByRole('row', { name: /^budget_exceeded .*model sim/ });
      await refusal.getByRole('link', { name: /^Monthly budget of \$0\.25/ }).waitFor();
      const left = formatUsd(BUDGET_NANO_USD - BigInt(tokens) * NANO_USD_A_TOKEN);
      await budget.getByText(`$${left}`, { exact: true }).waitFor();
    },
  );

  step('usage shows what the application spent, once it is booked', async () => {
    const { page } = admin;
    const row = page.getByRole('table', { name: 'Usage by api key' }).getByRole('row', {
      name: new RegExp(`^beacon key \\$${spentUsd.replace('.', '\\.')}`),
    });
    await eventually('all of it is booked', async () => {
      await admin.open(at('usage?group=apikey'));
      await page.getByRole('table', { name: 'Usage by api key' }).waitFor();
      return (await row.count()) > 0;
    });
    await admin.open(at('budgets'));
    await rowOf(page, /beacon key/)
      .getByText(`$${spentUsd} of $0.25`)
      .waitFor();
  });

  step('the super admin drafts and issues invoices, which the administrator reads', async () => {
    const { page } = root;
    const draft = async (month: number): Promise<string> => {
      await root.open(at('invoices'));
      await button(root, 'Draft an invoice').first().click();
      await page.getByRole('dialog').getByLabel('Month').selectOption({ index: month });
      await finish(root, 'Draft');
      await page.waitForURL(/\/invoices\/[\w-]{36}$/);
      await page.getByText(`Invoice of ${LUMEN.name}`).waitFor();
      await page.getByText(/^draft$/i).waitFor();
      return (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
    };
    // The current month has this spend, and its invoice can be issued after its end.
    const present = await draft(0);
    await rowOf(page, /sim, key beacon key/)
      .getByText(`$${spentUsd}`)
      .waitFor();
    const before = await draft(1);
    await button(root, 'Issue').click();
    await page.getByRole('textbox', { name: /to confirm/ }).fill(before);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Issue' }).click();
    await page.getByRole('heading', { name: `${before} · 000001` }).waitFor();

    await admin.open(at('invoices'));
    await rowOf(admin.page, new RegExp(`^${before} .*issued`, 'i')).waitFor();
    await rowOf(admin.page, new RegExp(`^${present} .*draft`, 'i')).waitFor();
    expect(await button(admin, 'Draft an invoice').count()).toBe(0);
    await admin.page.getByRole('link', { name: present }).click();
    await rowOf(admin.page, /sim, key beacon key/)
      .getByText(`$${spentUsd}`)
      .waitFor();
    await admin.page.getByRole('link', { name: 'PDF' }).waitFor();
    expect(await button(admin, 'Issue').count()).toBe(0);
  });

  step('the administrator has items of their own, and invites a manager and a user', async () => {
    const dialog = admin.page.getByRole('dialog');
    const lantern = await makeKey(admin, 'lantern key', async () => {
      await dialog.getByRole('radio', { name: /^Team/ }).click();
      await dialog.getByRole('option', { name: 'Lanterns' }).click();
      await dialog.getByRole('option', { name: /^sim(?!-)/ }).click();
    });
    await eventually('it is let in', async () => (await ask(gateway, lantern)).code === undefined);
    foreign = await eventually('its request is booked', () => foreignOf(gateway, LUMEN.slug));
    await invite(admin, 'mira', 'Manager', 'Beacons');
    await invite(admin, 'uma', 'User', 'Beacons');
    await accept(manager, 'mira', 'Mira Lumen');
    await accept(user, 'uma', 'Uma Lumen');
  });

  step('a manager sees their own team, its keys, its limits and its usage', async () => {
    const { page } = manager;
    await manager.open(at('teams'));
    await page.getByRole('rowheader', { name: 'Beacons' }).waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(1);
    expect(await button(manager, 'Create team').count()).toBe(0);
    await manager.open(at('apikeys'));
    await page.getByRole('rowheader', { name: 'beacon key' }).waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(1);
    await manager.open(at('usage?group=apikey'));
    const used = page.getByRole('table', { name: 'Usage by api key' }).getByRole('rowheader');
    await used.first().waitFor();
    expect(await used.allTextContents()).toEqual(['beacon key']);
    await manager.open(at('usage?tab=requests'));
    await page.getByRole('table', { name: 'Requests' }).getByRole('rowheader').first().waitFor();
    await manager.settled();
    expect(await page.content()).not.toContain(foreign.usage);
  });

  step('and gives it a member, a key and a budget', async () => {
    const { page } = manager;
    const dialog = page.getByRole('dialog');
    await manager.open(at('teams'));
    await page.getByRole('link', { name: 'Beacons' }).click();
    await button(manager, 'Add member').first().click();
    await dialog.getByRole('option', { name: /^Ada Lumen/ }).click();
    await finish(manager, 'Add member');
    await page.getByRole('rowheader', { name: /^Ada Lumen/ }).waitFor();

    const made = await makeKey(manager, 'night key', async () => {
      await dialog.getByRole('option', { name: 'Beacons' }).click();
      expect(await dialog.getByRole('option', { name: 'Lanterns' }).count()).toBe(0);
      await dialog.getByRole('option', { name: /^sim(?!-)/ }).click();
    });
    await eventually('it is let in', async () => (await ask(gateway, made)).code === undefined);

    await manager.open(at('budgets'));
    await button(manager, 'Create budget').first().click();
    await dialog.getByRole('option', { name: 'Beacons' }).click();
    await dialog.getByLabel('Limit in US dollars').fill('40');
    await finish(manager, 'Create budget');
    await rowOf(page, /Beacons/)
      .getByText(/of \$40\.00/)
      .waitFor();
    await rowOf(page, /beacon key/).waitFor();
  });

  step('other teams’ items do not exist for a manager, at any typed address', async () => {
    await denied(manager, `teams/${foreign.teams}`, 'not_found');
    await denied(manager, `apikeys/${foreign.apikeys}`, 'not_found');
    await denied(manager, `usage/${foreign.usage}`, 'There is no record of this request');
    for (const page of ['providers', 'invoices', 'audit']) await denied(manager, page, 'forbidden');
    expect(await manager.open(`${gateway.adminUrl}/admin/teams`)).toBe(404);
    await manager.page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(manager.complaints()).toEqual(['404 GET /admin/teams']);
  });

  step('a user creates a key, uses it, and sees only that', async () => {
    const { page } = user;
    await user.open(at('apikeys'));
    await page.getByText('No API keys yet').waitFor();
    const own = await makeKey(user, 'key of Uma', async () => {
      const dialog = page.getByRole('dialog');
      expect(await dialog.getByRole('radio').count()).toBe(0);
      // Only the team's models can be granted.
      await dialog.getByRole('option', { name: /^sim(?!-)/ }).click();
      const models = dialog.getByRole('listbox', { name: 'Search models' });
      expect(await models.getByRole('option').count()).toBe(1);
    });
    await eventually('it is let in', async () => (await ask(gateway, own)).code === undefined);
    await page.getByRole('rowheader', { name: 'key of Uma' }).waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(1);
    await eventually('it is booked', async () => {
      await user.open(at('usage?group=apikey'));
      await page.getByText('Your own usage').first().waitFor();
      await user.settled();
      return (await page.getByRole('rowheader', { name: 'key of Uma' }).count()) > 0;
    });
    const used = page.getByRole('table', { name: 'Usage by api key' }).getByRole('rowheader');
    expect(await used.allTextContents()).toEqual(['key of Uma']);
    await user.open(at('users'));
    await page.getByRole('rowheader', { name: /^Uma Lumen/ }).waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(1);
  });

  step('other users’ items do not exist for a user, at any typed address', async () => {
    await denied(user, `teams/${foreign.teams}`, 'not_found');
    await denied(user, `apikeys/${foreign.apikeys}`, 'not_found');
    await denied(user, `users/${foreign.users}`, 'not_found');
    await denied(user, `usage/${foreign.usage}`, 'There is no record of this request');
    for (const page of ['providers', 'invoices', 'audit']) await denied(user, page, 'forbidden');
    expect(await user.open(`${gateway.adminUrl}/admin/dashboard`)).toBe(404);
    expect(user.complaints()).toEqual(['404 GET /admin/dashboard']);
  });

  step('a user’s session cannot call an administrator’s actions directly', async () => {
    const { request } = user.context;
    const base = `${gateway.adminUrl}/api/organisations/${foreign.organisation}`;
    const headers = { origin: gateway.adminUrl };
    const tried: [string, object][] = [
      ['teams', { name: 'Mutineers' }],
      ['budgets', { scope: { type: 'USER', id: foreign.users }, period: 'DAILY', limitUsd: '1' }],
      ['invoices', { month: '2026-01' }],
      ['apikeys', { name: 'wide', type: 'ORGANISATION', modelIds: [] }],
    ];
    for (const [resource, data] of tried) {
      const answer = await request.post(`${base}/${resource}`, { data, headers });
      expect([resource, answer.status()]).toEqual([resource, 403]);
    }
  });

  step('a forgotten password is reset with the link in the mail', async () => {
    const { page } = user;
    await user.context.clearCookies();
    await user.open(`${gateway.adminUrl}/login`);
    await page.getByRole('link', { name: /forg/i }).click();
    // The page that is left has such a field too.
    await button(user, 'Send the link').waitFor();
    await page.getByLabel('Email').fill(emailOf('uma'));
    await button(user, 'Send the link').click();
    await page.getByText('an email with a link is on its way').waitFor();
    await user.open(await mailbox.linkIn(emailOf('uma'), 'Set a new password'));
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await button(user, 'Set the password').click();
    await page.getByText('Your password is changed').waitFor();
    const account = { email: emailOf('uma'), password: NEW_PASSWORD };
    await signIn(user, gateway, account, '/lumen-works/apikeys');
    await page.getByRole('rowheader', { name: 'key of Uma' }).waitFor();
  });
});

/** Names that only the administrator sees. */
const SECRETS = ['Lanterns', 'lantern key', 'Lighthouse', 'sk-of-lumen-works', 'Ada Lumen'];
const BUDGET_NANO_USD = 250_000_000n;
const NANO_USD_A_TOKEN = 1_000_000n;
