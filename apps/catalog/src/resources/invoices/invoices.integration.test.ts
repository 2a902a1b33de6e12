import { parseUsd, rest } from '@tollgate/contracts';
import fc from 'fast-check';

import { verifyLedger } from '../../ledger';
import {
  chargedOf,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import {
  appendNext,
  entryOf,
  mcpEntryOf,
  startTestDatabases,
  type TestDatabases,
} from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let params: { organisationId: string };
let made = 0;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

async function newTenant(): Promise<void> {
  tenant = await createTenant(server, `acme-${(made += 1)}`);
  params = { organisationId: tenant.organisationId };
}
beforeEach(newTenant);

/** A request of the month; returns its id. */
async function book(
  month: string,
  nanoUsd: number,
  teamId: string = tenant.teamId,
): Promise<string> {
  const entry = entryOf(
    { ...chargedOf(tenant), teamId },
    {
      authorisedAtMs: Date.parse(`${month}-11T10:00:00Z`),
      settle: { costNanoUsd: String(nanoUsd) },
    },
  );
  await appendNext(database.pool, tenant, [entry]);
  return entry.requestId;
}

const correct = (requestId: string, costUsd: string) =>
  server.ok(server.root, rest.correctUsageRecord, {
    params: { ...params, requestId },
    body: { costUsd, reason: 'billed twice' },
  });
const draft = (month: string) =>
  server.ok(server.root, rest.createInvoice, { params, body: { month } });
const at = (invoiceId: string) => ({ params: { ...params, invoiceId } });
const issue = (id: string) => server.ok(server.root, rest.issueInvoice, at(id));
const bill = async (month: string) => issue((await draft(month)).id);
const linesOf = async (id: string) =>
  (await server.ok(tenant.callers.ORG_ADMIN, rest.listInvoiceLines, at(id))).data;
const signed = (usd: string): bigint => parseUsd(usd, { allowNegative: true });

test('an invoice has the month by team, key and model, and rounds its exact sum in the open', async () => {
  await book('2026-03', 1_234_567);
  await book('2026-03', 4_000_000);
  await book('2026-04', 9_000_000);
  const invoice = await draft('2026-03');
  expect(invoice).toMatchObject({
    status: 'DRAFT',
    number: null,
    totalUsd: '0.005234567',
    roundingUsd: '0.004765433',
    dueUsd: '0.01',
    lineCount: 1,
    startsAt: '2026-03-01T00:00:00.000Z',
  });
  expect(await linesOf(invoice.id)).toMatchObject([
    {
      kind: 'USAGE',
      month: '2026-03',
      requests: 2,
      amountUsd: '0.005234567',
      teamId: tenant.teamId,
    },
  ]);
});

/** Requests to the tenant's MCP server, one for each cost; returns the id of the last. */
async function bookCalls(month: string, costs: readonly number[], method = 'tools/call') {
  const entries = costs.map((nanoUsd) =>
    mcpEntryOf(chargedOf(tenant), tenant.mcpServerId, {
      authorisedAtMs: Date.parse(`${month}-11T10:00:00Z`),
      mcp: { method },
      settle: { costNanoUsd: String(nanoUsd) },
    }),
  );
  await appendNext(database.pool, tenant, entries);
  return entries.at(-1)?.requestId ?? '';
}

test('calls of an MCP server are a line of their own, exact, and corrected on the next invoice', async () => {
  await book('2026-03', 4_000_000);
  const requestId = await bookCalls('2026-03', [1_234_567, 3_333_333]);
  await bookCalls('2026-03', [0, 0, 0], 'tools/list');
  const invoice = await bill('2026-03');
  expect(invoice).toMatchObject({ totalUsd: '0.0085679', dueUsd: '0.01', lineCount: 2 });
  const lines = await linesOf(invoice.id);
  expect(lines.find(({ mcpServerId }) => mcpServerId !== null)).toMatchObject({
    kind: 'USAGE',
    description: 'MCP server Tools, key user, team Research',
    modelId: null,
    mcpServerId: tenant.mcpServerId,
    requests: 2,
    tokensIn: 0,
    amountUsd: '0.0045679',
  });
  await correct(requestId, '-0.003333333');
  expect(await linesOf((await bill('2026-04')).id)).toMatchObject([
    { kind: 'ADJUSTMENT', mcpServerId: tenant.mcpServerId, amountUsd: '-0.003333333' },
  ]);
  const csv = await server.ok(tenant.callers.ORG_ADMIN, rest.exportInvoiceCsv, at(invoice.id));
  expect(csv).toContain(`,${tenant.mcpServerId},Tools,2,0,0,0.0045679`);
});

test('a draft follows the books, an issued invoice never changes again', async () => {
  const requestId = await book('2026-03', 20_000_000);
  const { id } = await draft('2026-03');
  await book('2026-03', 5_000_000);
  const stale = await server.refused(server.root, rest.issueInvoice, at(id));
  expect(stale).toMatchObject({ status: 409, path: 'totalUsd' });
  const fresh = await server.ok(server.root, rest.recomputeInvoice, at(id));
  expect(fresh.totalUsd).toBe('0.025');
  const issued = await issue(id);
  expect(issued).toMatchObject({ status: 'ISSUED', number: '000001', totalUsd: '0.025' });

  await correct(requestId, '-0.01');
  for (const endpoint of [rest.recomputeInvoice, rest.issueInvoice, rest.deleteInvoice]) {
    expect((await server.refused(server.root, endpoint, at(id))).path).toBe('status');
  }
  expect(await server.ok(server.root, rest.getInvoice, at(id))).toEqual(issued);
});

test('what is booked after issue goes onto the next invoice', async () => {
  const requestId = await book('2026-03', 20_000_000);
  await bill('2026-03');
  await correct(requestId, '-0.004');
  await book('2026-03', 1_000_000);
  await book('2026-04', 7_000_000);
  const next = await bill('2026-04');
  expect(next).toMatchObject({ number: '000002', totalUsd: '0.004' });
  expect(await linesOf(next.id)).toMatchObject([
    { kind: 'USAGE', month: '2026-04', amountUsd: '0.007' },
    { kind: 'ADJUSTMENT', month: '2026-03', requests: 1, amountUsd: '-0.003' },
  ]);
});

test('a void invoice keeps its number, and its month can be billed again', async () => {
  await book('2026-03', 20_000_000);
  const { id } = await bill('2026-03');
  const again = await server.refused(server.root, rest.createInvoice, {
    params,
    body: { month: '2026-03' },
  });
  expect(again).toMatchObject({ status: 409, path: 'month' });
  const body = { reason: 'wrong address' };
  const voided = await server.ok(server.root, rest.voidInvoice, { ...at(id), body });
  expect(voided).toMatchObject({ status: 'VOID', number: '000001', voidReason: 'wrong address' });
  expect(await bill('2026-03')).toMatchObject({ number: '000002', totalUsd: '0.02' });
});

test('numbers have no gaps, however many are issued at once and refused', async () => {
  const drafts = [];
  for (const month of ['2026-01', '2026-02', '2026-03']) drafts.push(await draft(month));
  await Promise.all(drafts.map(({ id }) => server.call(server.root, rest.issueInvoice, at(id))));
  for (const { id } of drafts) await server.call(server.root, rest.issueInvoice, at(id));
  const { data } = await server.ok(server.root, rest.listInvoices, { params });
  expect(data.map(({ number }) => number)).toEqual(['000003', '000002', '000001']);
});

test('a month that is not over is not issued, one to come has no draft', async () => {
  const month = (ms: number): string => new Date(ms).toISOString().slice(0, 7);
  const { id } = await draft(month(Date.now()));
  const early = await server.refused(server.root, rest.issueInvoice, at(id));
  expect(early).toMatchObject({ status: 409, path: 'month' });
  const body = { month: month(Date.now() + 70 * 86_400_000) };
  const future = await server.refused(server.root, rest.createInvoice, { params, body });
  expect(future).toMatchObject({ status: 409, path: 'month' });
});

test('sums by team: the largest first, with what no team has spent', async () => {
  const admin = tenant.callers.ORG_ADMIN;
  const small = await server.ok(admin, rest.createTeam, { params, body: { name: 'Small' } });
  await book('2026-03', 1_000_000, small.id);
  await book('2026-03', 5_000_000, small.id);
  await book('2026-03', 9_000_000, '');
  await book('2026-03', 20_000_000);
  const { id } = await draft('2026-03');
  const { data, teamCount } = await server.ok(admin, rest.getInvoiceTeams, at(id));
  expect(teamCount).toBe(3);
  expect(data.map(({ team, amountUsd, requests }) => [team, amountUsd, requests])).toEqual([
    ['Research', '0.02', 1],
    [null, '0.009', 1],
    ['Small', '0.006', 2],
  ]);
});

test('it is made out to the recipient of its time, with the names of its time, in sums by team', async () => {
  const admin = tenant.callers.ORG_ADMIN;
  const set = (body: object) => server.ok(admin, rest.updateSettings, { params, body });
  await book('2026-03', 1_234_567);
  await bookCalls('2026-03', [3_333_333]);
  const { name } = await server.ok(admin, rest.getOwnOrganisation, { params });
  const first = await draft('2026-03');
  expect(first).toMatchObject({ billingName: name, billingAddress: '', taxNumber: '' });
  await set({
    billingName: 'Acme GmbH',
    billingAddress: 'Hauptstr. 1\n10115 Berlin',
    taxNumber: 'DE123456789',
  });
  expect(await server.ok(admin, rest.getInvoice, at(first.id))).toMatchObject({
    billingName: name,
  });
  const refreshed = await server.ok(server.root, rest.recomputeInvoice, at(first.id));
  expect(refreshed).toMatchObject({
    billingName: 'Acme GmbH',
    billingAddress: 'Hauptstr. 1\n10115 Berlin',
    taxNumber: 'DE123456789',
  });
  await issue(first.id);
  await set({ billingName: 'Acme AG', taxNumber: '' });
  const body = { name: 'Renamed' };
  const team = { params: { ...params, teamId: tenant.teamId }, body };
  await server.ok(admin, rest.updateTeam, team);
  expect(await server.ok(admin, rest.getInvoice, at(first.id))).toMatchObject({
    billingName: 'Acme GmbH',
    taxNumber: 'DE123456789',
  });
  expect(await server.ok(admin, rest.getInvoiceTeams, at(first.id))).toEqual({
    data: [
      {
        teamId: tenant.teamId,
        team: 'Research',
        lineCount: 2,
        requests: 2,
        amountUsd: '0.0045679',
      },
    ],
    teamCount: 1,
  });
  const lines = await linesOf(first.id);
  expect(lines.map(({ team: of }) => of)).toEqual(['Research', 'Research']);
  expect(lines.map(({ mcpServer }) => mcpServer).filter(Boolean)).toEqual(['Tools']);
  await database.pool.query(
    'UPDATE invoice_line SET team_name = NULL, mcp_server_name = NULL WHERE invoice_id = $1',
    [first.id],
  );
  const older = await linesOf(first.id);
  expect(older.map(({ team: of }) => of)).toEqual(['Renamed', 'Renamed']);
  expect(older.map(({ mcpServer }) => mcpServer).filter(Boolean)).toEqual(['Tools']);
});

test('a recipient that no file could show is refused with its field', async () => {
  const admin = tenant.callers.ORG_ADMIN;
  const refusal = (body: object) => server.refused(admin, rest.updateSettings, { params, body });
  expect(await refusal({ billingName: 'Acme\u0000' })).toMatchObject({
    status: 422,
    path: 'billingName',
  });
  expect(await refusal({ billingAddress: 'x\n'.repeat(8) + 'x' })).toMatchObject({
    status: 422,
    path: 'billingAddress',
  });
  expect(await refusal({ taxNumber: '1'.repeat(51) })).toMatchObject({
    status: 422,
    path: 'taxNumber',
  });
});

test('it comes as CSV whose amounts add up, and as a PDF', async () => {
  await book('2026-03', 1_234_567);
  const { id } = await bill('2026-03');
  const csv = await server.ok(tenant.callers.ORG_ADMIN, rest.exportInvoiceCsv, at(id));
  const amounts = csv
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => signed(line.split(',').at(-1) ?? ''));
  const due = amounts.pop();
  expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(due);
  const pdf = await server.call(tenant.callers.ORG_ADMIN, rest.exportInvoicePdf, at(id));
  expect(pdf.headers.get('content-type')).toBe('application/pdf');
  expect(pdf.headers.get('content-disposition')).toContain('invoice-000001-2026-03.pdf');
  expect(pdf.body.startsWith('%PDF-')).toBe(true);
  expect(pdf.body.trimEnd().endsWith('%%EOF')).toBe(true);
});

