/** One line of CSV (RFC 4180), with CRLF and quotes where needed. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

/** Numbers and amounts are written as they are; texts are escaped for spreadsheets first. */
export type CsvCell = string | number | boolean | null | { readonly amount: string };

/**
 * Spreadsheets run a text with one of these first characters as a formula. An apostrophe in front
 * makes them show it as text.
 */
const FORMULA = /^[\s]*[=+\-@\t\r\n|%]/;
const NEEDS_QUOTES = /[",\r\n]/;

function cellText(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'object') return cell.amount;
  if (typeof cell !== 'string') return String(cell);
  const harmless = FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
