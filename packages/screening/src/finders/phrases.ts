// All words and phrases of a program in one automaton (Aho and Corasick), so that a text is read once,
// however many there are.

import { isWordAt, type Finder, type Hit } from '../finder';

export interface Phrase {
  readonly text: string;
  readonly rule: number;
  readonly label: string;
  readonly caseSensitive: boolean;
  /** Not inside a longer word. */
  readonly wholeWord: boolean;
}

/** Cells of the table: states by different characters. 8 MiB. */
const MOST_CELLS = 2 * 1024 * 1024;

/** @throws RangeError when the phrases are too many for one table */
export function createPhraseFinder(phrases: readonly Phrase[]): Finder {
  const automaton = build(phrases);
  return {
    scan: (text, found) => {
      const { classOf, ends, steps, width } = automaton;
      const folded = fold(text);
      /** By rule, because a rule's own hits do not overlap. */
      const last = new Map<number, { readonly hit: Hit; phrase: Phrase }>();
      let state = 0;
      for (let at = 0; at < folded.length; at += 1) {
        const code = folded.charCodeAt(at);
        const column = code < ASCII ? (classOf.ascii[code] ?? 0) : (classOf.other.get(code) ?? 0);
        state = column === 0 ? 0 : (steps[state * width + column] ?? 0);
        const here = state === 0 ? undefined : ends[state];
        if (here === undefined) continue;
        for (const phrase of here) {
          const end = at + 1;
          const start = end - phrase.text.length;
          const before = last.get(phrase.rule);
          const overlaps = before !== undefined && start < before.hit.end;
          if (
            overlaps &&
            (before.phrase === phrase || (before.hit.start <= start && end <= before.hit.end))
          )
            continue;
          if (phrase.caseSensitive && !text.startsWith(phrase.text, start)) continue;
          if (phrase.wholeWord && !isWhole(text, start, end)) continue;
          if (overlaps) {
            // One hit that covers both, so that nothing of either stays when it is masked.
            before.hit.start = Math.min(before.hit.start, start);
            before.hit.end = end;
            before.phrase = phrase;
            continue;
          }
          const hit: Hit = { start, end, label: phrase.label, rule: phrase.rule };
          last.set(phrase.rule, { hit, phrase });
          found.push(hit);
        }
      }
      return openFrom(text, state, automaton);
    },
  };
}

/** Where the longest beginning of a phrase at the end of the text starts. */
function openFrom(
  text: string,
  end: number,
  { continues, depth, fallback, wholeWords }: Automaton,
): number {
  let state = end;
  while (state !== 0) {
    const start = text.length - (depth[state] ?? 0);
    const inWord = start > 0 && isWordAt(text, start) && isWordAt(text, start - 1);
    if (continues[state] === 1 && !(wholeWords && inWord)) return start;
    state = fallback[state] ?? 0;
  }
  return text.length;
}

/** A phrase that begins or ends with a sign needs no border there. */
function isWhole(text: string, start: number, end: number): boolean {
  const before = start > 0 && isWordAt(text, start) && isWordAt(text, start - 1);
  const after = end < text.length && isWordAt(text, end - 1) && isWordAt(text, end);
  return !before && !after;
}

const ASCII = 128;

interface Automaton {
  /** Columns by character; 0: in no phrase. */
  readonly classOf: { readonly ascii: Uint16Array; readonly other: ReadonlyMap<number, number> };
  readonly width: number;
  /** The next state, by state and column. */
  readonly steps: Int32Array;
  /** How many characters of a phrase have been read. */
  readonly depth: Int32Array;
  /** The state of the longest beginning that is shorter. */
  readonly fallback: Int32Array;
  /** 1: what follows may complete or change a hit. */
  readonly continues: Uint8Array;
  /** No phrase begins or ends inside of a word. */
  readonly wholeWords: boolean;
  /** The phrases that end in a state, longest first. */
  readonly ends: readonly (readonly Phrase[] | undefined)[];
}

function build(phrases: readonly Phrase[]): Automaton {
  const ascii = new Uint16Array(ASCII);
  const other = new Map<number, number>();
  let width = 1;
  const columnOf = (code: number): number => {
    const known = code < ASCII ? (ascii[code] ?? 0) : (other.get(code) ?? 0);
    if (known > 0) return known;
    const column = width;
    width += 1;
    if (code < ASCII) ascii[code] = column;
    else other.set(code, column);
    return column;
  };

  const children: Map<number, number>[] = [new Map()];
  const depth: number[] = [0];
  const own: (Phrase[] | undefined)[] = [undefined];
  for (const phrase of phrases) {
    let state = 0;
    for (const code of codesOf(fold(phrase.text))) {
      const column = columnOf(code);
      let next = children[state]?.get(column);
      if (next === undefined) {
        next = children.length;
        children[state]?.set(column, next);
        children.push(new Map());
        depth.push((depth[state] ?? 0) + 1);
        own.push(undefined);
      }
      state = next;
    }
    (own[state] ??= []).push(phrase);
  }
  if (children.length * width > MOST_CELLS) {
    throw new RangeError('the keywords are too many, or have too many different characters');
  }

  const steps = new Int32Array(children.length * width);
  const fallback = new Int32Array(children.length);
  const ends: (readonly Phrase[] | undefined)[] = [...own];
  const queue = [0];
  for (let at = 0; at < queue.length; at += 1) {
    const state = queue[at] ?? 0;
    const back = fallback[state] ?? 0;
    // A state's fallback is nearer to the root, so its row is complete.
    if (state !== 0) steps.copyWithin(state * width, back * width, back * width + width);
    for (const [column, next] of children[state] ?? []) {
      fallback[next] = state === 0 ? 0 : (steps[back * width + column] ?? 0);
      steps[state * width + column] = next;
      queue.push(next);
    }
    const shorter = state === 0 ? undefined : ends[back];
    if (shorter) ends[state] = [...(ends[state] ?? []), ...shorter];
  }
  return {
    classOf: { ascii, other },
    width,
    steps,
    depth: Int32Array.from(depth),
    fallback,
    continues: Uint8Array.from(children, (next, state) =>
      next.size > 0 || own[state]?.some(({ wholeWord }) => wholeWord) ? 1 : 0,
    ),
    wholeWords: phrases.every(({ wholeWord }) => wholeWord),
    ends,
  };
}

function codesOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
}

/** Small letters, and a space for every other blank. The length stays, so that offsets do. */
export function fold(text: string): string {
  const small = text.toLowerCase();
  const same = small.length === text.length ? small : foldEach(text);
  return BLANKS.test(same) ? same.replace(/[\t\n\r\f\v\u00a0\u2028\u2029]/g, ' ') : same;
}

const BLANKS = /[\t\n\r\f\v\u00a0\u2028\u2029]/;

function foldEach(text: string): string {
  let folded = '';
  for (const character of text) {
    const small = character.toLowerCase();
    folded += small.length === character.length ? small : character;
  }
  return folded;
}
