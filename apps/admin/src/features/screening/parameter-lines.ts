import type { ParameterCheck } from '@tollgate/contracts';

// Checks of parameters as text, one per line: `max_tokens <= 4000`. Pure.

type Check = Partial<ParameterCheck> & { readonly name: string };

const LINE =
  /^(\S+)\s+(must be sent|must not be sent|has at most \d+ items|is one of .+|<=\s*\S+|>=\s*\S+)$/;

/** Lines about the same parameter are one check. What cannot be read is sent, so that the server names it. */
export function checksOf(lines: readonly string[]): Check[] {
  const checks = new Map<string, Check>();
  for (const line of lines) {
    const [, name = line, words = ''] = LINE.exec(line) ?? [];
    checks.set(name, { ...(checks.get(name) ?? { name }), ...partOf(words) });
  }
  return [...checks.values()];
}

function partOf(words: string): Partial<ParameterCheck> {
  if (words === 'must be sent') return { presence: 'REQUIRED' };
  if (words === 'must not be sent') return { presence: 'FORBIDDEN' };
  if (words.startsWith('<=')) return { maximum: Number(words.slice(2)) };
  if (words.startsWith('>=')) return { minimum: Number(words.slice(2)) };
  const items = /^has at most (\d+) items$/.exec(words);
  if (items) return { maxItems: Number(items[1]) };
  const values = /^is one of (.+)$/.exec(words);
  return values ? { values: valuesIn(values[1] ?? '') } : {};
}

type Value = string | number | boolean;

/** `"a, b", 1` or, where nothing needs quotes, `a, b, 1`. */
function valuesIn(text: string): Value[] {
  const all = jsonIn(`[${text}]`);
  if (Array.isArray(all) && all.every(isValue)) return all;
  return text.split(',').map((one) => {
    const value = jsonIn(one);
    return isValue(value) ? value : one.trim();
  });
}

function isValue(value: unknown): value is Value {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function linesOfChecks(checks: readonly ParameterCheck[]): string {
  return checks.flatMap(linesOfCheck).join('\n');
}

function linesOfCheck(check: ParameterCheck): string[] {
  const { maxItems, maximum, minimum, name, presence, values } = check;
  return [
    ...(presence === 'REQUIRED' ? [`${name} must be sent`] : []),
    ...(presence === 'FORBIDDEN' ? [`${name} must not be sent`] : []),
    ...(values === null ? [] : [`${name} is one of ${valuesText(values)}`]),
    ...(minimum === null ? [] : [`${name} >= ${minimum}`]),
    ...(maximum === null ? [] : [`${name} <= ${maximum}`]),
    ...(maxItems === null ? [] : [`${name} has at most ${maxItems} items`]),
  ];
}

/** Quoted where one of them would be read as something else. */
function valuesText(values: readonly Value[]): string {
  const plain = values.join(', ');
  const isPlain = JSON.stringify(valuesIn(plain)) === JSON.stringify(values);
  return isPlain ? plain : values.map((value) => JSON.stringify(value)).join(', ');
}