interface Step {
  kind: 'book' | 'call' | 'correct' | 'bill' | 'void' | 'zone';
  month: number;
  amount: number;
}
const MONTHS = ['2026-01', '2026-02', '2026-03'];
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    'book' as const,
    'call' as const,
    'correct' as const,
    'bill' as const,
    'void' as const,
    'zone' as const,
  ),
  month: fc.integer({ min: 0, max: 2 }),
  amount: fc.integer({ min: 1, max: 50_000_000 }),
});

/** Runs a step; a refused step changes nothing. */
async function play({ kind, month, amount }: Step, booked: string[]): Promise<void> {
  const name = MONTHS[month] ?? '';
  if (kind === 'book') booked.push(await book(name, amount));
  if (kind === 'call') booked.push(await bookCalls(name, [amount]));
  if (kind === 'correct') {
    const requestId = booked[amount % Math.max(1, booked.length)];
    if (requestId !== undefined) await correct(requestId, '0.000000123');
  }
  if (kind === 'zone') {
    await database.pool.query('UPDATE organisation SET time_zone = $2 WHERE id = $1', [
      tenant.organisationId,
      amount % 2 === 0 ? 'America/New_York' : 'UTC',
    ]);
  }
  const { data } = await server.ok(server.root, rest.listInvoices, { params });
  const open = data.find((one) => one.month === name && one.status !== 'VOID');
  if (kind === 'bill' && open === undefined) await bill(name);
  if (kind === 'void' && open !== undefined) {
    await server.ok(server.root, rest.voidInvoice, { ...at(open.id), body: { reason: 'x' } });
  }
}

