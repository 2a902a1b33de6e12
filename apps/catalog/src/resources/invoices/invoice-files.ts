import { formatUsd, parseUsd, type rest } from '@tollgate/contracts';
import Pdf from 'pdfkit';
import type { EntityManager } from 'typeorm';

import { Organisation } from '../../entities/organisation.entity';
import type { Call } from '../../rest/call';
import { csvLine, type CsvCell } from '../../rest/csv';
import { download } from '../../rest/download';
import { pageOfLines } from './invoice-lines';
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

const MARGIN = 50;
const WIDTH = 495;
const AMOUNT_WIDTH = 90;
const REQUESTS_WIDTH = 60;
const BOTTOM = 780;
const ROW_HEIGHT = 14;

export async function toPdf(call: Call<typeof rest.exportInvoicePdf>): Promise<string> {
  const { db, params } = call;
  const invoice = await get(db, params);
  const { updatedAt } = await find(db, params);
  // Invoices of releases without recipients name the organisation.
  const { name } = await db.findOneByOrFail(Organisation, { id: params.organisationId });
  const billingName = invoice.billingName || name;
  const document = new Pdf({
    size: 'A4',
    margin: MARGIN,
    info: {
      Title: nameOf(invoice),
      CreationDate: invoice.issuedAt ? new Date(invoice.issuedAt) : updatedAt,
    },
  });
  async function write(): Promise<void> {
    head(document, { ...invoice, billingName });
    await teamsAndLines(document, linesOf(db, invoice.id));
    if (document.y > BOTTOM - 6 * ROW_HEIGHT) document.addPage();
    document.moveDown();
    row(document, 'Sum of the lines', '', invoice.totalUsd);
    row(document, 'Rounding to whole cents', '', invoice.roundingUsd);
    document.font('Helvetica-Bold');
    row(document, 'Amount due, US dollars', '', invoice.dueUsd);
    document.end();
  }
  async function* chunks(): AsyncGenerator<Buffer> {
    const written = write();
    // Destroying the document passes the error on to its reader.
    written.catch((error: Error) => document.destroy(error));
    yield* document as AsyncIterable<Buffer>;
    await written;
  }
  return download({ filename: `${nameOf(invoice)}.pdf`, chunks: chunks() });
}

/** Lines come by month, then by team: each of these groups has a heading and a sum. */
async function teamsAndLines(
  document: PDFKit.PDFDocument,
  lines: AsyncIterable<rest.InvoiceLine>,
): Promise<void> {
  let group: { readonly key: string; readonly words: string } | undefined;
  let sum = 0n;
  const close = (): void => {
    if (group === undefined) return;
    document.font('Helvetica-Bold');
    row(document, `Sum of ${group.words}`, '', formatUsd(sum));
    document.font('Helvetica');
    sum = 0n;
  };
  for await (const line of lines) {
    const key = `${line.month} ${line.teamId ?? ''}`;
    if (document.y > BOTTOM - 6 * ROW_HEIGHT) document.addPage();
    if (key !== group?.key) {
      close();
      group = { key, words: groupWords(line) };
      document.moveDown(0.5).font('Helvetica-Bold');
      row(document, group.words, '', '');
      document.font('Helvetica');
    }
    row(document, line.description, line.requests.toLocaleString('en-US'), line.amountUsd);
    sum += parseUsd(line.amountUsd, { allowNegative: true });
  }
  close();
}

function groupWords({ teamId, team, kind, month }: rest.InvoiceLine): string {
  const words = teamId === null ? 'Without a team' : `Team ${team ?? teamId}`;
  return kind === 'ADJUSTMENT' ? `${words}, adjustments of ${month}` : words;
}

function head(document: PDFKit.PDFDocument, invoice: rest.Invoice): void {
  const title = invoice.number === null ? 'Invoice (draft)' : `Invoice ${invoice.number}`;
  document.font('Helvetica-Bold').fontSize(18);
  document.text(invoice.status === 'VOID' ? `${title} – VOID` : title);
  document.font('Helvetica').fontSize(10).moveDown(0.5);
  document.text(invoice.billingName);
  if (invoice.billingAddress !== '') document.text(invoice.billingAddress);
  if (invoice.taxNumber !== '') document.text(`Tax number ${invoice.taxNumber}`);
  document.moveDown(0.5);
  document.text(`Usage in ${invoice.month} (${invoice.timeZone})`);
  if (invoice.issuedAt !== null) document.text(`Issued ${invoice.issuedAt.slice(0, 10)}`);
  if (invoice.voidReason !== null) document.text(`Void: ${invoice.voidReason}`);
  document.moveDown().fontSize(8).font('Helvetica-Bold');
  row(document, 'Model or MCP server, key and team', 'Requests', 'US dollars');
  document.font('Helvetica');
}

/** One line of the table; a long description is truncated. */
function row(document: PDFKit.PDFDocument, what: string, requests: string, amount: string): void {
  const { y } = document;
  const description = WIDTH - AMOUNT_WIDTH - REQUESTS_WIDTH - 10;
  const cell = { lineBreak: false, height: ROW_HEIGHT, ellipsis: true } as const;
  document.text(what, MARGIN, y, { ...cell, width: description });
  document.text(requests, MARGIN + description + 5, y, {
    ...cell,
    width: REQUESTS_WIDTH,
    align: 'right',
  });
  document.text(amount, MARGIN + WIDTH - AMOUNT_WIDTH, y, {
    ...cell,
    width: AMOUNT_WIDTH,
    align: 'right',
  });
  document.x = MARGIN;
  document.y = y + ROW_HEIGHT;
}
