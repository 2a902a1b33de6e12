import type { Browser, Page } from 'playwright-core';

import { newTenant, sharedGateway, type SharedGateway, type Tenant } from '..';
import { browserBinary, openBrowser } from '../gateway/browser';
import { signIn, visit, type Visitor } from './test-support/visitor';

// What the playground begins with, what it says about costs, and what its address keeps.

const binary = browserBinary();
const SECRET = 'the launch is on Friday';

(binary === undefined ? describe.skip : describe)('the playground’s models and address', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;

  const price = (input: string, output: string): object => ({
    prices: [{ steps: [{ fromInputTokens: 0, input, output }] }],
  });

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway);
    await tenant.model('a-free-one', 'sim', { prices: [] });
    await tenant.model('budget-friendly', 'sim', price('0.15', '0.6'));
    await tenant.model('cheap-to-ask', 'sim', price('0.1', '90'));
    browser = await openBrowser(binary ?? '');
    visitor = await visit(browser);
    ({ page } = visitor);
    await signIn(visitor, gateway, gateway.superAdmin, `/${tenant.slug}/playground`);
  });
  afterAll(async () => {
    await browser?.close();
  });

  const model = (label = 'Model') => page.getByRole('button', { name: label, exact: true });
  const search = (): URLSearchParams => new URL(page.url()).searchParams;

  test('it begins with the cheapest model, and shows prices beside the models', async () => {
    await model().filter({ hasText: 'budget-friendly' }).waitFor();
    await page.getByText('$0.15 in, $0.60 out per million tokens').waitFor();
    await model().click();
    const offered = page.getByRole('dialog', { name: 'Models' }).getByRole('option');
    await offered.filter({ hasText: /^cheap-to-ask\$0\.10 in, \$90\.00 out$/ }).waitFor();
    await offered.filter({ hasText: /^a-free-oneno price$/ }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('a model is chosen with the keyboard, and the answer says what it cost', async () => {
    await model().press('Enter');
    await page.getByRole('combobox', { name: 'Search models' }).pressSequentially('cheap');
    await page.keyboard.press('Enter');
    await model().filter({ hasText: 'cheap-to-ask' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('What does it cost?');
    await page.getByRole('button', { name: 'Send' }).click();
    const turn = page.getByRole('article', { name: 'Question to cheap-to-ask' });
    await turn.getByText('Cost', { exact: true }).waitFor();
    await turn.getByText(/^\$0\.\d+/).waitFor();
  });

  test('a reload and a shared link restore the models and the numbers', async () => {
    await page.getByRole('button', { name: 'Compare with another model' }).click();
    await model('Second model').click();
    const offered = page.getByRole('dialog', { name: 'Models' }).getByRole('option');
    await offered.filter({ hasText: 'budget-friendly' }).click();
    await page.getByLabel('Temperature').fill('0.3');
    await page.getByLabel('Max tokens').fill('64');
    await page.waitForURL(/maxTokens=64/);
    await page.reload({ waitUntil: 'networkidle' });
    await model().filter({ hasText: 'cheap-to-ask' }).waitFor();
    await model('Second model').filter({ hasText: 'budget-friendly' }).waitFor();
    const other = await visitor.context.newPage();
    await other.goto(page.url(), { waitUntil: 'networkidle' });
    expect(await other.getByLabel('Temperature').inputValue()).toBe('0.3');
    expect(await other.getByLabel('Max tokens').inputValue()).toBe('64');
    await other.close();
    await page.getByRole('button', { name: 'Stop comparing' }).click();
    await page.waitForURL((url) => !url.searchParams.has('model2'));
    expect(search().get('model')).toBe('cheap-to-ask');
  });

  test('system prompt, tools and messages are never in the address', async () => {
    await page.getByText(/the\s+system prompt, tools and messages are never in it/).waitFor();
    await page.getByLabel('System prompt (optional)').fill(SECRET);
    await page.getByLabel('Tools (optional)').fill(`[{"${SECRET}":1}]`);
    await page.getByRole('textbox', { name: 'Message' }).fill(SECRET);
    await page.getByLabel('Temperature').fill('0.4');
    await page.waitForURL(/temperature=0\.4/);
    expect([...search().keys()].toSorted()).toEqual(['maxTokens', 'model', 'temperature']);
    expect(visitor.complaints()).toEqual([]);
  });
});
