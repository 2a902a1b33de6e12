import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';

import {
  chat,
  eventually,
  expectStatus,
  newTenant,
  sharedGateway,
  type SharedGateway,
  type Tenant,
} from '..';
import { browserBinary, openBrowser } from '../gateway/browser';

// The playground and the command palette in a real browser, and the playground's generated
// programs, run unchanged.

const run = promisify(execFile);
const binary = browserBinary();
/** One pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

(binary === undefined ? describe.skip : describe)('the console’s playground and palette', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let page: Page;
  let key: string;
  const seen: string[] = [];

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway);
    const otherId = await tenant.model('other', 'sim');
    await tenant.model('endless', 'sim-tokens-1000.pace-500');
    ({ key } = await tenant.key({ name: 'production', modelIds: [tenant.modelId, otherId] }));
    await tenant.create('teams', { name: 'Research' });
    browser = await openBrowser(binary ?? '');
    page = await browser.newPage();
    page.setDefaultTimeout(90_000);
    page.on('pageerror', (error) => seen.push(error.message));
    page.on('console', (message) => {
      // Violations of the content security policy are reported only here; a test below tries an
      // inline event handler.
      const words = message.text();
      if (/Content Security Policy/i.test(words) && !/event handler/i.test(words)) seen.push(words);
    });
    page.on('response', (response) => {
      if (response.status() >= 500) seen.push(`${String(response.status())} ${response.url()}`);
    });
    await page.goto(`${gateway.adminUrl}/login?next=/${tenant.slug}/playground`);
    await page.getByLabel('Email').fill(gateway.superAdmin.email);
    await page.getByLabel('Password').fill(gateway.superAdmin.password);
    await button('Sign in').click();
    await page.getByRole('heading', { name: 'Playground' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
  });

  const open = (path: string): Promise<unknown> => page.goto(`${gateway.adminUrl}${path}`);
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const message = () => page.getByRole('textbox', { name: 'Message' });
  const lane = (model: string) => page.getByRole('region', { name: `Conversation with ${model}` });

  async function choose(which: string, model: string): Promise<void> {
    await page.getByLabel(which, { exact: true }).click();
    const offered = page.getByRole('dialog', { name: 'Models' }).getByRole('option');
    await offered.filter({ hasText: model }).click();
  }

  test('two models answer the same prompt, each with its cost and its times', async () => {
    await button('Compare with another model').click();
    await message().fill('Hello both');
    await button('Send').click();
    await page.getByText('Choose a model.').waitFor();
    await choose('Second model', 'other');
    await button('Send').click();
    for (const model of ['chat', 'other']) {
      const turn = lane(model).getByRole('article');
      await turn.getByText('You said: Hello both').waitFor();
      for (const fact of ['Cost', 'First token', 'Total']) {
        await turn.getByText(fact, { exact: true }).waitFor();
      }
      await turn.getByText(/^\$0\.\d+/).waitFor();
    }
    await button('Stop comparing').click();
    await button('Clear').click();
  });

  test('tools are validated before they are sent, and their calls are shown', async () => {
    await page.getByLabel('Tools (optional)').fill('[{"type":"function","function":{}}]');
    await message().fill('Ask for the weather');
    await button('Send').click();
    await page.getByText(/^\[0\]\.function\.name: /).waitFor();
    await page.getByLabel('Tools (optional)').fill('');
    await button('Insert an example').click();
    await button('Send').click();
    const calls = page.getByRole('list', { name: 'Calls of tools' });
    await calls.getByText('weather', { exact: true }).waitFor();
    await calls.getByText(/"city": /).waitFor();
  });

  test('an image is sent along, and another file is refused', async () => {
    const files = page.locator('input[type=file]');
    await files.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await page.getByText('Pictures are PNG, JPEG, WebP or GIF files.').waitFor();
    const buffer = Buffer.from(PNG, 'base64');
    await files.setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer });
    await page.getByRole('list', { name: 'Pictures' }).getByAltText('dot.png').waitFor();
    await page.getByLabel('Tools (optional)').fill('');
    await message().fill('What is this?');
    await button('Send').click();
    const turn = page.getByRole('article').last();
    await turn.getByAltText('dot.png').waitFor();
    await turn.getByText('You said: What is this?').waitFor();
    await button('Clear').click();
  });

  test('an answer can be stopped', async () => {
    await choose('Model', 'endless');
    await message().fill('Go on');
    await button('Send').click();
    await page.getByTestId('answer').waitFor();
    await button('Stop').click();
    await page.getByText(/^Stopped\./).waitFor();
    await button('Clear').click();
    await choose('Model', 'chat');
  });

  test('every generated program answers as the playground does', async () => {
    await page.getByLabel('System prompt (optional)').fill('Say "it\'s $HOME" \\ `id`');
    await page.getByLabel('Max tokens').fill('50');
    await message().fill('What\'s $this "and" `that`?');
    await button('View as code').click();
    const language = page.getByRole('dialog').getByLabel('Language');
    const codeOf = async (label: string): Promise<string> => {
      await language.selectOption({ label });
      return (await page.getByLabel('Code', { exact: true }).textContent()) ?? '';
    };
    const env = { ...process.env, TOLLGATE_KEY: key };
    const cwd = join(__dirname, '../..');
    const curl = await codeOf('curl');
    const said = await run('sh', ['-c', curl.replace(/^curl /, "curl -sS --noproxy '*' ")], {
      env,
    });
    expect(said.stdout).toContain(String.raw`You said: What's $this \"and\"`);
    for (const label of ['OpenAI JavaScript', 'Anthropic JavaScript', 'Google JavaScript']) {
      const args = ['--input-type=module', '-e', await codeOf(label)];
      const { stdout } = await run(process.execPath, args, { env, cwd });
      expect([label, stdout]).toEqual([label, expect.stringMatching(/You said: What\\?'s \$this/)]);
    }
    for (const label of ['OpenAI Python', 'Anthropic Python', 'Google Python']) {
      expect(await codeOf(label)).toContain('TOLLGATE_KEY');
    }
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  test('a refusal has its reason, and a link to the place to change it', async () => {
    await tenant.create('budgets', {
      scope: { type: 'ORGANISATION', id: tenant.id },
      period: 'DAILY',
      limitUsd: '0.000001',
    });
    await eventually(
      'the budget binds',
      async () => (await chat(gateway.edgeUrl(), key)).status === 402,
    );
    await button('Send').click();
    const alert = page.getByRole('article').getByRole('alert');
    await alert.getByText(/budget_exceeded · HTTP 402/).waitFor();
    await alert.getByText(/raise the budget/).waitFor();
    await alert.getByRole('link', { name: 'Open budgets' }).click();
    await page.getByRole('heading', { name: 'Budgets' }).waitFor();
  });

  test('it fits the window below the organisation bar', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await open(`/admin/playground?organisation=${tenant.slug}`);
    await message().waitFor();
    const over = await page.evaluate(
      'document.documentElement.scrollHeight - document.documentElement.clientHeight',
    );
    expect(over).toBe(0);
  });

  test('with the keyboard alone, the palette opens a page and finds a key by its name', async () => {
    const field = page.getByRole('combobox', { name: /^Go to/ });
    await open(`/${tenant.slug}/settings`);
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await eventually('the palette opens', async () => {
      await page.keyboard.press('Control+K');
      return field.isVisible();
    });
    await page.keyboard.type('quot');
    await page.getByRole('option', { name: 'Quotas', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Quotas' }).waitFor();
    expect(await field.count()).toBe(0);

    await page.keyboard.press('Control+K');
    await field.waitFor();
    await page.keyboard.type('r');
    await page.getByRole('option', { name: 'Routing', exact: true }).waitFor();
    await page.getByRole('option', { name: /^Research$/ }).waitFor();
    await field.fill('production');
    await page.getByRole('group', { name: 'API keys' }).getByRole('option').waitFor();
    await page.getByText('1 found.', { exact: false }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'production' }).waitFor();

    await page.keyboard.press('Control+K');
    await field.waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'hidden' });
  });

  test('from the platform’s pages it finds organisations, and items of the selected one', async () => {
    await open(`/admin/teams?organisation=${tenant.slug}`);
    await page.getByRole('rowheader', { name: 'Research' }).waitFor();
    const field = page.getByRole('combobox', { name: /^Go to/ });
    await button('Go to…').click();
    await field.fill('Research');
    await page.getByRole('group', { name: 'Teams' }).getByRole('option').click();
    await page.waitForURL(new RegExp(`/admin/teams/[\\w-]{36}\\?organisation=${tenant.slug}$`));
    await button('Go to…').click();
    await field.fill(tenant.slug);
    await page.getByRole('group', { name: 'Organisations' }).getByRole('option').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${gateway.adminUrl}/${tenant.slug}/dashboard`);
  });

  test('every page has its own nonce, and nothing else may run in it or frame it', async () => {
    const policies = [];
    for (const path of ['/login', `/${tenant.slug}/playground`, '/admin/dashboard']) {
      const answer = await page.request.get(`${gateway.adminUrl}${path}`);
      const policy = answer.headers()['content-security-policy'] ?? '';
      expect(policy).toMatch(/script-src 'self' 'nonce-[^']+' 'strict-dynamic';/);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(answer.headers()['x-frame-options']).toBe('DENY');
      const html = await answer.text();
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
      const scripts = html.match(/<script\b[^>]*>/g) ?? [];
      expect(scripts.length).toBeGreaterThan(0);
      for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`);
      policies.push(nonce);
    }
    expect(new Set(policies).size).toBe(policies.length);
    const ran = await page.evaluate(
      "new Promise((resolve) => { const b = document.createElement('b'); b.setAttribute('onclick', 'window.ranInline = true'); document.body.append(b); b.click(); b.remove(); resolve(window.ranInline === true); })",
    );
    expect(ran).toBe(false);
  });

  test.each(['playground/chat', 'teams'])('another site cannot call %s', async (path) => {
    const url = `${gateway.adminUrl}${tenant.base}/${path}`;
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', origin: '' },
    ]) {
      const answer = await page.request.post(url, { headers, data: { name: 'Forged' } });
      expect([headers, answer.status()]).toEqual([headers, 403]);
    }
    const { data } = expectStatus(await gateway.rest.get(`${tenant.base}/teams`), 200);
    expect(JSON.stringify(data)).not.toContain('Forged');
  });

  test('no browser errors occurred', () => {
    expect(seen).toEqual([]);
  });
});
