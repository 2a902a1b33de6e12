import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';

import { eventually, newTenant, sharedGateway, type SharedGateway, type Tenant } from '..';
import { browserBinary, openBrowser } from '../gateway/browser';
import { act } from '../mcp/client';

// MCP servers in a real browser: added and tested, their tools pinned and granted, called in the
// playground, and their calls in the usage pages.

const binary = browserBinary();
/** The simulator's server, whose tools this test changes. */
const SIMULATED = 'console';

(binary === undefined ? describe.skip : describe)('the console’s MCP pages', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let page: Page;
  const seen: string[] = [];

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway);
    await tenant.key({ name: 'production' });
    browser = await openBrowser(binary ?? '');
    page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    page.on('pageerror', (error) => seen.push(error.message));
    page.on('response', (response) => {
      if (response.status() >= 500) seen.push(`${String(response.status())} ${response.url()}`);
    });
    await page.goto(`${gateway.adminUrl}/login?next=/${tenant.slug}/mcp-servers`);
    await page.getByLabel('Email').fill(gateway.superAdmin.email);
    await page.getByLabel('Password').fill(gateway.superAdmin.password);
    await button('Sign in').click();
    await page.getByRole('heading', { name: 'MCP servers' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
  });

  const open = (path: string): Promise<unknown> =>
    page.goto(`${gateway.adminUrl}/${tenant.slug}/${path}`);
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');
  /** A toast; screen readers get its text a second time. */
  const said = (text: string) => page.getByText(text, { exact: true }).first().waitFor();

  async function openServer(): Promise<void> {
    await open('mcp-servers');
    await page.getByRole('link', { name: 'Tickets' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tickets' }).waitFor();
  }

  async function testConnection(): Promise<void> {
    await openServer();
    await button('Test connection').click();
    await page.getByText(/^The server answered in /).waitFor();
  }

  const row = (tool: string) => page.getByRole('row', { name: new RegExp(`^${tool}\\b`) });

  test('a server is added with its price, and its tools are pinned from a test', async () => {
    await button('Add MCP server').first().click();
    await dialog().getByLabel('Name').fill('Tickets');
    await dialog().getByLabel('Identifier').fill('tickets');
    await dialog()
      .getByLabel('URL', { exact: true })
      .fill(`${gateway.simulatorUrl}/mcp/${SIMULATED}`);
    await dialog().getByLabel('Price per call, in US dollars').fill('0.25');
    await dialog().getByRole('button', { name: 'Add MCP server' }).click();
    await said('Tickets created.');
    await testConnection();
    await button('Pin sim_changing').click();
    await said('sim_changing pinned.');
    await row('sim_changing').getByText('pinned', { exact: true }).waitFor();
  });

  test('a tool that changes after it was pinned is shown as changed, until it is pinned again', async () => {
    await act(gateway.simulatorUrl, 'change', SIMULATED);
    await testConnection();
    await page
      .getByRole('alert')
      .getByText(/^The tool sim_changing has changed/)
      .waitFor();
    await row('sim_changing').getByText('CHANGED', { exact: true }).waitFor();
    await button('Pin the new sim_changing').click();
    await row('sim_changing').getByText('pinned', { exact: true }).waitFor();
    expect(await page.getByText('CHANGED', { exact: true }).count()).toBe(0);
  });

  test('a grant allows the tools that were chosen from the list', async () => {
    await button('Grant to keys').click();
    await dialog()
      .getByRole('option', { name: /production/ })
      .click();
    await dialog()
      .getByRole('checkbox', { name: /sim_bytes/ })
      .uncheck();
    await dialog().getByLabel('Denied tools').waitFor();
    expect(await dialog().getByLabel('Denied tools').inputValue()).toBe('sim_bytes');
    await dialog().getByRole('button', { name: 'Grant', exact: true }).click();
    await said('Tickets granted to 1 more key.');
    await page.getByRole('link', { name: 'Grants' }).click();
    await page
      .getByRole('row', { name: /production/ })
      .getByText(/except sim_bytes/)
      .waitFor();
  });

  test('the playground calls a tool with a form made from its schema, and says what it cost', async () => {
    await open('playground?tab=mcp');
    await page.getByRole('combobox', { name: 'MCP server' }).selectOption('tickets');
    await button('sim_slow').click();
    await page.getByLabel(/^ms/).fill('much');
    await button('Call tool').click();
    await page
      .getByText('This is not a number.')
      .or(page.getByText(/not a whole number/))
      .waitFor();
    await page.getByLabel(/^ms/).fill('10');
    await button('Call tool').click();
    const call = page.getByRole('article', { name: 'Call of sim_slow' });
    await call.getByTestId('mcp-result').waitFor();
    await call.getByText('$0.25').waitFor();
  });

  test('an error of a tool is told apart from an error of the server', async () => {
    await button('sim_fail').click();
    await button('Call tool').click();
    await page.getByText('The tool reports an error').waitFor();
    await button('sim_protocol_error').click();
    await button('Call tool').click();
    await page
      .getByRole('alert')
      .getByText(/JSON-RPC -32010/)
      .waitFor();
  });

  test('the calls are in the usage pages, by server and one by one', async () => {
    await eventually('the calls are booked', async () => {
      const { data } = await gateway.rest.get<{ data: { method: string }[] }>(
        `${tenant.base}/usage/mcp-records`,
      );
      return data.data.filter(({ method }) => method === 'tools/call').length === 3;
    });
    await open('usage?tab=mcp&range=24h&method=tools/call');
    await page
      .getByRole('row', { name: /sim_slow/ })
      .getByText('answered')
      .waitFor();
    await page
      .getByRole('row', { name: /sim_fail/ })
      .getByText('tool error')
      .waitFor();
    await page
      .getByRole('row', { name: /sim_slow/ })
      .getByRole('link')
      .first()
      .click();
    await page.getByRole('heading', { name: 'MCP', exact: true }).waitFor();
    await page.getByText('tools/call', { exact: true }).waitFor();
    await open('usage?group=mcp-server&range=24h');
    await page.getByRole('row', { name: /^Tickets/ }).waitFor();
    expect(seen).toEqual([]);
  });

  test('the sign-in of web clients is set up, with errors at its fields, and switched off', async () => {
    await open('settings');
    await button('Set up').click();
    await dialog().getByLabel('Issuer').fill('http://id.example');
    await dialog().getByRole('button', { name: 'Add a rule' }).click();
    await dialog().getByLabel('Value of rule 1').fill('ana@acme.example');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog()
      .getByText(/must begin with https/)
      .waitFor();
    await dialog().getByText('Choose one.').waitFor();
    await dialog().getByLabel('Issuer').fill('https://id.example');
    await dialog().getByLabel('API key of rule 1').selectOption({ label: 'production' });
    await dialog().getByRole('button', { name: 'Save' }).click();
    await said('Saved.');
    await page.getByText('https://id.example', { exact: true }).waitFor();
    await page.getByText(`/v1/mcp/${tenant.slug}/…`).waitFor();
    await button('Stop accepting tokens').click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Stop accepting tokens' })
      .click();
    await said('Tokens are no longer accepted.');
    await button('Set up').waitFor();
  });

  test('a user passes a server on with no more than what own keys may use', async () => {
    const { data } = await gateway.rest.get<{ data: { id: string }[] }>(
      `${tenant.base}/mcp-servers`,
    );
    const mcpServerId = data.data[0]?.id;
    const account = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
    const { id: userId } = await tenant.create('users', { ...account, name: 'Uma', role: 'USER' });
    const own = { type: 'USER', userId };
    const tools = { allowed: ['sim_echo', 'sim_fail'], denied: [] };
    await tenant.create('apikeys', { ...own, name: 'first', mcpGrants: [{ mcpServerId, tools }] });
    const { id: second } = await tenant.create('apikeys', { ...own, name: 'second' });

    page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${gateway.adminUrl}/login?next=/${tenant.slug}/apikeys/${second}`);
    await page.getByLabel('Email').fill(account.email);
    await page.getByLabel('Password').fill(account.password);
    await button('Sign in').click();
    await button('MCP servers').click();
    await dialog()
      .getByRole('option', { name: /Tickets/ })
      .click();
    await dialog().getByText('Tools: sim_echo, sim_fail').click();
    await dialog().getByRole('button', { name: 'List the tools of the server' }).click();
    await dialog().getByText('2 of 2 tools allowed').waitFor();
    await dialog().getByLabel('Allowed tools').fill('*');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().getByText('allows more than your own keys and teams may use').waitFor();
    await dialog().getByLabel('Allowed tools').fill('sim_echo');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await said('Saved.');
    const granted = await gateway.rest.get<{ grants: { tools: object }[] }>(
      `${tenant.base}/apikeys/${second}/mcp-servers`,
    );
    expect(granted.data.grants).toMatchObject([{ tools: { allowed: ['sim_echo'], denied: [] } }]);

    await openServer();
    expect(await button('Edit').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Connection and tools' }).count()).toBe(0);
  });
});
