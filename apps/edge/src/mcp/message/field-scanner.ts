// Reads the outer fields of a JSON document that is too large to keep, or that arrives in pieces. Memory is
// constant: only names and wanted values of the first two levels are kept while they are read. A document
// that is no JSON yields some fields or none, never an error.

export interface FieldListener {
  /**
   * A field of the root object (`parent` is undefined) or of an object in it. Returns whether its value
   * is wanted.
   */
  field: (parent: string | undefined, name: string) => boolean;
  /**
   * The JSON text of a wanted value. Undefined: it is an object or a list, or too long to be kept.
   */
  value: (parent: string | undefined, name: string, json: string | undefined) => void;
}

export interface FieldScanner {
  /** Reads the bytes from `start` up to `end`. */
  push: (chunk: Buffer, start: number, end: number) => void;
  /** Whether the root object or list was closed. */
  complete: () => boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
const SPACE = 0x20;

/** A name in JSON text; each character may be an escape of six. */
const NAME_BYTES = 512;
const VALUE_BYTES = 8 * 1024;
/** Fields are read at this depth and above. */
const DEEPEST = 2;

interface Scan extends FieldListener {
  depth: number;
  /** By depth: whether the container is an object, and whether its next text is a name. */
  readonly inObject: [boolean, boolean, boolean];
  readonly nameNext: [boolean, boolean, boolean];
  /** By depth: the field whose value is read; undefined: its name cannot be read. */
  readonly names: [undefined, string | undefined, string | undefined];
  /** The value that comes next, or is being read, is wanted. */
  wanted: boolean;
  /** JSON text of the name or the wanted value that is being read. */
  kept: string | undefined;
  keptMost: number;
  inText: boolean;
  textIsName: boolean;
  /** The next byte of the text follows a backslash. */
  escaped: boolean;
  closed: boolean;
}

export function createFieldScanner(listener: FieldListener): FieldScanner {
  const scan: Scan = {
    field: listener.field,
    value: listener.value,
    depth: 0,
    inObject: [false, false, false],
    nameNext: [false, false, false],
    names: [undefined, undefined, undefined],
    wanted: false,
    kept: undefined,
    keptMost: 0,
    inText: false,
    textIsName: false,
    escaped: false,
    closed: false,
  };
  return {
    push: (chunk, start, end) => push(scan, chunk, start, end),
    complete: () => scan.closed,
  };
}

function push(scan: Scan, chunk: Buffer, start: number, end: number): void {
  let at = start;
  while (at < end) {
    if (scan.inText) {
      at = readText(scan, chunk, at, end);
      continue;
    }
    const byte = chunk[at] ?? 0;
    at += 1;
    switch (byte) {
      case QUOTE:
        startText(scan);
        break;
      case COMMA:
        endScalar(scan);
        if (scan.depth <= DEEPEST) nameFollows(scan, scan.depth);
        break;
      case COLON:
        break;
      case BRACE_OPEN:
      case BRACKET_OPEN:
        open(scan, byte === BRACE_OPEN);
        break;
      case BRACE_CLOSE:
      case BRACKET_CLOSE:
        close(scan);
        break;
      default:
        // Numbers, true, false and null; without the white space around them.
        if (scan.wanted && byte > SPACE) keep(scan, String.fromCharCode(byte));
    }
  }
}

function nameFollows({ inObject, nameNext }: Scan, depth: number): void {
  nameNext[depth as 0 | 1 | 2] = inObject[depth as 0 | 1 | 2];
}

function open(scan: Scan, isObject: boolean): void {
  if (scan.wanted) endValue(scan, undefined);
  scan.depth += 1;
  if (scan.depth > DEEPEST) return;
  scan.inObject[scan.depth as 1 | 2] = isObject;
  nameFollows(scan, scan.depth);
}

function close(scan: Scan): void {
  endScalar(scan);
  if (scan.depth === 1) scan.closed = true;
  if (scan.depth > 0) scan.depth -= 1;
}

function startText(scan: Scan): void {
  const { depth } = scan;
  scan.inText = true;
  scan.textIsName = depth <= DEEPEST && scan.nameNext[depth as 0 | 1 | 2];
  scan.kept = scan.textIsName || scan.wanted ? '"' : undefined;
  scan.keptMost = scan.textIsName ? NAME_BYTES : VALUE_BYTES;
}

/** Returns the offset after the end of the text, or `end`. */
function readText(scan: Scan, chunk: Buffer, start: number, end: number): number {
  let at = start;
  if (scan.escaped) {
    scan.escaped = false;
    at += 1;
  }
  while (at < end) {
    const found = chunk.subarray(at, end).indexOf(QUOTE);
    const stop = found < 0 ? end : at + found;
    let backslashes = 0;
    while (stop - 1 - backslashes >= at && chunk[stop - 1 - backslashes] === BACKSLASH) {
      backslashes += 1;
    }
    const escaped = backslashes % 2 === 1;
    if (found >= 0 && !escaped) {
      keepBytes(scan, chunk, start, stop + 1);
      endText(scan);
      return stop + 1;
    }
    if (found < 0) scan.escaped = escaped;
    at = stop + 1;
  }
  keepBytes(scan, chunk, start, end);
  return end;
}

function keepBytes(scan: Scan, chunk: Buffer, start: number, end: number): void {
  if (scan.kept === undefined) return;
  if (scan.kept.length + end - start > scan.keptMost) scan.kept = undefined;
  else scan.kept += chunk.toString('latin1', start, end);
}

function keep(scan: Scan, character: string): void {
  scan.kept ??= '';
  scan.kept += character;
  if (scan.kept.length > VALUE_BYTES) endValue(scan, undefined);
}

function endText(scan: Scan): void {
  const { depth, kept } = scan;
  scan.inText = false;
  scan.kept = undefined;
  const text = kept === undefined ? undefined : Buffer.from(kept, 'latin1').toString('utf8');
  if (!scan.textIsName) {
    if (scan.wanted) endValue(scan, text);
    return;
  }
  const name = text === undefined ? undefined : nameOf(text);
  scan.nameNext[depth as 1 | 2] = false;
  scan.names[depth as 1 | 2] = name;
  // A name that is too long, or is no JSON, is none that anybody asks for. Nor are the fields below it.
  const readable = name !== undefined && (depth === 1 || scan.names[1] !== undefined);
  scan.wanted = readable && scan.field(parentOf(scan), name);
}

/** The value ends with the comma or the bracket after it. */
function endScalar(scan: Scan): void {
  if (scan.wanted && scan.kept !== undefined) endValue(scan, scan.kept);
  scan.wanted = false;
}

function endValue(scan: Scan, json: string | undefined): void {
  const name = scan.names[scan.depth as 1 | 2];
  scan.wanted = false;
  scan.kept = undefined;
  if (name !== undefined) scan.value(parentOf(scan), name, json);
}

function parentOf({ depth, names }: Scan): string | undefined {
  return depth === 1 ? undefined : names[1];
}

function nameOf(json: string): string | undefined {
  try {
    return String(JSON.parse(json));
  } catch {
    return undefined;
  }
}
