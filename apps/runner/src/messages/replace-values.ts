// Replaces values inside a JSON text and keeps every other byte: numbers beyond 2^53, the order of
// members and unknown fields pass as the sender wrote them. The text must be valid JSON.

export interface Replacement {
  /** Names of members, from the outermost object inwards. */
  readonly path: readonly string[];
  /** The new value, as JSON text. */
  readonly json: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly json: string;
}

/** A path that the text lacks is ignored. Of members with the same name, all are replaced. */
export function replaceValues(text: string, replacements: readonly Replacement[]): string {
  const start = afterBlanks(text, 0);
  const spans = replacements.flatMap(({ path, json }) =>
    spansOf(text, start, path).map((span) => ({ ...span, json })),
  );
  const parts: string[] = [];
  let copied = 0;
  for (const span of spans.sort((a, b) => a.start - b.start)) {
    parts.push(text.slice(copied, span.start), span.json);
    copied = span.end;
  }
  return parts.join('') + text.slice(copied);
}

/** The JSON texts at a path: none, or one for each member of the same name. */
export function valueTexts(text: string, path: readonly string[]): string[] {
  return spansOf(text, afterBlanks(text, 0), path).map(({ start, end }) => text.slice(start, end));
}

function spansOf(text: string, at: number, path: readonly string[]): Omit<Span, 'json'>[] {
  const [name, ...inner] = path;
  if (name === undefined || text[at] !== '{') return [];
  const found: Omit<Span, 'json'>[] = [];
  let next = afterBlanks(text, at + 1);
  while (text[next] === '"') {
    const nameEnd = stringEnd(text, next);
    const start = afterBlanks(text, afterBlanks(text, nameEnd) + 1);
    const end = valueEnd(text, start);
    if (JSON.parse(text.slice(next, nameEnd)) === name) {
      found.push(...(inner.length === 0 ? [{ start, end }] : spansOf(text, start, inner)));
    }
    // Past the comma; at the end of the object this is no quote.
    next = afterBlanks(text, afterBlanks(text, end) + 1);
  }
  return found;
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (/^[ \t\r\n]$/.test(text.charAt(at))) at += 1;
  return at;
}

function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

// Counts brackets instead of calling itself, so that deep nesting cannot exhaust the stack.
function valueEnd(text: string, from: number): number {
  let at = from;
  let depth = 0;
  do {
    const character = text[at];
    if (character === '"') {
      at = stringEnd(text, at);
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') {
      if (depth === 0) return at;
      depth -= 1;
    }
    at += 1;
  } while (at < text.length && (depth > 0 || !endsPlainValue(text, from, at)));
  return at;
}

/** Numbers and literals end before a comma, a bracket or a blank; others end themselves. */
function endsPlainValue(text: string, from: number, at: number): boolean {
  return /["{[]/.test(text.charAt(from)) || /[,}\]\s]/.test(text.charAt(at));
}
