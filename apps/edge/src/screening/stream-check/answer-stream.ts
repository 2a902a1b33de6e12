// A streamed answer that services judge piece by piece, after the other rules. An event waits until all of its
// texts are released, and those behind it wait with it.

import type { GatewayError } from '@tollgate/contracts';
import {
  decodedText,
  type AnswerKind,
  type Channel,
  type ExternalRule,
  type Finder,
  type Piece,
  type Screening,
} from '@tollgate/screening';

import type { Checks } from '../../exchange/screening';
import { eventTexts, type EventText } from '../event-texts';
import { judgedEvents } from '../judged-end';
import { blockedError } from '../refusal';
import { bytesOf, type PlacedText } from '../screened-passage';
import type { StreamEvent, StreamEvents } from '../stream-events';
import { createRuleStream, type RuleStream, type RuleText } from './rule-stream';

export interface AnswerStreamParts {
  readonly checks: Checks;
  readonly events: StreamEvents;
  readonly nowMs: () => number;
  readonly rules: readonly ExternalRule[];
  readonly screening: Screening;
  /** Events that go to the client. `text`: they have some. */
  readonly onPassed: (parts: readonly Buffer[], text: boolean) => void;
  /** A rule refuses the answer, or has no verdict. Nothing passes after it. */
  readonly onBlocked: (error: GatewayError) => void;
}

export interface AnswerStream {
  readonly push: (parts: readonly Buffer[]) => void;
  /** False: so much waits that nothing more should be read. */
  readonly hasRoom: () => boolean;
  /** Nothing follows. `done` is called when all has passed. */
  readonly finish: (done: () => void) => void;
  /** The end of the stream, written after `done`, with repeated texts as they were judged. */
  readonly end: (text: string) => string;
  readonly cancel: () => void;
}

/** Of events that wait. */
const ROOM_BYTES = 2 * 1024 * 1024;
/** Of texts that later ones may repeat, as the responses format does; longer answers are judged twice. */
const MOST_REMEMBERED = 4 * 1024 * 1024;

/** That are remembered. */
const MOST_TEXTS = 2_000;

/** A text that services judge. */
interface JudgedText {
  readonly place: AnswerKind['place'];
  readonly states: readonly RuleText[];
  readonly group: string;
  length: number;
  /** Undefined: too long to be remembered. */
  content: string | undefined;
  complete: boolean;
}

interface OpenChannel {
  readonly channel: Channel;
  readonly text: JudgedText;
}

interface Waiting {
  readonly event: StreamEvent;
  readonly texts: readonly PlacedText[];
}

interface State {
  readonly parts: AnswerStreamParts;
  readonly streams: readonly RuleStream[];
  readonly texts: JudgedText[];
  /** Texts that the next events may continue, by their channel. */
  readonly byChannel: Map<string, OpenChannel>;
  /** Channels with undecided pieces. */
  readonly open: Set<OpenChannel>;
  waiting: Waiting[];
  waitingBytes: number;
  remembered: number;
  done: (() => void) | undefined;
  over: boolean;
}

export function createAnswerStream(parts: AnswerStreamParts): AnswerStream {
  const { checks, nowMs, rules, screening } = parts;
  const streams = rules.map((external) =>
    createRuleStream({
      checks,
      external,
      nowMs,
      onRefused: (place, message) => screening.refused(external.at, place, message),
      onChange: () => advance(state),
    }),
  );
  const state: State = {
    parts,
    streams,
    texts: [],
    byChannel: new Map(),
    open: new Set(),
    waiting: [],
    waitingBytes: 0,
    remembered: 0,
    done: undefined,
    over: false,
  };
  return {
    push: (bytes) => {
      if (state.over) return;
      for (const part of bytes) for (const event of parts.events.push(part)) add(state, event);
      for (const stream of streams) stream.send();
      advance(state);
    },
    hasRoom: () => state.waitingBytes < ROOM_BYTES,
    finish: (done) => {
      if (state.over) return;
      state.done = done;
      for (const { text } of state.byChannel.values()) complete(text);
      for (const stream of streams) stream.send();
      advance(state);
    },
    end: (text) =>
      judgedEvents(text, (given) => {
        const said = saidBefore(state, given.kind, given.text);
        if (!said) return undefined;
        const { channel } = openChannel(state, given.kind, said, false);
        const piece = channel.push(given.text);
        channel.flush();
        return piece.edited;
      }),
    cancel: () => {
      state.over = true;
      for (const stream of streams) stream.cancel();
    },
  };
}

