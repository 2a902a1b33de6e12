import type { Browser } from 'playwright-core';

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

// Usage by tag and by session of an agent, in a real browser.

const binary = browserBinary();
const SESSION = '123e4567-e89b-12d3-a456-426614174000';

(binary === undefined ? describe.skip : describe)('attribution in the console', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let visitor: Visitor;
  const ids: string[] = [];
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway);
    expectStatus(
      await gateway.rest.patch(`${tenant.base}/settings`, { tagKeys: ['project'] }),
      200,
    );
    const { key } = await tenant.key();
    for (const agent of [{}, { 'x-claude-code-agent-id': 'agent-7' }]) {
      const headers = {
        'x-claude-code-session-id': SESSION,
        'x-tollgate-tags': 'project=blue',
        ...agent,
      };
      ids.push(requestIdOf(await chat(gateway.edgeUrl(), key, { user: 'ada' }, headers)));
    }
    for (const id of ids) await recordOf(gateway, tenant, id);
    browser = await openBrowser(binary ?? '');
    stops.push(() => browser.close());
    visitor = await visit(browser);
    await signIn(visitor, gateway, gateway.superAdmin, `/${tenant.slug}/dashboard`);
  });
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  const usage = (query = ''): string => `${gateway.adminUrl}/${tenant.slug}/usage${query}`;

  test('usage is grouped by a tag of the organisation, and narrowed to its value', async () => {
    const { page } = visitor;
    await page.goto(usage());
    await page.getByLabel('Group by').selectOption('tag:project');
    await page.getByRole('link', { name: 'blue', exact: true }).click();
    await page.getByText('Tag: project:blue').waitFor();
    await page.getByLabel('Group by').selectOption('end-user');
    await page.getByRole('link', { name: 'ada', exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('tag')).toBe('project:blue');
  });

  test('a session tells its cost and agents, and lists its requests in order', async () => {
    const { page } = visitor;
    await page.goto(usage(`?tab=requests&session=${SESSION}&sort=authorisedAt`));
    await page.getByText('2, 0 failed').waitFor();
    await page.getByText('Main agent').waitFor();
    await page.getByText('agent-7').waitFor();
    const links = page.locator('a[title^="Request "]');
    await links.nth(1).waitFor();
    const titles = await links.evaluateAll((all) => all.map((one) => one.getAttribute('title')));
    expect(titles).toEqual(ids.map((id) => `Request ${id}`));
  });

  test('the page of a request says whom it was for, and leads to its session', async () => {
    const { page } = visitor;
    await page.goto(usage(`/${ids[1] ?? ''}`));
    await page.getByText('agent-7').waitFor();
    await page.getByText('subagent', { exact: true }).waitFor();
    await page.getByRole('link', { name: SESSION }).click();
    await page.getByText('Counts within').waitFor();
  });

  test('a budget of each session of one API key says that the key is not trusted', async () => {
    const { page } = visitor;
    const { id } = await tenant.key({ name: 'a shared agent', trustedAttribution: 'NONE' });
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/budgets`);
    await page.getByRole('button', { name: 'Create budget' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Applies to').selectOption({ label: 'Each session' });
    await dialog.getByLabel('Requests of').selectOption({ label: 'An API key' });
    await dialog.getByRole('option', { name: /^a shared agent/ }).click();
    await dialog.getByLabel('Limit in US dollars').fill('5');
    await dialog.getByRole('button', { name: 'Create budget' }).click();
    const untrusted =
      'Counts nothing: 1 of 1 API key in its scope is not trusted to name sessions.';
    await page.getByText(`Budget created. ${untrusted}`).first().waitFor();
    await page.getByText(untrusted, { exact: true }).waitFor();
    const { data } = expectStatus(await gateway.rest.get(`${tenant.base}/budgets`), 200);
    expect(data).toMatchObject({
      data: [{ scope: { type: 'SESSION', id }, keysInScope: { active: 1, trusted: 0 } }],
    });
    expectStatus(
      await gateway.rest.patch(`${tenant.base}/apikeys/${id}`, { trustedAttribution: 'HEADERS' }),
      200,
    );
    await page.reload();
    await page.getByText('Each session').first().waitFor();
    expect(await page.getByText(untrusted, { exact: true }).count()).toBe(0);
  });
});