test('whatever is booked, corrected, billed and voided, all lines add up to the ledger', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), async (steps) => {
      await newTenant();
      const booked: string[] = [];
      for (const one of steps) await play(one, booked);
      // The last month is billed last, so it includes what was booked after the others.
      for (const [month, name] of MONTHS.entries()) {
        await play({ kind: 'bill', month, amount: 1 }, booked);
        if (name !== MONTHS.at(-1)) continue;
        await play({ kind: 'void', month, amount: 1 }, booked);
        await play({ kind: 'bill', month, amount: 1 }, booked);
      }
      const { data } = await server.ok(server.root, rest.listInvoices, { params });
      let billed = 0n;
      for (const { id, status, totalUsd } of data) {
        const sum = (await linesOf(id)).reduce((all, line) => all + signed(line.amountUsd), 0n);
        expect(sum).toBe(signed(totalUsd));
        if (status === 'ISSUED') billed += sum;
      }
      const { organisations } = await verifyLedger(database.pool);
      const books = organisations.find((one) => one.organisationId === tenant.organisationId);
      expect(billed).toBe(books?.costNanoUsd ?? 0n);
    }),
    { numRuns: 4 },
  );
});

test('a correction after a change of the time zone is billed with the month of its request', async () => {
  const entry = entryOf(chargedOf(tenant), {
    // In New York it is still February.
    authorisedAtMs: Date.parse('2026-03-01T02:00:00Z'),
    timeZone: 'UTC',
    settle: { costNanoUsd: '5000000' },
  });
  await appendNext(database.pool, tenant, [entry]);
  await play({ kind: 'zone', month: 0, amount: 2 }, []);
  await correct(entry.requestId, '0.001');
  const { id, totalUsd } = await draft('2026-03');
  expect(totalUsd).toBe('0.006');
  expect((await linesOf(id)).map(({ month }) => month)).toEqual(['2026-03']);
});
