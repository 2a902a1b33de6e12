import type { Browser, Page } from 'playwright-core';

import { chat, eventually, newTenant, startGateway, type Gateway, type Tenant } from '.';
import { browserBinary, openBrowser } from './gateway/browser';

// An administrator uses the console in a real browser: signs in, reads the usage, creates a key,
// tries it, revokes it, and asks a model in the playground.

const binary = browserBinary();

(binary === undefined ? describe.skip : describe)('the console', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  let browser: Browser;
  let page: Page;
  let stop: () => Promise<void> = async () => undefined;
  const seen: string[] = [];

  beforeAll(async () => {
    // A revoked key is refused because policy is notified, not because its cached plan expired.
    gateway = await startGateway({ admin: true, env: { policy: { CONTEXT_FRESH_MS: '600000' } } });
    stop = gateway.stop;
    tenant = await newTenant(gateway);
    await tenant.create('budgets', {
      scope: { type: 'ORGANISATION', id: tenant.id },
      period: 'MONTHLY',
      limitUsd: '10.00',
      mode: 'HARD',
    });
    const { key } = await tenant.key({ name: 'seed' });
    expect((await chat(gateway.edgeUrl(), key)).status).toBe(200);
    browser = await openBrowser(binary ?? '');
    page = await browser.newPage();
    page.setDefaultTimeout(90_000);
    page.on('pageerror', (error) => seen.push(error.message));
    page.on('response', (response) => {
      if (response.status() >= 500) seen.push(`${String(response.status())} ${response.url()}`);
    });
  });
  afterAll(async () => {
    await browser?.close();
    await stop();
  });

  const open = (path: string): Promise<unknown> => page.goto(`${gateway.adminUrl}${path}`);
  const button = (name: string | RegExp) => page.getByRole('button', { name });

  test('a page without a session redirects to the sign-in, and a wrong password is reported', async () => {
    await open(`/${tenant.slug}/dashboard`);
    await page.waitForURL(/\/login/);
    await page.getByLabel('Email').fill(gateway.superAdmin.email);
    await page.getByLabel('Password').fill('not the password');
    await button('Sign in').click();
    await page.getByRole('alert').filter({ hasText: /\S/ }).first().waitFor();
  });

  test('signing in returns to the requested page, with its data', async () => {
    await page.getByLabel('Password').fill(gateway.superAdmin.password);
    await button('Sign in').click();
    await page.waitForURL(`${gateway.adminUrl}/${tenant.slug}/dashboard`);
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    await page.getByText('$10.00').first().waitFor();
    await eventually('the latest request is listed', async () => {
      await page.reload();
      await page.getByRole('heading', { name: 'Latest requests' }).waitFor();
      await page.waitForLoadState('networkidle');
      return (await page.getByRole('cell', { name: 'chat' }).count()) > 0;
    });
  });

  test('scripts of the page cannot read a token, and inline scripts cannot run', async () => {
    const cookies = await page.evaluate('document.cookie');
    expect(cookies).not.toMatch(/tollgate.*(token|session|refresh)/i);
    for (const cookie of await page.context().cookies()) {
      if (/session|access|refresh/i.test(cookie.name)) expect(cookie.httpOnly).toBe(true);
    }
    const answer = await page.request.get(`${gateway.adminUrl}/login`);
    const policy = answer.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(/script-src[^;]*/.exec(policy)?.[0]).not.toContain('unsafe-inline');
  });

  test('a change from another site is refused', async () => {
    const answer = await page.request.post(`${gateway.adminUrl}/api/auth/logout`, {
      headers: { origin: 'https://evil.example' },
    });
    expect(answer.status()).toBe(403);
  });

  test('a key is created, shown once, works at the edge, and is refused once revoked', async () => {
    await open(`/${tenant.slug}/apikeys`);
    await button(/create/i)
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('from the console');
    await dialog.getByRole('option', { name: /^chat/ }).click();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('heading', { name: 'Your new API key' }).waitFor();
    const key = /tg_[\w-]{43}/.exec((await dialog.textContent()) ?? '')?.[0];
    expect(key).toBeDefined();
    for (const slip of [
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(4, 4),
      () => dialog.getByRole('button', { name: 'Close', exact: true }).click(),
    ]) {
      await slip();
      await dialog.getByText('Close without copying the key?').waitFor();
      await dialog.getByRole('button', { name: 'Keep it open' }).click();
      await dialog.getByText('Close without copying the key?').waitFor({ state: 'hidden' });
      expect(await dialog.textContent()).toContain(key);
    }
    await button('I have copied it').click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.content()).not.toContain(key);
    expect((await chat(gateway.edgeUrl(), key)).status).toBe(200);

    await page.getByRole('link', { name: 'from the console' }).click();
    await page.getByRole('heading', { name: 'Limits that apply to this key' }).waitFor();
    await eventually(
      'the tab names the key',
      async () => (await page.title()) === 'from the console · API key · Tollgate',
    );
    await page.getByRole('rowheader', { name: 'Monthly budget of $10.00' }).waitFor();
    await button('Revoke').click();
    await page.getByRole('textbox', { name: /to confirm/ }).fill('from the console');
    await button('Revoke key').click();
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    await eventually(
      'the edge refuses it',
      async () => (await chat(gateway.edgeUrl(), key)).status === 401,
    );
  });

  test('the playground streams an answer with its cost', async () => {
    await open(`/${tenant.slug}/playground`);
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello from the playground');
    await button('Send').click();
    const turn = page.getByRole('article').first();
    await turn.getByText('You said: Hello from the playground').waitFor();
    await turn
      .getByText(/\$0\.\d+/)
      .first()
      .waitFor();
  });

  test('a team is created and renamed, and a second one with its name is refused', async () => {
    await open(`/${tenant.slug}/teams`);
    await button('Create team').first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Search');
    await page.getByRole('dialog').getByRole('button', { name: 'Create team' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('rowheader', { name: 'Search' }).waitFor();

    await button('Create team').first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Search');
    await page.getByRole('dialog').getByRole('button', { name: 'Create team' }).click();
    await page.getByRole('dialog').getByRole('alert').first().waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

    await button('Actions for Search').click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const name = page.getByRole('dialog').getByLabel('Name');
    await name.fill('Search and ranking');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Search and ranking' }).click();
    await page.getByRole('heading', { name: 'Search and ranking' }).waitFor();
    await page.getByText('No members yet').waitFor();
  });

  test('the platform’s pages show the selected organisation, and a limit for it is created', async () => {
    await open(`/admin/budgets?organisation=${tenant.slug}`);
    await button(/^Organisation: /).waitFor();
    await button('Create budget').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Period').selectOption('DAILY');
    await dialog.getByLabel('Limit in US dollars').fill('lots');
    await dialog.getByRole('button', { name: 'Create budget' }).click();
    await dialog
      .getByRole('alert')
      .filter({ hasText: /decimal US dollars/ })
      .waitFor();
    await dialog.getByLabel('Limit in US dollars').fill('3.50');
    await dialog.getByRole('button', { name: 'Create budget' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText(/of \$3\.50/).waitFor();
    // Filters are part of the URL, so a view can be shared.
    await page.getByRole('combobox', { name: 'Period' }).selectOption('DAILY');
    await page.waitForURL(/period=DAILY/);
    await page.getByText(/of \$10\.00/).waitFor({ state: 'hidden' });
    expect(new URL(page.url()).searchParams.get('organisation')).toBe(tenant.slug);
  });

  test('an organisation is created, and its settings are kept', async () => {
    await open('/admin/organisations');
    await button('Create organisation').first().click();
    const dialog = page.getByRole('dialog');
    const name = `Café ${tenant.slug}`;
    await dialog.getByLabel('Name').fill(name);
    expect(await dialog.getByLabel('Slug').inputValue()).toBe(`cafe-${tenant.slug}`);
    await dialog.getByRole('button', { name: 'Create organisation' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name }).click();
    await page.waitForURL(`${gateway.adminUrl}/cafe-${tenant.slug}/dashboard`);

    await open(`/cafe-${tenant.slug}/settings`);
    await page.getByLabel('Time zone').fill('Mars/Olympus');
    await button('Save').click();
    await page
      .getByRole('alert')
      .filter({ hasText: /IANA time zone/ })
      .waitFor();
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByRole('switch', { name: 'Any model on every vendor’s routes' }).click();
    await button('Save').click();
    await page.getByText('Saved.').first().waitFor();
    await page.reload();
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Europe/Berlin');
  });

  test('an invited user accepts with the link, and sees only their own pages', async () => {
    await open(`/${tenant.slug}/users`);
    await button('Invite').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill('not an address');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByRole('alert').first().waitFor();
    const email = `guest@${tenant.slug}.example`;
    await dialog.getByLabel('Email').fill(email);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('heading', { name: `The invitation for ${email}` }).waitFor();
    const link = (await dialog.getByLabel('Link').textContent()) ?? '';
    expect(link).toMatch(/#token=[\w-]{43}$/);
    await page.keyboard.press('Escape');
    await dialog.getByText('Close without copying the link?').waitFor();
    await dialog.getByRole('button', { name: 'Close anyway' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Invitations' }).click();
    await page.getByRole('rowheader', { name: email }).waitFor();
    expect(await page.content()).not.toContain('#token=');

    const context = await browser.newContext();
    const guest = await context.newPage();
    guest.setDefaultTimeout(90_000);
    await guest.goto(link);
    await guest.getByText(tenant.slug, { exact: true }).waitFor();
    await guest.getByLabel('Your name').fill('Grace');
    await guest.getByLabel('Password').fill('short');
    await guest.getByRole('button', { name: 'Join' }).click();
    await guest
      .getByRole('alert')
      .filter({ hasText: /10 characters/ })
      .waitFor();
    await guest.getByLabel('Password').fill('a long enough password');
    await guest.getByRole('button', { name: 'Join' }).click();
    await guest.waitForURL(`${gateway.adminUrl}/${tenant.slug}/dashboard`);
    await guest.goto(`${gateway.adminUrl}/${tenant.slug}/users`);
    await guest.getByRole('rowheader', { name: /^Grace/ }).waitFor();
    expect(await guest.getByRole('rowheader').count()).toBe(1);
    expect(await guest.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    expect((await guest.goto(`${gateway.adminUrl}/admin/users`))?.status()).toBe(404);

    // A link works only once.
    await guest.goto(`${gateway.adminUrl}/login`);
    await guest.goto(link);
    await guest.getByText('This invitation is no longer valid').waitFor();
    await context.close();
  });

  test('the forgotten password page explains what to do without mail', async () => {
    const context = await browser.newContext();
    const guest = await context.newPage();
    guest.setDefaultTimeout(90_000);
    await guest.goto(`${gateway.adminUrl}/forgot-password`);
    await guest.getByText('Ask an administrator').waitFor();
    await guest.goto(`${gateway.adminUrl}/login?error=sso_denied`);
    await guest.getByText('The identity provider did not let you in').waitFor();
    await context.close();
  });

  test('no browser errors occurred', () => {
    expect(seen).toEqual([]);
  });
});
