import { availableParallelism } from 'node:os';

// One variable of a service's configuration; its name is the key in the table. Each app's config.ts
// is such a table.
export interface EnvVar<T> {
  readonly kind: string;
  readonly description: string;
  readonly unit?: string;
  readonly default?: T;
  readonly optional: boolean;
  readonly secret: boolean;
  /** Throws a RangeError that completes the sentence "NAME …". */
  parse(text: string): T;
  /** The text that parse would read back. */
  print(value: unknown): string;
}

export type ConfigShape = Readonly<Record<string, EnvVar<unknown>>>;

export type ConfigOf<S extends ConfigShape> = {
  readonly [K in keyof S]: S[K] extends EnvVar<infer T> ? T : never;
};

interface Common<T> {
  description: string;
  unit?: string;
  /** Without a default the variable is required, unless it is optional. */
  default?: T;
  /** Undefined when unset. */
  optional?: true;
}

type Value<T, O> = O extends { optional: true } ? T | undefined : T;

type IntOptions = Common<number> & { min?: number; max?: number };
type TextOptions = Common<string> & {
  /** Throws on an invalid value; the message completes the sentence "NAME …". */
  check?: (text: string) => void;
};
type UrlOptions = Common<string> & { protocols?: readonly string[]; secret?: true };
type ListOptions = Common<readonly string[]> & { check?: (item: string) => void };
type ChoiceOptions<C extends string> = Common<C> & { choices: readonly C[] };

interface Kind<T> {
  kind: string;
  secret?: boolean;
  parse(text: string): T;
  print?: (value: T) => string;
}

const WORKERS_MOST = 256;
const TRUE = new Set(['true', '1', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off']);

export const envVar = {
  /** A whole number. */
  int: <const O extends IntOptions>(options: O) =>
    define<number, O>(options, {
      kind: 'integer',
      parse: (text) => parseInteger(text, options.min, options.max),
    }),

  /** A number of processes; `auto`: the number of available processors. */
  workers: <const O extends Common<number>>(options: O) =>
    define<number, O>(options, {
      kind: 'integer | auto',
      parse: (text) =>
        text === 'auto' ? availableParallelism() : parseInteger(text, 1, WORKERS_MOST),
    }),

  /** A duration in whole milliseconds. */
  durationMs: <const O extends IntOptions>(options: O) =>
    define<number, O>(
      { ...options, unit: 'ms' },
      { kind: 'duration', parse: (text) => parseInteger(text, options.min ?? 0, options.max) },
    ),

  /** A TCP port; 0 lets the system choose. */
  port: <const O extends Common<number>>(options: O) =>
    define<number, O>(options, { kind: 'port', parse: (text) => parseInteger(text, 0, 65_535) }),

  string: <const O extends TextOptions>(options: O) =>
    define<string, O>(options, { kind: 'string', parse: (text) => checked(text, options.check) }),

  /** A value that is never printed and may come from the file in NAME_FILE. */
  secret: <const O extends TextOptions>(options: O) =>
    define<string, O>(options, {
      kind: 'secret',
      secret: true,
      parse: (text) => checked(text, options.check),
    }),

  bool: <const O extends Common<boolean>>(options: O) =>
    define<boolean, O>(options, { kind: 'boolean', parse: parseBoolean }),

  /** An absolute URL. With `secret` (it contains a password) it is never printed. */
  url: <const O extends UrlOptions>(options: O) =>
    define<string, O>(options, {
      kind: 'url',
      secret: options.secret === true,
      parse: (text) => parseUrl(text, options.protocols, options.secret === true),
    }),

  /** Comma-separated; spaces around an item are dropped. */
  list: <const O extends ListOptions>(options: O) =>
    define<readonly string[], O>(options, {
      kind: 'list',
      parse: (text) => parseList(text, options.check),
      print: (items) => items.join(','),
    }),

  /** One of a few words. */
  choice: <C extends string, const O extends ChoiceOptions<C>>(
    options: O & { choices: readonly C[] },
  ) =>
    define<C, O>(options, {
      kind: options.choices.join(' | '),
      parse: (text) => parseChoice(text, options.choices),
    }),
};

function define<T, O>(options: Common<T>, kind: Kind<T>): EnvVar<Value<T, O>> {
  const { print } = kind;
  const variable: EnvVar<T> = {
    kind: kind.kind,
    description: options.description,
    ...(options.unit === undefined ? {} : { unit: options.unit }),
    ...(options.default === undefined ? {} : { default: options.default }),
    optional: options.optional === true,
    secret: kind.secret === true,
    parse: (text) => kind.parse(text),
    print: (value) => (print ? print(value as T) : String(value)),
  };
  return variable;
}

function parseInteger(text: string, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new RangeError(`must be a whole number, not "${text}"`);
  if (value < min) throw new RangeError(`must be at least ${min}, not ${text}`);
  if (value > max) throw new RangeError(`must be at most ${max}, not ${text}`);
  return value;
}

function parseBoolean(text: string): boolean {
  const word = text.toLowerCase();
  if (TRUE.has(word)) return true;
  if (FALSE.has(word)) return false;
  throw new RangeError(`must be true or false, not "${text}"`);
}

function parseUrl(text: string, protocols: readonly string[] | undefined, secret: boolean): string {
  const quoted = secret ? '' : `, not "${text}"`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new RangeError(`must be an absolute URL${quoted}`);
  const scheme = url.protocol.slice(0, -1);
  if (protocols && !protocols.includes(scheme)) {
    throw new RangeError(
      `must begin with ${protocols.map((p) => `${p}://`).join(' or ')}${quoted}`,
    );
  }
  return text;
}

function parseList(text: string, check: ((item: string) => void) | undefined): readonly string[] {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (check) for (const item of items) check(item);
  return items;
}

function parseChoice<C extends string>(text: string, choices: readonly C[]): C {
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) {
    throw new RangeError(`must be one of ${choices.join(', ')}, not "${text}"`);
  }
  return choice;
}

function checked(text: string, check: ((text: string) => void) | undefined): string {
  check?.(text);
  return text;
}
