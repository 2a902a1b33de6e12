// Finds where the parts of a JSON document stand, so that a document can be changed without writing it
// anew. Reads only texts that `JSON.parse` accepts.

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Member {
  readonly name: string;
  readonly value: Span;
}

/** Where the one value of a document stands. */
export function documentSpan(text: string): Span {
  const start = skipSpace(text, 0);
  return { start, end: endOfValue(text, start) };
}

/** The fields of an object, in their order; a name may occur several times. Undefined: it is no object. */
export function membersOf(text: string, object: Span): Member[] | undefined {
  if (text[object.start] !== '{') return undefined;
  const members: Member[] = [];
  let at = skipSpace(text, object.start + 1);
  while (text[at] !== '}') {
    const nameEnd = endOfText(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = endOfValue(text, start);
    members.push({ name, value: { start, end } });
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return members;
}

/** The elements of an array. Undefined: it is no array. */
export function elementsOf(text: string, array: Span): Span[] | undefined {
  if (text[array.start] !== '[') return undefined;
  const elements: Span[] = [];
  let at = skipSpace(text, array.start + 1);
  while (text[at] !== ']') {
    const end = endOfValue(text, at);
    elements.push({ start: at, end });
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return elements;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at += 1;
  return at;
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfText(text, start);
  if (first === '{' || first === '[') return endOfContainer(text, start);
  let at = start;
  while (at < text.length && !',]} \t\n\r'.includes(text.charAt(at))) at += 1;
  return at;
}

function endOfContainer(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    switch (text[at]) {
      case '"':
        at = endOfText(text, at);
        continue;
      case '{':
      case '[':
        depth += 1;
        break;
      case '}':
      case ']':
        depth -= 1;
        if (depth === 0) return at + 1;
        break;
      default:
    }
    at += 1;
  }
  throw new SyntaxError('an object or list has no end');
}

/** The offset after the quote that ends the string which starts here. */
function endOfText(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote >= 0 && isEscaped(text, quote, start)) quote = text.indexOf('"', quote + 1);
  if (quote < 0) throw new SyntaxError('a string has no end');
  return quote + 1;
}

function isEscaped(text: string, quote: number, start: number): boolean {
  let before = quote - 1;
  while (before > start && text[before] === '\\') before -= 1;
  return (quote - 1 - before) % 2 === 1;
}