function add(state: State, event: StreamEvent): void {
  const { ended, texts } = event.json ? eventTexts(event.json) : NOTHING;
  const placed = texts.map((text) => ({ text, piece: pieceOf(state, text) }));
  state.waiting.push({ event, texts: placed });
  state.waitingBytes += event.bytes.length;
  for (const group of ended) completeGroup(state, group, undefined);
}

const NOTHING = { texts: [], ended: [] };

function pieceOf(state: State, { channel: name, group, kind, text }: EventText): Piece {
  if (name === undefined) return wholeText(state, kind, text);
  // A part's texts follow one another: the one before is complete.
  completeGroup(state, group, name);
  let known = state.byChannel.get(name);
  if (!known || known.text.complete) {
    known = openChannel(state, kind, begin(state, kind, group), true);
    state.byChannel.set(name, known);
  }
  state.open.add(known);
  return known.channel.push(text);
}

/** One that repeats another has its verdict. */
function wholeText(state: State, kind: AnswerKind, text: string): Piece {
  const said = saidBefore(state, kind, text);
  const judged = said ?? begin(state, kind, '');
  const opened = openChannel(state, kind, judged, said === undefined);
  state.open.add(opened);
  const piece = opened.channel.push(text);
  if (!said) complete(judged);
  return piece;
}

function saidBefore({ texts }: State, kind: AnswerKind, text: string): JudgedText | undefined {
  const shown = decodedText(text, kind.json);
  return texts.find(({ content, place }) => place === kind.place && content === shown);
}

function begin(state: State, { place }: AnswerKind, group: string): JudgedText {
  const states = state.streams.map(({ open }) => open(place));
  const text: JudgedText = { place, states, group, length: 0, content: '', complete: false };
  if (state.texts.length < MOST_TEXTS) state.texts.push(text);
  return text;
}

/** `feeds`: what comes is of the text itself, and goes to the services. */
function openChannel(
  state: State,
  kind: AnswerKind,
  text: JudgedText,
  feeds: boolean,
): OpenChannel {
  const judge: Finder = {
    scan: (seen, found, from = 0) => {
      if (feeds && !text.complete) append(state, text, seen.slice(text.length - from));
      let open = seen.length;
      for (const rule of text.states) open = Math.min(open, rule.scan(from, seen.length, found));
      return open;
    },
  };
  return { channel: state.parts.screening.judged(kind, judge), text };
}

function append(state: State, text: JudgedText, more: string): void {
  if (more === '') return;
  text.length += more.length;
  state.remembered += more.length;
  const fits = text.content !== undefined && state.remembered <= MOST_REMEMBERED;
  text.content = fits ? text.content + more : undefined;
  for (const rule of text.states) rule.append(more);
}

function completeGroup({ byChannel }: State, group: string, except: string | undefined): void {
  for (const [name, { text }] of byChannel) {
    if (text.group === group && name !== except) complete(text);
  }
}

function complete(text: JudgedText): void {
  if (text.complete) return;
  text.complete = true;
  for (const rule of text.states) rule.complete();
}

/** Passes on what is released by now. */
function advance(state: State): void {
  const { onBlocked, screening } = state.parts;
  if (state.over) return;
  for (const opened of state.open) {
    const { channel, text } = opened;
    channel.again();
    if (!text.complete || !text.states.every((rule) => rule.isDone())) continue;
    channel.flush();
    state.open.delete(opened);
  }
  const blocked = screening.blocked();
  if (blocked) {
    state.over = true;
    for (const stream of state.streams) stream.cancel();
    return onBlocked(blockedError(blocked));
  }
  release(state);
  if (state.done && state.waiting.length === 0) end(state, state.done);
}

function end(state: State, done: () => void): void {
  state.over = true;
  for (const stream of state.streams) stream.close();
  const rest = state.parts.events.rest();
  if (rest.length > 0) state.parts.onPassed([rest], false);
  done();
}

function release(state: State): void {
  const passed: Buffer[] = [];
  let count = 0;
  let hasText = false;
  for (const { event, texts } of state.waiting) {
    if (texts.some(({ piece }) => piece.edited === undefined)) break;
    count += 1;
    state.waitingBytes -= event.bytes.length;
    hasText ||= texts.length > 0;
    passed.push(bytesOf(event, texts));
  }
  if (count === 0) return;
  state.waiting = state.waiting.slice(count);
  state.parts.onPassed(passed, hasText);
}
