// A text that arrives in pieces. A piece is decided when no hit can begin in it or before it that more text
// would complete; only then it may go on.

import type { Finder, Hit } from './finder';
import { readJsonText } from './json-text';

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A piece of the text, as it came and as it goes on. */
export interface Piece {
  readonly text: string;
  /** Undefined: not decided. */
  edited: string | undefined;
}

export interface ChannelOptions {
  readonly finders: readonly Finder[];
  /** The pieces are of a JSON text; replacements are escaped by `onHits`. */
  readonly json: boolean;
  /** Notes the hits, which are sorted by their start, and returns what replaces them, without overlap. */
  readonly onHits: (hits: readonly Hit[], text: string) => readonly Edit[];
  /** Characters that are withheld at most. Without it: as many as the longest hit of any finder has. */
  readonly mostWithheld?: number;
}

export interface Channel {
  /** Adds a piece; it and earlier ones may become decided. */
  push: (text: string) => Piece;
  /** Decides all pieces. What follows may still complete a hit, which is noted. */
  flush: () => void;
  /** Decides what only windows withhold, because nothing has followed for a while. */
  idle: () => void;
  /** Asks the finders again, as one may know more. */
  again: () => void;
}

/** Characters that are withheld at most; longer texts are no hit of any finder. */
const MOST_WITHHELD = 20_000;
/** Decided characters that finders still see before what is undecided. */
const CONTEXT = 64;
const CONTEXT_AFTER_FLUSH = 512;

interface Placed extends Piece {
  readonly start: number;
  end: number;
  /** What goes on for each UTF-16 unit, if that is not the unit itself. */
  units: readonly string[] | undefined;
}

export function createChannel({
  finders,
  json,
  mostWithheld = MOST_WITHHELD,
  onHits,
}: ChannelOptions): Channel {
  /** What finders see, and its offset in the whole text. */
  let seen = '';
  let seenFrom = 0;
  let decidedTo = 0;
  const pieces = createPieces(json);

  const settle = (because: 'push' | 'idle' | 'flush'): void => {
    const hits: Hit[] = [];
    let open = seen.length;
    for (const finder of finders) {
      const from = finder.scan(seen, hits, seenFrom);
      const counts = because === 'push' || (because === 'idle' && !finder.windowed);
      if (counts) open = Math.min(open, from);
    }
    const known = decidedTo - seenFrom;
    open = Math.max(open, seen.length - mostWithheld, known);
    hits.sort((one, other) => one.start - other.start || other.end - one.end);
    const before = beforeOpenHits(hits, open, known);
    // Hits that overlap without end are decided in parts.
    if (seen.length - before <= 2 * mostWithheld) open = before;
    else for (const hit of hits) if (hit.start < open) hit.end = Math.min(hit.end, open);
    const fresh = hits.filter(({ end }) => end > known && end <= open);
    if (fresh.length > 0) {
      for (const edit of onHits(fresh, seen)) {
        // What went on before a flush stays.
        const start = Math.max(edit.start, known) + seenFrom;
        pieces.edit({ start, end: edit.end + seenFrom, text: edit.text });
      }
    }
    decidedTo = seenFrom + open;
    pieces.release(decidedTo);
    const keep = Math.max(0, open - (because === 'push' ? CONTEXT : CONTEXT_AFTER_FLUSH));
    seen = seen.slice(keep);
    seenFrom += keep;
  };

  return {
    push: (text) => {
      const { piece, shown } = pieces.add(text);
      seen += shown;
      settle('push');
      return piece;
    },
    flush: () => {
      seen += pieces.closeEscape();
      settle('flush');
    },
    idle: () => settle('idle'),
    again: () => settle('push'),
  };
}

/** A hit is decided as a whole, so what is open begins before a hit that reaches into it. */
function beforeOpenHits(hits: readonly Hit[], from: number, known: number): number {
  let open = from;
  for (let at = hits.length - 1; at >= 0; at -= 1) {
    const { end = 0, start = 0 } = hits[at] ?? {};
    if (end <= open || start >= open || start < known) continue;
    open = start;
    at = hits.length;
  }
  return open;
}

/** The pieces that wait for a decision, and what replaces parts of them. */
function createPieces(json: boolean) {
  let length = 0;
  let waiting: Placed[] = [];
  let edits: Edit[] = [];
  /** The beginning of an escape, which goes on with the piece that completes it. */
  let rest = '';

  return {
    /** `shown`: what finders see of the piece. */
    add: (text: string): { piece: Piece; shown: string } => {
      const read = json ? readJsonText(rest + text) : undefined;
      const shown = read?.text ?? text;
      const [start, end] = [length, length + shown.length];
      const piece: Placed = { text, edited: undefined, start, end, units: read?.units };
      if (read) ({ rest } = read);
      length = end;
      waiting.push(piece);
      return { piece, shown };
    },
    /** Adds an escape that nothing completes to the last piece, as it is. */
    closeEscape: (): string => {
      const last = waiting.at(-1);
      const closed = rest;
      if (closed === '' || !last) return '';
      last.units = [...(last.units ?? []), ...closed.split('')];
      last.end += closed.length;
      length = last.end;
      rest = '';
      return closed;
    },
    edit: (edit: Edit): void => {
      edits.push(edit);
    },
    release: (decidedTo: number): void => {
      let count = 0;
      for (const piece of waiting) {
        if (piece.end > decidedTo) break;
        // Its last characters go on with the next piece, or when the escape is closed.
        if (rest !== '' && piece === waiting.at(-1)) break;
        piece.edited = edited(piece, edits);
        count += 1;
      }
      if (count > 0) waiting = waiting.slice(count);
      if (edits.length > 0) {
        const needed = waiting[0]?.start ?? decidedTo;
        edits = edits.filter(({ end }) => end > needed);
      }
    },
  };
}

/** A replacement goes into the piece where its hit begins. */
export function edited(
  { end, start, text, units }: Omit<Placed, 'edited'>,
  edits: readonly Edit[],
): string {
  if (edits.length === 0) return units?.join('') ?? text;
  const part = (from: number, to: number): string =>
    units?.slice(from - start, to - start).join('') ?? text.slice(from - start, to - start);
  let result = '';
  let at = start;
  for (const edit of edits) {
    if (edit.end <= start || edit.start >= end) continue;
    if (edit.start > at) result += part(at, edit.start);
    if (edit.start >= start) result += edit.text;
    at = Math.min(end, edit.end);
  }
  return result + part(at, end);
}
