import type { rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';

import { Organisation } from '../../entities/organisation.entity';
import type { Call } from '../../rest/call';
import { csvLine, type CsvCell } from '../../rest/csv';
import { download } from '../../rest/download';
import { pageOfLines } from './invoice-lines';
import { pdfOf } from './invoice-pdf';
import { find, get } from './invoices';

/** An invoice as a file: CSV or PDF. Lines are read page by page. */

const BATCH = 500;

async function* linesOf(db: EntityManager, invoiceId: string): AsyncGenerator<rest.InvoiceLine> {
  let cursor: string | undefined;
  do {
    const page = await pageOfLines(db, invoiceId, { cursor, limit: BATCH });
    yield* page.data;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

const COLUMNS: readonly (readonly [name: string, cell: (line: rest.InvoiceLine) => CsvCell])[] = [
  ['kind', (line) => line.kind],
  ['month', (line) => line.month],
  ['description', (line) => line.description],
  ['teamId', (line) => line.teamId],
  ['team', (line) => line.team],
  ['apiKeyId', (line) => line.apiKeyId],
  ['apiKey', (line) => line.apiKey],
  ['modelId', (line) => line.modelId],
  ['model', (line) => line.model],
  ['mcpServerId', (line) => line.mcpServerId],
  ['mcpServer', (line) => line.mcpServer],
  ['requests', (line) => line.requests],
  ['tokensIn', (line) => line.tokensIn],
  ['tokensOut', (line) => line.tokensOut],
  ['amountUsd', (line) => ({ amount: line.amountUsd })],
];

const nameOf = (invoice: rest.Invoice): string =>
  `invoice-${invoice.number ?? 'draft'}-${invoice.month}`;

export async function toCsv(call: Call<typeof rest.exportInvoiceCsv>): Promise<string> {
  const { db, params } = call;
  const invoice = await get(db, params);
  async function* chunks(): AsyncGenerator<string> {
    yield csvLine(COLUMNS.map(([name]) => name));
    for await (const line of linesOf(db, invoice.id)) {
      yield csvLine(COLUMNS.map(([, cell]) => cell(line)));
    }
    const blank = COLUMNS.slice(4).map(() => null);
    const sum = (kind: string, what: string, amount: string): string =>
      csvLine([kind, invoice.month, what, ...blank, { amount }]);
    yield sum('ROUNDING', 'Rounding to whole cents', invoice.roundingUsd);
    yield sum('DUE', 'Amount due', invoice.dueUsd);
  }
  return download({ filename: `${nameOf(invoice)}.csv`, chunks: chunks() });
}

export async function toPdf(call: Call<typeof rest.exportInvoicePdf>): Promise<string> {
  const { db, params } = call;
  const invoice = await get(db, params);
  const { updatedAt } = await find(db, params);
  // Invoices of releases without recipients name the organisation.
  const { name } = await db.findOneByOrFail(Organisation, { id: params.organisationId });
  const chunks = pdfOf({
    title: nameOf(invoice),
    createdAt: invoice.issuedAt ? new Date(invoice.issuedAt) : updatedAt,
    invoice: { ...invoice, billingName: invoice.billingName || name },
    lines: linesOf(db, invoice.id),
  });
  return download({ filename: `${nameOf(invoice)}.pdf`, chunks });
}
