// Filters the JSON-RPC message in one server-sent event. The lines of the event other than its data stay
// as they are, so that it keeps its id.

import { filterDocument, unreadable, type DocumentRules } from './filter-document';

/**
 * Text that an event with a list has in any spelling that a parser may accept: a field's name in some
 * case, escapes, or one of the two letters outside ASCII that are lower-case `s` and `k` in capitals.
 */
const MAY_HAVE_LIST = /"(?:tools|prompts|resources|resourcetemplates)"|\\u|\xc5\xbf|\xe2\x84\xaa/i;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The event with its list filtered; undefined: it stays as it is. `latin1` has one character per byte.
 * @throws UpstreamFailure when the event may have a list that cannot be read
 */
export function filterEvent(
  bytes: Buffer,
  latin1: string,
  rules: DocumentRules,
): Buffer | undefined {
  if (!MAY_HAVE_LIST.test(latin1)) return undefined;
  const event = openEvent(decoded(bytes));
  const after = event && filterDocument(Buffer.from(event.data), rules);
  return after === undefined ? undefined : event?.write(after);
}

export interface OpenEvent {
  /** Its lines of data, joined. */
  readonly data: string;
  /** The event with other data. */
  readonly write: (data: string) => Buffer;
}

/** Undefined: the event has no data. */
export function openEvent(text: string): OpenEvent | undefined {
  const lines = linesOf(text);
  const data = lines.filter(({ isData }) => isData);
  if (data.length === 0) return undefined;
  return {
    data: data.map(({ value }) => value).join('\n'),
    write: (after) => Buffer.from(lines.map((line) => written(line, data[0], after)).join('')),
  };
}

interface Line {
  readonly isData: boolean;
  /** All before the value. */
  readonly head: string;
  readonly value: string;
  readonly ending: string;
}

const LINE = /([^\r\n]*)(\r\n|\n|\r|$)/gy;
const DATA = /^(\uFEFF?data(?:: ?|$))(.*)$/s;

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (const [whole, content = '', ending = ''] of text.matchAll(LINE)) {
    if (whole === '') break;
    const [, head, value] = DATA.exec(content) ?? [];
    lines.push(
      head === undefined || value === undefined
        ? { isData: false, head: '', value: content, ending }
        : { isData: true, head, value, ending },
    );
  }
  return lines;
}

function decoded(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw unreadable('is not UTF-8');
  }
}

/** The whole new data stands where the first line of data stood. */
function written(line: Line, firstData: Line | undefined, data: string): string {
  if (!line.isData) return line.value + line.ending;
  if (line !== firstData) return '';
  const rows = data.split('\n');
  const more = rows.slice(1).map((row) => `data: ${row}${line.ending}`);
  const head = line.head.endsWith('data') ? `${line.head}: ` : line.head;
  return `${head}${rows[0] ?? ''}${line.ending}${more.join('')}`;
}
