import type { Browser } from 'playwright-core';

import {
  chat,
  eventually,
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

// A price correction in a real browser: an administrator of an organisation asks, an operator decides, and the records and
// the invoice say the new sum.

const binary = browserBinary();
const PASSWORD = 'correct horse battery staple';

(binary === undefined ? describe.skip : describe)('price corrections in the console', () => {
  let gateway: SharedGateway;
  let tenant: Tenant;
  let browser: Browser;
  let zora: Visitor;
  let operator: Visitor;
  let requestId: string;

  beforeAll(async () => {
    gateway = await sharedGateway();
    tenant = await newTenant(gateway, { organisation: { name: 'Quarry Company' } });
    const modelId = await tenant.model('slate', 'sim', { prices: [] });
    const email = `zora@${tenant.slug}.example`;
    await tenant.create('users', { email, name: 'Zora', role: 'ORG_ADMIN', password: PASSWORD });
    const { key } = await tenant.key({ modelIds: [modelId] });
    const answer = expectStatus(await chat(gateway.edgeUrl(), key, { model: 'slate' }), 200);
    requestId = requestIdOf(answer);
    expect(await recordOf(gateway, tenant, requestId)).toMatchObject({ costUsd: '0.00' });
    browser = await openBrowser(binary ?? '');
    zora = await visit(browser);
    await signIn(zora, gateway, { email, password: PASSWORD }, `/${tenant.slug}/corrections`);
    operator = await visit(browser);
    await signIn(operator, gateway, gateway.superAdmin, '/admin/dashboard');
  });
  afterAll(async () => {
    await browser?.close();
  });

  async function ask(reason: string): Promise<void> {
    const { page } = zora;
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/corrections`, { waitUntil: 'networkidle' });
    await page.getByRole('button', { name: 'Ask for a correction' }).first().click();
    const form = page.getByRole('dialog', { name: 'Ask for a price correction' });
    await form.getByRole('option', { name: /^slate/ }).click();
    // A day ago, in the format of the field.
    const from = new Date(Date.now() - 86_400_000).toISOString().slice(0, 19);
    await form.getByLabel('Requests from').fill(from);
    await form.getByLabel('Input', { exact: true }).fill('100');
    await form.getByLabel('Output', { exact: true }).fill('200');
    await form.getByLabel('Reason').fill(reason);
    await form.getByRole('button', { name: 'Ask', exact: true }).click();
    await form.waitFor({ state: 'hidden' });
    await page.getByRole('row', { name: new RegExp(`slate ?${reason}.*Open`) }).waitFor();
  }

  async function decide(action: 'Approve' | 'Decline', submit: string, answer: string) {
    const { page } = operator;
    await page.goto(`${gateway.adminUrl}/admin/corrections?status=OPEN`, {
      waitUntil: 'networkidle',
    });
    await page.getByRole('button', { name: 'Actions for the correction of slate' }).click();
    await page.getByRole('menuitem', { name: action }).click();
    const form = page.getByRole('dialog', { name: /correction of slate/ });
    await form.getByRole('textbox').fill(answer);
    await form.getByRole('button', { name: submit }).click();
    await form.waitFor({ state: 'hidden' });
  }

  test('asking needs the attention of the operators', async () => {
    await ask('slate had no price');
    const { page } = operator;
    await page.goto(`${gateway.adminUrl}/admin/dashboard`, { waitUntil: 'networkidle' });
    const link = page.getByRole('link', { name: /^Decide.*1 price correction to decide$/ });
    await link.click();
    await page.waitForURL('**/admin/corrections?status=OPEN');
    await page.getByRole('row', { name: /slate had no price.*Quarry Company/ }).waitFor();
  });

  test('an approved one is in the records, and in the invoice', async () => {
    await decide('Approve', 'Approve and re-rate', 'You are right.');
    const corrected = async (): Promise<boolean> => {
      const { data } = expectStatus(
        await gateway.rest.get(`${tenant.base}/price-corrections`),
        200,
      ) as { data: { data: { rerate: { status: string } | null }[] } };
      return data.data[0]?.rerate?.status === 'DONE';
    };
    await eventually('the requests are re-rated', corrected);
    const { data: record } = expectStatus(
      await gateway.rest.get(`${tenant.base}/usage/records/${requestId}`),
      200,
    ) as { data: { tokensIn: number; tokensOut: number; adjustments: { costUsd: string }[] } };
    const microUsd = record.tokensIn * 100 + record.tokensOut * 200;
    expect(record.adjustments.map(({ costUsd }) => Math.round(Number(costUsd) * 1e6))).toEqual([
      microUsd,
    ]);

    const { page } = zora;
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/corrections`, { waitUntil: 'networkidle' });
    await page.getByRole('row', { name: /Approved ?1 request changed.*You are right\./ }).waitFor();
    await page.goto(`${gateway.adminUrl}/${tenant.slug}/usage/${requestId}`);
    await page
      .getByRole('table', { name: 'Corrections' })
      .getByText('slate had no price')
      .waitFor();

    const invoice = await tenant.create('invoices', { month: thisMonth() });
    expect(Math.round(Number(invoice['totalUsd']) * 1e6)).toBe(microUsd);
  });

  test('a declined one changes nothing, and says why', async () => {
    await ask('once more');
    await decide('Decline', 'Decline', 'It is corrected already.');
    const { page } = zora;
    await page.reload({ waitUntil: 'networkidle' });
    const row = page.getByRole('row', { name: /once more.*Declined.*It is corrected already\./ });
    await row.waitFor();
    // Nothing can be done with a decided one.
    await row.getByRole('button').waitFor({ state: 'detached' });
    expect(zora.complaints()).toEqual([]);
    expect(operator.complaints()).toEqual([]);
  });

  test('an open one can be withdrawn', async () => {
    await ask('a mistake');
    const { page } = zora;
    await page.getByRole('button', { name: 'Actions for the correction of slate' }).first().click();
    await page.getByRole('menuitem', { name: 'Withdraw' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByRole('row', { name: /a mistake/ }).waitFor({ state: 'detached' });
  });
});

function thisMonth(): string {
  return new Date().toISOString().slice(0, 7);
}
