import type { rest } from '@tollgate/contracts';
import type { Browser } from 'playwright-core';

import {
  chat,
  eventually,
  newTenant,
  recordOf,
  requestIdOf,
  startGateway,
  type Gateway,
  type Tenant,
} from '..';
import { browserBinary, openBrowser } from '../gateway/browser';
import { signIn, visit, type Visitor } from './test-support/visitor';

// Requests as they come, and one request found by its id, in a real browser.

const binary = browserBinary();
const TRACE_URL = 'https://traces.example/trace/{traceId}?from=tollgate';

(binary === undefined ? describe.skip : describe)('requests in the console', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  let key: string;
  let browser: Browser;
  let visitor: Visitor;
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    gateway = await startGateway({ admin: true, env: { admin: { TRACE_URL } } });
    stops.push(gateway.stop);
    tenant = await newTenant(gateway);
    const broken = await tenant.model('broken', 'sim-status-503');
    ({ key } = await tenant.key({ name: 'shop app', modelIds: [tenant.modelId, broken] }));
    browser = await openBrowser(binary ?? '');
    stops.push(() => browser.close());
    visitor = await visit(browser);
    await signIn(visitor, gateway, gateway.superAdmin, `/${tenant.slug}/dashboard`);
  });
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  const requests = (query = ''): string =>
    `${gateway.adminUrl}/${tenant.slug}/usage?tab=requests${query}`;
  const send = async (headers: Record<string, string> = {}): Promise<string> =>
    requestIdOf(await chat(gateway.edgeUrl(), key, {}, headers));
  const link = (id: string) => visitor.page.locator(`a[href$="/usage/${id}"]`);

  test('a live list shows requests by itself, holds them back while paused, and recovers', async () => {
    const { page } = visitor;
    const before = await send();
    await recordOf(gateway, tenant, before);
    await page.goto(requests('&live=on'));
    await page.getByText('Live', { exact: true }).last().waitFor();
    await link(before).waitFor();
    const next = await send();
    await link(next).waitFor();

    await page.getByRole('button', { name: 'Pause' }).click();
    const held = [await send(), await send()];
    await page.getByRole('button', { name: 'Show 2 new requests' }).waitFor();
    for (const id of held) expect(await link(id).count()).toBe(0);
    await page.getByRole('button', { name: 'Show 2 new requests' }).click();
    for (const id of held) await link(id).waitFor();

    await gateway.catalog.process().stop('SIGKILL');
    await page.getByText('Interrupted. Trying again every few seconds.').waitFor();
    const missed = await send();
    await gateway.catalog.restart();
    await link(missed).waitFor();
    expect(await link(next).count()).toBe(1);
  });

  test('filters and columns are those of the list', async () => {
    const { page } = visitor;
    await page.goto(requests('&live=on&httpStatus=502'));
    await page.getByText('No request yet').waitFor();
    const failed = requestIdOf(await chat(gateway.edgeUrl(), key, { model: 'broken' }));
    await link(failed).waitFor();
    const fine = await send();
    await recordOf(gateway, tenant, fine);
    const table = page.getByRole('table', { name: 'Live requests' });
    for (const title of ['API key', 'HTTP status', 'Team', 'User']) {
      expect(await table.getByRole('columnheader', { name: title }).count()).toBe(1);
    }
    expect(await table.getByRole('rowheader').count()).toBe(1);
  });

  test('a request is found by its id and by the id of the client', async () => {
    const { page } = visitor;
    const id = await send({ 'x-request-id': 'order-2026-17' });
    await recordOf(gateway, tenant, id);
    await page.goto(requests());
    const form = page.getByRole('search', { name: 'Find a request' });
    await form.getByRole('searchbox').fill('order-2026-17');
    await form.getByRole('button', { name: 'Find' }).click();
    await page.waitForURL(/clientRequestId=order-2026-17/);
    await link(id).waitFor();
    expect(await page.getByRole('table', { name: 'Requests' }).getByRole('rowheader').count()).toBe(
      1,
    );
    await form.getByRole('searchbox').fill(` ${id.toUpperCase()} `);
    await form.getByRole('button', { name: 'Find' }).click();
    await page.waitForURL(new RegExp(`/usage/${id}$`));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('order-2026-17');
    await page.getByRole('option', { name: /Requests with this client’s id/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/clientRequestId=order-2026-17/);
    await link(id).waitFor();
  });

  test('the page of a request tells the price in words, and the provider’s words', async () => {
    const { page } = visitor;
    const id = await send();
    const record = await recordOf(gateway, tenant, id);
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/usage/${id}`);
    const table = page.getByRole('table', { name: 'How the cost is made up' });
    await table.getByRole('row', { name: /^Input tokens .* per million/ }).waitFor();
    const amounts = await table.locator('tbody tr td:last-child').allInnerTexts();
    const sum = amounts.reduce((total, text) => total + Number(text.replace('$', '')), 0);
    expect(sum).toBeCloseTo(Number((record as { costUsd: string }).costUsd), 8);
    await page
      .getByRole('figure')
      .getByRole('listitem', { name: /^Attempt 1: began/ })
      .waitFor();

    const failed = requestIdOf(await chat(gateway.edgeUrl(), key, { model: 'broken' }));
    const { attempts } = (await recordOf(gateway, tenant, failed)) as rest.UsageRecordDetail;
    const message = attempts[0]?.message ?? '';
    expect(message).not.toBe('');
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/usage/${failed}`);
    await page.getByRole('table', { name: 'Attempts' }).getByText(message).first().waitFor();
    await eventually('the console has no complaint', () =>
      Promise.resolve(visitor.complaints().filter((text) => !text.includes('50')).length === 0),
    );
  });
});
