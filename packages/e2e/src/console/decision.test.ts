import axios, { type AxiosResponse } from 'axios';
import type { Browser, Locator, Page } from 'playwright-core';

import { eventually, expectStatus, newTenant, PRICES, sharedGateway, type SharedGateway } from '..';
import { browserBinary, openBrowser } from '../gateway/browser';

// The page of a request that was really sent explains the decision, also of a refused one.

const binary = browserBinary();

/** $0.01: `chat` needs a tenth of it for 100 output tokens, `dear` a hundred times as much. */
const LIMIT_USD = 0.01;

(binary === undefined ? describe.skip : describe)('the page of a request', () => {
  let gateway: SharedGateway;
  let browser: Browser;
  let page: Page;
  let home: string;
  let base: string;
  let key: string;
  beforeAll(async () => {
    gateway = await sharedGateway();
    const organisation = { routingEnabled: true, keepDecisions: 'ALL' };
    const tenant = await newTenant(gateway, { organisation });
    const steps = [{ fromInputTokens: 0, ...PRICES, output: '10000.00' }];
    const dear = await tenant.model('dear', 'sim', { prices: [{ steps }] });
    const modelIds = [dear, tenant.modelId];
    const policy = await tenant.create('routing-policies', {
      name: 'best-first',
      strategy: 'failover',
      candidates: modelIds.map((modelId) => ({ modelId })),
    });
    const own = await tenant.key({ modelIds, routingPolicyId: policy.id });
    ({ key } = own);
    await tenant.create('budgets', {
      scope: { type: 'API_KEY', id: own.id },
      period: 'MONTHLY',
      limitUsd: String(LIMIT_USD),
    });
    ({ base } = tenant);
    home = `${gateway.adminUrl}/${tenant.slug}`;
    browser = await openBrowser(binary ?? '');
    page = await browser.newPage();
    page.setDefaultTimeout(90_000);
    await page.goto(`${gateway.adminUrl}/login?next=/${tenant.slug}/refusals`);
    await page.getByLabel('Email').fill(gateway.superAdmin.email);
    await page.getByLabel('Password').fill(gateway.superAdmin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Refused and failed' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
  });

  async function send(maxTokens: number, status: number): Promise<AxiosResponse> {
    const messages = [{ role: 'user', content: 'Hello' }];
    const body = { model: 'best-first', max_tokens: maxTokens, messages };
    const headers = { authorization: `Bearer ${key}` };
    const url = `${gateway.edgeUrl()}/v1/llm/chat`;
    return expectStatus(
      await axios.post(url, body, { headers, validateStatus: () => true }),
      status,
    );
  }

  const idOf = ({ headers }: AxiosResponse): string => String(headers['x-request-id']);

  const stateOf = async (requestId: string): Promise<unknown> => {
    const { data } = await gateway.rest.get(`${base}/usage/records/${requestId}/decision`);
    return (data as { state: string }).state;
  };

  const kept = (requestId: string) =>
    eventually('the decision is kept', async () => (await stateOf(requestId)) === 'KEPT');

  async function open(requestId: string): Promise<Locator> {
    await page.goto(`${home}/usage/${requestId}`);
    return page.getByRole('region', { name: 'Decision' });
  }

  /** The figures of the only limit: spent, held, this request and what is left, in dollars. */
  async function figuresIn(card: Locator): Promise<number[]> {
    const row = card.getByRole('table', { name: 'Limits before and after' }).getByRole('row');
    const cells = await row.nth(1).getByRole('cell').allInnerTexts();
    return cells.filter((text) => /^(\$|–)/.test(text)).map((text) => Number(text.slice(1)));
  }

  test('says why it was allowed, who was left out, and what the limit had before and after', async () => {
    const first = await send(100, 200);
    const second = await send(100, 200);
    await kept(idOf(second));
    const card = await open(idOf(first));
    await card.getByText('The request was allowed.').waitFor();
    await card.getByRole('list', { name: 'Checks' }).getByText('Every limit has room').waitFor();
    await card.getByText('Left out: dear (limit reached)').waitFor();
    await card.getByText('chat at provider_a').waitFor();
    const [spent = 0, held, needed = 0, left = 0] = await figuresIn(card);
    expect({ spent, held }).toEqual({ spent: 0, held: 0 });
    expect(`$${String(needed)}`).toBe(`$${String(Number(first.headers['x-tollgate-held-usd']))}`);
    expect(needed + left).toBeCloseTo(LIMIT_USD, 9);
    const later = await figuresIn(await opened(await open(idOf(second))));
    expect(later.reduce((sum, figure) => sum + figure)).toBeCloseTo(LIMIT_USD, 9);
    expect(later[0]).toBeCloseTo(Number(first.headers['x-tollgate-cost-usd']), 9);
  });

  const opened = async (card: Locator): Promise<Locator> => {
    await card.getByText(/^The request was/).waitFor();
    return card;
  };

  test('explains a refusal, which has no record, from the list of causes', async () => {
    const requestId = idOf(await send(5_000, 402));
    await kept(requestId);
    await eventually('the refusal is listed', async () => {
      const { data } = await gateway.rest.get(`${base}/refusals`);
      return JSON.stringify(data).includes(requestId);
    });
    await page.goto(`${home}/refusals`);
    await page.getByRole('link', { name: 'Explain the last one' }).first().click();
    await page.getByText('This request was refused').waitFor();
    expect(page.url()).toContain(requestId);
    const card = page.getByRole('region', { name: 'Decision' });
    await card.getByText('The request was refused with 402').waitFor();
    await card.getByText('Left out: dear (limit reached), chat (limit reached)').waitFor();
    const [spent = 0, held = 0, needed = 0] = await figuresIn(card);
    expect(spent).toBeGreaterThan(0);
    expect(spent + held + needed).toBeGreaterThan(LIMIT_USD);
    await card.getByText('What helps').waitFor();
  });

  test('says that a decision was removed by age, or not kept', async () => {
    const [young, old] = [Date.now(), Date.now() - 30 * 86_400_000].map((ms) => {
      const hex = ms.toString(16).padStart(12, '0');
      return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
    });
    await (await open(old ?? '')).getByText('The decision was removed').waitFor();
    await (await open(young ?? '')).getByText('The decision was not kept').waitFor();
    await page.goto(`${home}/settings`);
    await page.getByLabel('Keep decisions', { exact: true }).selectOption('OFF');
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually('the setting is saved', async () => {
      const { data } = await gateway.rest.get(`${base}/settings`);
      return (data as { keepDecisions: string }).keepDecisions === 'OFF';
    });
    await (await open(young ?? '')).getByText('This organisation keeps no decisions.').waitFor();
  });
});
