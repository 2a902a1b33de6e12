// Reads a JSON text in pieces, with the escapes of its strings replaced by what they stand for. So a finder
// does not take the n of \n for a letter, and a replacement never cuts an escape.

const PLAIN: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const LONGEST_ESCAPE = 6;

export interface JsonUnits {
  /** What finders read. */
  readonly text: string;
  /** The JSON text of each UTF-16 unit of `text`. */
  readonly units: readonly string[];
  /** The beginning of an escape at the end; empty: there is none. */
  readonly rest: string;
}

/** What finders and services read of a text. `json`: it is JSON itself. */
export function decodedText(text: string, json: boolean): string {
  if (!json) return text;
  const read = readJsonText(text);
  return read.text + read.rest;
}

/** Everything is read as if it were inside of a string: outside there are no backslashes. */
export function readJsonText(json: string): JsonUnits {
  if (!json.includes('\\')) return { text: json, units: json.split(''), rest: '' };
  let text = '';
  const units: string[] = [];
  for (let at = 0; at < json.length;) {
    const length = json[at] === '\\' ? escapeLength(json, at) : 1;
    if (length === 0) return { text, units, rest: json.slice(at) };
    const unit = json.slice(at, at + length);
    units.push(unit);
    text += length === 1 ? unit : meaningOf(unit);
    at += length;
  }
  return { text, units, rest: '' };
}

/** 0: the escape is not complete. */
function escapeLength(json: string, at: number): number {
  const kind = json[at + 1];
  if (kind === undefined) return 0;
  if (kind !== 'u') return 2;
  if (at + LONGEST_ESCAPE > json.length) return 0;
  return /^[0-9a-fA-F]{4}$/.test(json.slice(at + 2, at + LONGEST_ESCAPE)) ? LONGEST_ESCAPE : 2;
}

/** One UTF-16 unit. */
function meaningOf(unit: string): string {
  if (unit.length === LONGEST_ESCAPE)
    return String.fromCharCode(Number.parseInt(unit.slice(2), 16));
  const kind = unit[1] ?? '';
  return PLAIN[kind] ?? kind;
}
