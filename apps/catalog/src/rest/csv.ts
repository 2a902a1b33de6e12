/** One line of CSV (RFC 4180): CRLF at the end, quotes where they are needed. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

/** Numbers and amounts are written as they are; texts are made harmless first. */
export type CsvCell = string | number | boolean | null | { readonly amount: string };

/**
 * Spreadsheets take a text that begins with one of these for a formula, and run it. Such a text gets
 * an apostrophe in front, which they show as text.
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
