import { isServiceTier, isUnit, rest } from '@tollgate/contracts';
import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';

/**
 * Parses and validates price lists in CSV and JSON; every error names its place. Does not read
 * stored data.
 */

export interface ListedPrice {
  /** The line where it starts, from 1; null: unknown. */
  readonly line: number | null;
  /** The column, or the path of the item, for errors found later. */
  readonly at: (field: 'model' | 'effectiveFrom') => string;
  readonly model: string;
  readonly price: rest.PriceCreate;
}

export interface ReadList {
  readonly prices: readonly ListedPrice[];
  readonly faults: readonly rest.PriceImportFault[];
}

/** CSV columns and the price fields that they set. */
const STEP_COLUMNS = {
  from_input_tokens: 'fromInputTokens',
  input: 'input',
  cache_read: 'cacheRead',
  cache_write_5m: 'cacheWrite5m',
  cache_write_1h: 'cacheWrite1h',
  audio_input: 'audioInput',
  image_input: 'imageInput',
  output: 'output',
  audio_output: 'audioOutput',
  image_output: 'imageOutput',
} as const;
const NEEDED = ['model', 'input', 'output'] as const;
const KNOWN = ['model', 'effective_from', ...Object.keys(STEP_COLUMNS), 'per_request'];
/** Prefixes of a unit's and of a tier's name: `unit:image`, `tier:flex`. */
const UNIT = 'unit:';
const TIER = 'tier:';

const MAX_RECORD_CHARACTERS = 20_000;

type Fault = rest.PriceImportFault;
interface Line {
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
}

export function readPriceList(format: 'csv' | 'json', content: string): ReadList {
  const read = format === 'csv' ? readCsv(content) : readJson(content);
  const { prices } = read;
  if (prices.length > rest.PRICE_IMPORT_MAX_PRICES) return TOO_MANY;
  return { prices, faults: read.faults.slice(0, rest.PRICE_IMPORT_MAX_FAULTS) };
}

/**
 * Errors quote the input, so NUL and unpaired surrogates are replaced with text that can be stored.
 */
const told = (line: number | null, column: string | null, message: string): Fault => ({
  line,
  column: column === null ? null : keepable(column),
  message: keepable(message),
});

const keepable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** The result for a list that is too long, which is not parsed further. */
const TOO_MANY: ReadList = {
  prices: [],
  faults: [told(null, null, `at most ${rest.PRICE_IMPORT_MAX_PRICES} prices in one list`)],
};

const records = z.array(
  z.object({ record: z.array(z.string()), info: z.object({ lines: z.int() }) }),
);

function readCsv(content: string): ReadList {
  let rows: z.output<typeof records>;
  try {
    rows = records.parse(
      parse(content, {
        bom: true,
        info: true,
        trim: true,
        skip_empty_lines: true,
        relax_column_count: true,
        max_record_size: MAX_RECORD_CHARACTERS,
        to: rest.PRICE_IMPORT_MAX_ROWS + 2,
      }),
    );
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error['lines'] === 'number' ? error['lines'] : null;
    return { prices: [], faults: [told(line, null, `not CSV: ${error.code}`)] };
  }
  const [header, ...lines] = rows;
  if (header === undefined) return { prices: [], faults: [told(1, null, 'the header is missing')] };
  const names = header.record.map((name) => name.toLowerCase());
  const faults = headerFaults(names);
  if (lines.length > rest.PRICE_IMPORT_MAX_ROWS) {
    faults.push(told(null, null, `at most ${rest.PRICE_IMPORT_MAX_ROWS} rows in one list`));
  }
  if (faults.length > 0) return { prices: [], faults };
  return pricesOf(names, lines);
}

function headerFaults(names: readonly string[]): Fault[] {
  const faults: Fault[] = [];
  for (const name of NEEDED) {
    if (!names.includes(name)) faults.push(told(1, name, 'this column is missing'));
  }
  for (const [at, name] of names.entries()) {
    const unit = name.startsWith(UNIT) && isUnit(name.slice(UNIT.length));
    const tier = name.startsWith(TIER) && isServiceTier(name.slice(TIER.length));
    if (!unit && !tier && !KNOWN.includes(name)) faults.push(told(1, name, 'unknown column'));
    if (names.indexOf(name) !== at) faults.push(told(1, name, 'duplicate column'));
  }
  return faults;
}

