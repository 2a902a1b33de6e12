import type { Browser, Page } from 'playwright-core';

import {
  chat,
  eventually,
  newTenant,
  recordOf,
  requestIdOf,
  sharedGateway,
  type SharedGateway,
  type Tenant,
} from '..';
import { browserBinary, openBrowser } from '../gateway/browser';

// A screening policy, made and tried in the console, changed there, and shown with a request.

const binary = browserBinary();
const CARD = '4111 1111 1111 1111';

(binary === undefined ? describe.skip : describe)('the console’s screening pages', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let page: Page;
  let key = '';
  const seen: string[] = [];

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway);
    ({ key } = await tenant.key());
    browser = await openBrowser(binary ?? '');
    page = await browser.newPage();
    page.setDefaultTimeout(90_000);
    page.on('pageerror', (error) => seen.push(error.message));
    page.on('response', (response) => {
      if (response.status() >= 500) seen.push(`${String(response.status())} ${response.url()}`);
    });
    await page.goto(`${gateway.adminUrl}/login?next=/${tenant.slug}/screening`);
    await page.getByLabel('Email').fill(gateway.superAdmin.email);
    await page.getByLabel('Password').fill(gateway.superAdmin.password);
    await button('Sign in').click();
    await page.getByRole('heading', { name: 'Screening', exact: true }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');
  const pay = () =>
    chat(gateway.edgeUrl(), key, { messages: [{ role: 'user', content: `pay with ${CARD}` }] });

  test('a policy names what is missing, is tried on a text, and saved', async () => {
    await button('Create policy').first().click();
    await dialog().getByLabel('Name', { exact: true }).fill('House rules');
    await dialog().getByLabel('Identifier').fill('house');
    await dialog().getByRole('button', { name: 'Create policy' }).click();
    await dialog().getByRole('alert').filter({ hasText: 'Choose one.' }).waitFor();
    await dialog().getByLabel('On a hit').selectOption({ label: 'Block' });
    await dialog().getByLabel('If the rule cannot read the text').selectOption('BLOCK');
    await dialog().getByLabel('Text', { exact: true }).fill(`pay with ${CARD}`);
    await dialog().getByRole('button', { name: 'Try' }).click();
    await dialog().getByText('The rule personal-data blocks the request.').waitFor();
    await dialog().getByRole('button', { name: 'Create policy' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'House rules' }).click();
    await page.getByRole('heading', { name: 'Versions' }).waitFor();
    await page.getByText('the organisation', { exact: true }).waitFor();
    await eventually('it blocks', async () => (await pay()).status === 403);
  });

  test('a rule is changed, as a new version, and requests show what was found', async () => {
    await button('Edit').click();
    await dialog().getByLabel('On a hit').selectOption({ label: 'Mask' });
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await page.getByRole('table', { name: 'Versions of the rules' }).getByText('2').waitFor();
    const answer = await eventually('it masks', async () => {
      const reply = await pay();
      return reply.status === 200 && reply;
    });
    const requestId = requestIdOf(answer);
    await recordOf(gateway, tenant, requestId);
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/usage/${requestId}`);
    await page.getByText('house/personal-data;v=2;in=input;action=mask;hits=1').waitFor();
  });

  test('the policy shows how many requests its rules acted on, and leads to them', async () => {
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/screening`);
    await page.getByRole('link', { name: 'House rules' }).click();
    const hits = page.getByRole('table', { name: 'Hits by rule' });
    await hits.getByRole('link', { name: /^Masked texts of 1 of \d+ requests?$/ }).click();
    await page.getByText('house/personal-data', { exact: true }).waitFor();
  });

  test('a rule about parameters and one about the form of answers are added, tried and kept', async () => {
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/screening`);
    await button('Create policy').first().click();
    await dialog().getByLabel('Name', { exact: true }).fill('Bounds');
    await dialog().getByLabel('Identifier').fill('bounds');
    const rule = (place: number) => dialog().getByRole('group', { name: `Rule ${String(place)}` });
    const settle = async (place: number): Promise<void> => {
      await rule(place).getByLabel('On a hit').selectOption({ label: 'Block' });
      await rule(place).getByLabel('If the rule cannot read the text').selectOption('BLOCK');
    };
    await rule(1).getByLabel('Finds').selectOption('PARAMETERS');
    await rule(1).getByLabel('Name of the rule').fill('tokens');
    await rule(1).getByLabel('Checks').fill('max_tokens <= 4000');
    await settle(1);
    await button('Add a rule').click();
    await rule(2).getByLabel('Finds').selectOption('JSON_SCHEMA');
    await rule(2).getByLabel('Name of the rule').fill('shape');
    await rule(2).getByLabel('JSON schema').fill('{"properties":{"a":{"type":"text"}}}');
    await settle(2);
    await dialog().getByRole('button', { name: 'Create policy' }).click();
    await dialog()
      .getByText(/\/properties\/a\/type/)
      .first()
      .waitFor();
    await rule(2).getByLabel('JSON schema').fill('{"required":["a"]}');
    await dialog().getByLabel('Text', { exact: true }).fill('{"max_output_tokens":5000}');
    await dialog().getByRole('button', { name: 'Try' }).click();
    await dialog().getByText('tokens: max_output_tokens must be at most 4000.').waitFor();
    await rule(2).getByRole('button', { name: 'Remove rule 2' }).click();
    await dialog().getByRole('button', { name: 'Create policy' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await eventually('it blocks', async () => {
      const { status } = await chat(gateway.edgeUrl(), key, {
        messages: [{ role: 'user', content: 'Hi' }],
        max_tokens: 4_001,
      });
      return status === 403;
    });
  });

  test('a service is added, and a rule asks it', async () => {
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/screening?tab=services`);
    await button('Add service').first().click();
    await dialog().getByLabel('Name', { exact: true }).fill('Moderation');
    await dialog().getByLabel('Identifier').fill('moderation');
    await dialog().getByLabel('Protocol').selectOption('OPENAI_MODERATION');
    await dialog().getByLabel('URL').fill('http://10.0.0.7/v1');
    await dialog().getByLabel('Least scores').fill('violence: 0.5');
    await dialog().getByLabel('Authentication').selectOption('BEARER');
    await dialog().getByLabel('Token').fill('sk-sim-moderation');
    await dialog().getByRole('button', { name: 'Add service' }).click();
    await dialog()
      .getByText(/is not a public address/)
      .waitFor();
    await dialog().getByLabel('URL').fill(`${gateway.simulatorUrl}/v1`);
    await dialog().getByRole('button', { name: 'Add service' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await page.getByText('Moderation', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Policies' }).click();
    await page.getByRole('link', { name: 'House rules' }).click();
    await button('Edit').click();
    await button('Add a rule').click();
    const rule = dialog().getByRole('group', { name: 'Rule 2' });
    await rule.getByLabel('Finds').selectOption('EXTERNAL');
    await rule.getByLabel('Name of the rule').fill('flagged');
    await rule.getByLabel('Service').selectOption('moderation');
    await rule.getByLabel('On a hit').selectOption({ label: 'Block' });
    await rule.getByLabel('If the rule cannot read the text').selectOption('BLOCK');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'hidden' });
    const violent = { messages: [{ role: 'user', content: 'violence' }] };
    await eventually('the service blocks', async () => {
      const { status } = await chat(gateway.edgeUrl(), key, violent);
      return status === 403;
    });
  });

  test('code is tried before it is saved', async () => {
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/screening?tab=services`);
    await button('Add service').first().click();
    await dialog().getByLabel('Name', { exact: true }).fill('Desk');
    await dialog().getByLabel('Identifier').fill('desk');
    await dialog().getByLabel('Protocol').selectOption('JAVASCRIPT');
    await dialog().getByLabel('Text', { exact: true }).fill('about project x');
    await dialog().getByRole('button', { name: 'Run' }).click();
    await dialog().getByText('It refuses: “Not about project x.”').waitFor();
    await dialog().getByLabel('Code', { exact: true }).fill('function check( {');
    await dialog().getByRole('button', { name: 'Add service' }).click();
    await dialog()
      .getByText(/SyntaxError/)
      .waitFor();
    await dialog()
      .getByLabel('Code', { exact: true })
      .fill('function check() { return { verdict: "PASS" }; }');
    await dialog().getByRole('button', { name: 'Add service' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await page.getByText('Code (JavaScript)').waitFor();
  });

  test('nothing failed on the way', () => {
    expect(seen).toEqual([]);
  });
});
