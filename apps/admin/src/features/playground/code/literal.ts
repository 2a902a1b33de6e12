// Formats values as source code. Pure.

/** An expression instead of a value. */
export class Expression {
  constructor(
    readonly js: string,
    readonly python: string,
    readonly shell: string,
  ) {}
}

type Scalar = string | number | boolean | null;
export type Value =
  Scalar | readonly Value[] | { readonly [name: string]: Value | undefined } | Expression;

interface Style {
  readonly scalar: (value: Scalar) => string;
  readonly expression: (expression: Expression) => string;
  readonly name: (name: string) => string;
  /** Trailing comma of multi-line values. */
  readonly tail: string;
}

/** Escapes JSON for an unquoted shell document, which expands `$`, `\` and the backtick. */
const escaped = (text: string): string => text.replaceAll(/[\\$`]/g, (sign) => `\\${sign}`);

const PYTHON_WORDS = new Map<Scalar, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
]);

const STYLES = {
  json: { scalar: JSON.stringify, expression: () => '""', name: JSON.stringify, tail: '' },
  shell: {
    scalar: (value) => escaped(JSON.stringify(value)),
    expression: ({ shell }) => shell,
    name: (name) => escaped(JSON.stringify(name)),
    tail: '',
  },
  js: {
    scalar: JSON.stringify,
    expression: ({ js }) => js,
    name: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)),
    tail: ',',
  },
  python: {
    // JSON strings are valid Python strings.
    scalar: (value) => PYTHON_WORDS.get(value) ?? JSON.stringify(value),
    expression: ({ python }) => python,
    name: JSON.stringify,
    tail: ',',
  },
} satisfies Record<string, Style>;

const WIDE = 80;

export function literal(value: Value, language: keyof typeof STYLES, indent = ''): string {
  const style: Style = STYLES[language];
  if (value === null || typeof value !== 'object') return style.scalar(value);
  if (value instanceof Expression) return style.expression(value);
  const listed = isList(value);
  const inner = `${indent}  `;
  const items = listed
    ? value.map((item) => literal(item, language, inner))
    : Object.entries(value).flatMap(([name, item]) =>
        item === undefined ? [] : [`${style.name(name)}: ${literal(item, language, inner)}`],
      );
  const [open, close] = listed ? ['[', ']'] : ['{', '}'];
  if (items.length === 0) return `${open}${close}`;
  const line = items.join(', ');
  const short = line.length + indent.length < WIDE && !line.includes('\n');
  if (short) return listed ? `[${line}]` : `{ ${line} }`;
  return `${open}\n${items.map((item) => `${inner}${item}`).join(',\n')}${style.tail}\n${indent}${close}`;
}

// `Array.isArray` does not narrow readonly arrays.
function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