function pricesOf(
  names: readonly string[],
  rows: readonly { record: string[]; info: { lines: number } }[],
): ReadList {
  const faults: Fault[] = [];
  const groups = new Map<string, Line[]>();
  for (const { record, info } of rows) {
    const line = info.lines;
    if (record.length !== names.length) {
      const message = `${record.length} cells where the header has ${names.length}`;
      faults.push(told(line, null, message));
      continue;
    }
    const cells = new Map(names.map((name, at) => [name, record[at] ?? '']));
    // Lines with the same model and instant are steps of one price.
    const key = JSON.stringify([cells.get('model'), cells.get('effective_from') ?? '']);
    groups.set(key, [...(groups.get(key) ?? []), { line, cells }]);
  }
  const prices: ListedPrice[] = [];
  for (const lines of groups.values()) {
    const [first] = lines;
    if (first === undefined) continue;
    const found = priceOf(first, lines);
    if ('faults' in found) faults.push(...found.faults);
    else prices.push(found);
  }
  return { prices, faults: faults.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
}

function priceOf(first: Line, lines: readonly Line[]): ListedPrice | { faults: Fault[] } {
  const cell = (line: Line, name: string): string | undefined => line.cells.get(name) || undefined;
  const faults: Fault[] = [];
  const steps = lines.map((line) =>
    Object.fromEntries(
      Object.entries(STEP_COLUMNS).flatMap(([column, field]) => {
        const text = cell(line, column);
        if (text === undefined) return [];
        return [[field, field === 'fromInputTokens' ? Number(text) : text] as const];
      }),
    ),
  );
  const once = (name: string): string | undefined => {
    const given = lines.filter((line) => cell(line, name) !== undefined);
    const [one, ...others] = given;
    for (const other of others) {
      if (one !== undefined && cell(other, name) !== cell(one, name)) {
        faults.push(told(other.line, name, `differs from line ${one.line} of the same price`));
      }
    }
    return one === undefined ? undefined : cell(one, name);
  };
  const each = (start: string): (readonly [name: string, text: string])[] =>
    [...first.cells.keys()].flatMap((name) => {
      const text = name.startsWith(start) ? once(name) : undefined;
      return text === undefined ? [] : [[name.slice(start.length), text] as const];
    });
  const draft = defined({
    model: cell(first, 'model'),
    effectiveFrom: cell(first, 'effective_from'),
    steps,
    perRequestUsd: once('per_request'),
    perUnitUsd: Object.fromEntries(each(UNIT)),
    tierPercent: Object.fromEntries(each(TIER).map(([tier, text]) => [tier, Number(text)])),
  });
  const parsed = item.safeParse(draft);
  if (!parsed.success) faults.push(...firstOf(parsed.error).map((issue) => csvFault(issue, lines)));
  if (faults.length > 0 || !parsed.success) return { faults };
  const { model, ...price } = parsed.data;
  const at = (field: 'model' | 'effectiveFrom'): string =>
    field === 'model' ? 'model' : 'effective_from';
  return { line: first.line, at, model, price };
}

function csvFault(issue: z.core.$ZodIssue, lines: readonly Line[]): Fault {
  const [top, ...rest_] = issue.path;
  const step = top === 'steps' && typeof rest_[0] === 'number' ? rest_[0] : undefined;
  const line = (step === undefined ? lines[0] : lines[step])?.line ?? null;
  return told(line, csvColumn(top, rest_), wordsOf(issue));
}

function csvColumn(top: PropertyKey | undefined, rest_: readonly PropertyKey[]): string | null {
  switch (top) {
    case 'steps': {
      const columns = Object.entries(STEP_COLUMNS);
      return columns.find(([, field]) => field === rest_[1])?.[0] ?? 'from_input_tokens';
    }
    case 'perUnitUsd':
      return `${UNIT}${String(rest_[0] ?? '')}`;
    case 'tierPercent':
      return `${TIER}${String(rest_[0] ?? '')}`;
    case 'perRequestUsd':
      return 'per_request';
    case 'effectiveFrom':
      return 'effective_from';
    default:
      return top === undefined ? null : String(top);
  }
}

const model = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => keepable(text) === text, 'is not a model name');
const item = z.strictObject({ model, ...rest.priceCreate.shape });
const items = z.array(z.unknown());

function readJson(content: string): ReadList {
  let body: unknown;
  try {
    body = JSON.parse(content);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { prices: [], faults: [told(lineOf(message, content), null, `not JSON: ${message}`)] };
  }
  const list = items.safeParse(body);
  if (!list.success) return { prices: [], faults: [told(1, null, 'must be a JSON list')] };
  if (list.data.length > rest.PRICE_IMPORT_MAX_PRICES) return TOO_MANY;
  const prices: ListedPrice[] = [];
  const faults: Fault[] = [];
  for (const [index, one] of list.data.entries()) {
    const parsed = item.safeParse(one);
    if (parsed.success) {
      const { model, ...price } = parsed.data;
      prices.push({ line: null, at: (field) => `[${index}].${field}`, model, price });
      continue;
    }
    for (const issue of firstOf(parsed.error)) {
      faults.push(told(null, pathText([index, ...issue.path]), wordsOf(issue)));
    }
    if (faults.length >= rest.PRICE_IMPORT_MAX_FAULTS) break;
  }
  return { prices, faults };
}

/** Converts the position in a parser's message to a line. */
function lineOf(message: string, content: string): number | null {
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined ? null : content.slice(0, Number(position)).split('\n').length;
}

/** Keeps one issue for each path: an invalid amount is not reported as too large as well. */
function firstOf({ issues }: z.ZodError): z.core.$ZodIssue[] {
  return [
    ...new Map(issues.toReversed().map((one) => [pathText(one.path), one])).values(),
  ].toReversed();
}

function pathText(path: readonly PropertyKey[]): string {
  return path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
}

function wordsOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'unrecognized_keys'
    ? `unknown field ${issue.keys.join(', ').slice(0, 200)}`
    : issue.message;
}

function defined(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined));
}
