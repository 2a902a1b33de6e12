import { formatUsd, parseUsd, type rest } from '@tollgate/contracts';
import Pdf from 'pdfkit';

import { drawableText, STANDARD_FONTS, type Weight } from './invoice-fonts';

/** An invoice as a PDF, written while its lines are read. */

export interface PdfContent {
  /** Of the file, in its properties. */
  readonly title: string;
  readonly createdAt: Date;
  readonly invoice: rest.Invoice;
  readonly lines: AsyncIterable<rest.InvoiceLine>;
}

const MARGIN = 50;
const WIDTH = 495;
const AMOUNT_WIDTH = 90;
const REQUESTS_WIDTH = 60;
const BOTTOM = 780;
const ROW_HEIGHT = 14;
/** From the top of a row: the ascent of Helvetica in the table's 8 points. */
const BASELINE = 5.744;

export async function* pdfOf({
  title,
  createdAt,
  invoice,
  lines,
}: PdfContent): AsyncGenerator<Buffer> {
  const document = new Pdf({
    size: 'A4',
    margin: MARGIN,
    info: { Title: title, CreationDate: createdAt },
  });
  async function write(): Promise<void> {
    head(document, invoice);
    await teamsAndLines(document, lines);
    if (document.y > BOTTOM - 6 * ROW_HEIGHT) document.addPage();
    document.moveDown();
    row(document, 'NORMAL', 'Sum of the lines', '', invoice.totalUsd);
    row(document, 'NORMAL', 'Rounding to whole cents', '', invoice.roundingUsd);
    row(document, 'BOLD', 'Amount due, US dollars', '', invoice.dueUsd);
    document.end();
  }
  const written = write();
  // Destroying the document passes the error on to its reader.
  written.catch((error: Error) => document.destroy(error));
  yield* document as AsyncIterable<Buffer>;
  await written;
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
    row(document, 'BOLD', `Sum of ${group.words}`, '', formatUsd(sum));
    sum = 0n;
  };
  for await (const line of lines) {
    const key = `${line.month} ${line.teamId ?? ''}`;
    if (document.y > BOTTOM - 6 * ROW_HEIGHT) document.addPage();
    if (key !== group?.key) {
      close();
      group = { key, words: groupWords(line) };
      document.moveDown(0.5);
      row(document, 'BOLD', group.words, '', '');
    }
    const requests = line.requests.toLocaleString('en-US');
    row(document, 'NORMAL', line.description, requests, line.amountUsd);
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
  document.fontSize(18);
  paragraph(document, 'BOLD', invoice.status === 'VOID' ? `${title} – VOID` : title);
  document.fontSize(10).moveDown(0.5);
  paragraph(document, 'NORMAL', invoice.billingName);
  if (invoice.billingAddress !== '') paragraph(document, 'NORMAL', invoice.billingAddress);
  if (invoice.taxNumber !== '') paragraph(document, 'NORMAL', `Tax number ${invoice.taxNumber}`);
  document.moveDown(0.5);
  paragraph(document, 'NORMAL', `Usage in ${invoice.month} (${invoice.timeZone})`);
  if (invoice.issuedAt !== null) {
    paragraph(document, 'NORMAL', `Issued ${invoice.issuedAt.slice(0, 10)}`);
  }
  if (invoice.voidReason !== null) paragraph(document, 'NORMAL', `Void: ${invoice.voidReason}`);
  document.moveDown().fontSize(8);
  row(document, 'BOLD', 'Model or MCP server, key and team', 'Requests', 'US dollars');
}

function paragraph(document: PDFKit.PDFDocument, weight: Weight, content: string): void {
  const { font, text } = drawableText(content, weight);
  document.font(font).text(text);
}

/** One line of the table; a long description is truncated. */
function row(
  document: PDFKit.PDFDocument,
  weight: Weight,
  what: string,
  requests: string,
  amount: string,
): void {
  const { y } = document;
  const description = WIDTH - AMOUNT_WIDTH - REQUESTS_WIDTH - 10;
  // Fonts have different ascents, so the texts of a row share the baseline and not the top.
  const cell = {
    lineBreak: false,
    height: ROW_HEIGHT,
    ellipsis: true,
    baseline: 'alphabetic',
  } as const;
  const { font, text } = drawableText(what, weight);
  document.font(font).text(text, MARGIN, y + BASELINE, { ...cell, width: description });
  document.font(STANDARD_FONTS[weight]);
  document.text(requests, MARGIN + description + 5, y + BASELINE, {
    ...cell,
    width: REQUESTS_WIDTH,
    align: 'right',
  });
  document.text(amount, MARGIN + WIDTH - AMOUNT_WIDTH, y + BASELINE, {
    ...cell,
    width: AMOUNT_WIDTH,
    align: 'right',
  });
  document.x = MARGIN;
  document.y = y + ROW_HEIGHT;
}
