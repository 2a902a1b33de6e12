// Tells a chunk that holds only output from one that must be parsed, without parsing either.
// Searching is safe because a quote inside a JSON string is escaped: `"usage":` is always a key.

import type { RawEvent } from '../sse';

const DATA = 'data: ';
const DELTA = '"delta":';
const ROLE = '{"role"';
const FINISH = '"finish_reason":';
const USAGE = '"usage":';
const LOGPROBS = '"logprobs":';
const CHOICES = '"choices":';
const INDEX = '"index":';
/** The JSON around the text of a delta: `{"content":""},`. */
const DELTA_OVERHEAD_BYTES = 15;

const [SPACE, BRACE_OPEN, BRACE_CLOSE, LETTER_N, LETTER_R] = [32, 123, 125, 110, 114];

export interface DeltaScanner {
  /**
   * The delta of an event in wire form, up to the next field; undefined: the event must be parsed.
   * Most chunks of a stream differ in their delta only, so the scan first compares the text around
   * it with the chunk before.
   */
  scan(event: RawEvent): string | undefined;
  /** The choice index of the last delta. */
  readonly choice: number;
}

/** Bytes of output in a scanned delta. */
export function outputInDelta({ length }: string): number {
  return Math.max(0, length - DELTA_OVERHEAD_BYTES);
}

export function createDeltaScanner(): DeltaScanner {
  // The last chunk up to its delta, and from there to the end of its choices. `before` holds bytes,
  // because comparing bytes is several times as fast as comparing text.
  let before = Buffer.alloc(0);
  let after = '';
  let choice = 0;

  function isLikeLast({ source, start, latin1 }: RawEvent): boolean {
    const { length } = before;
    if (length === 0 || latin1.length < length) return false;
    return before.compare(source, start, start + length) === 0 && !isRole(latin1, length);
  }

  function scan(event: RawEvent): string | undefined {
    const { latin1: text } = event;
    if (isLikeLast(event)) {
      const end = text.indexOf(after, before.length);
      if (end !== -1 && isPlainTail(text, end + after.length)) {
        return text.slice(before.length, end);
      }
    }
    const found = search(text);
    if (found === undefined) return undefined;
    const choicesEnd = text.indexOf(']', found.finish) + 1;
    // Log probabilities change with every chunk.
    const repeats = choicesEnd > 0 && !found.logprobs;
    before = Buffer.from(repeats ? text.slice(0, found.from) : '', 'latin1');
    after = text.slice(found.to, choicesEnd);
    choice = choiceIn(text, found);
    return text.slice(found.from, found.to);
  }

  return {
    scan,
    get choice() {
      return choice;
    },
  };
}

/** The index of a choice, which may be on either side of its delta. */
function choiceIn(text: string, { from, to }: Found): number {
  const choices = text.lastIndexOf(CHOICES, from);
  for (const [start, end] of [[Math.max(choices, 0), from] as const, [to, text.length] as const]) {
    const at = text.indexOf(INDEX, start);
    if (at !== -1 && at < end) return Number.parseInt(text.slice(at + INDEX.length), 10) || 0;
  }
  return 0;
}

/** Tests one character first: `startsWith` on a long text costs more than the rest of the scan. */
function isRole(text: string, at: number): boolean {
  return text.charCodeAt(at + 2) === LETTER_R && text.startsWith(ROLE, at);
}

/** Whether no field after the choices needs parsing, and the event is one line. */
function isPlainTail(text: string, at: number): boolean {
  if (at < text.length - 3 && says(text, USAGE, text.indexOf(USAGE, at))) return false;
  return text.charCodeAt(text.length - 3) === BRACE_CLOSE && isOneLine(text);
}

function isOneLine(text: string): boolean {
  return text.indexOf('\n') === text.length - 2;
}

interface Found {
  /** Offsets of the delta and of the field after it. */
  from: number;
  to: number;
  finish: number;
  logprobs: boolean;
}

function search(text: string): Found | undefined {
  if (!text.startsWith(DATA) || !isOneLine(text)) return undefined;
  if (text.charCodeAt(DATA.length) !== BRACE_OPEN) return undefined;
  if (text.charCodeAt(text.length - 3) !== BRACE_CLOSE) return undefined;
  const delta = text.indexOf(DELTA, DATA.length);
  if (delta === -1) return undefined;
  const spaced = text.charCodeAt(delta + DELTA.length) === SPACE ? 1 : 0;
  const from = delta + DELTA.length + spaced;
  if (isRole(text, from)) return undefined;
  if (says(text, USAGE, text.indexOf(USAGE, DATA.length))) return undefined;
  const finish = text.indexOf(FINISH, from);
  // The scan would miss the output of a second choice in the same event.
  if (finish === -1 || says(text, FINISH, finish) || text.includes(DELTA, from)) return undefined;
  const probs = text.indexOf(LOGPROBS, from);
  const first = probs !== -1 && probs < finish ? probs : finish;
  return { from, to: first, finish, logprobs: first === probs && says(text, LOGPROBS, probs) };
}

/** Whether a key has a value other than null. */
function says(text: string, key: string, at: number): boolean {
  if (at === -1) return false;
  const value = at + key.length;
  const spaced = text.charCodeAt(value) === SPACE ? 1 : 0;
  return text.charCodeAt(value + spaced) !== LETTER_N;
}
