// One rule's check of a streamed answer: what its service was sent, what it found, and how much of each text
// it released. The service answers every piece, in order.

import type { CheckStreamReply__Output } from '@tollgate/contracts/node';
import {
  createOffsets,
  labelOf,
  MOST_FINDINGS,
  type AnswerKind,
  type ExternalRule,
  type Hit,
} from '@tollgate/screening';

import type { Checks, CheckStream } from '../../exchange/screening';

export interface RuleStreamParts {
  readonly checks: Pick<Checks, 'noteStream' | 'openStream'>;
  readonly external: ExternalRule;
  readonly nowMs: () => number;
  /** The service refuses the answer; `message`: what the client reads. */
  readonly onRefused: (place: AnswerKind['place'], message: string | undefined) => void;
  /** More is released, or the rule has failed. */
  readonly onChange: () => void;
}

export interface RuleStream {
  /** A text that begins. */
  readonly open: (place: AnswerKind['place']) => RuleText;
  /** Sends what texts have that was not sent. */
  readonly send: () => void;
  /** All texts are complete and released. */
  readonly close: () => void;
  readonly cancel: () => void;
}

/** One text, as the service judges it. Offsets are UTF-16. */
export interface RuleText {
  readonly append: (text: string) => void;
  readonly complete: () => void;
  /** Adds the hits in a part of the text; returns how much of the part may go on. */
  readonly scan: (from: number, length: number, found: Hit[]) => number;
  readonly isDone: () => boolean;
}

/** Pieces without an answer. */
const MOST_UNANSWERED = 64;
/** Characters that were sent and are not released; with so many nothing more is sent. */
const WINDOW_CHARACTERS = 20_000;
/** Of one piece. */
const PIECE_CHARACTERS = 16_384;
/** Of one answer. */
const MOST_TEXTS = 2_000;
const MESSAGE_CHARACTERS = 300;

interface Text {
  readonly id: string;
  readonly place: AnswerKind['place'];
  /** Not sent. */
  pending: string;
  /** Sent and not released. */
  unreleased: string;
  /** Where `unreleased` begins. */
  units: number;
  points: number;
  complete: boolean;
  lastSent: boolean;
  done: boolean;
  findings: Omit<Hit, 'rule'>[];
}

interface Asked {
  readonly number: number;
  readonly text: Text;
  readonly last: boolean;
  readonly sentMs: number;
}

interface State {
  readonly parts: RuleStreamParts;
  readonly texts: Text[];
  /** Texts with something to send, in the order of their first piece. */
  readonly ready: Set<Text>;
  unanswered: Asked[];
  stream: CheckStream | undefined;
  late: NodeJS.Timeout | undefined;
  number: number;
  unreleased: number;
  findings: number;
  longestMs: number;
  /** Closed, cancelled, failed or refused. */
  over: boolean;
  failed: boolean;
}

export function createRuleStream(parts: RuleStreamParts): RuleStream {
  const state: State = {
    parts,
    texts: [],
    ready: new Set(),
    unanswered: [],
    stream: undefined,
    late: undefined,
    number: 0,
    unreleased: 0,
    findings: 0,
    longestMs: 0,
    over: false,
    failed: false,
  };
  const end = (how: 'cancel' | 'close'): void => {
    if (state.over) return;
    state.over = true;
    clearTimeout(state.late);
    state.stream?.[how]();
    if (state.stream) noteEnd(state, undefined);
  };
  return {
    open: (place) => openText(state, place),
    send: () => send(state),
    close: () => end('close'),
    cancel: () => end('cancel'),
  };
}

function openText(state: State, place: AnswerKind['place']): RuleText {
  const id = String(state.texts.length);
  if (state.texts.length >= MOST_TEXTS) fail(state, `the answer has more than ${id} texts`);
  const text: Text = {
    id,
    place,
    pending: '',
    unreleased: '',
    units: 0,
    points: 0,
    complete: false,
    lastSent: false,
    done: false,
    findings: [],
  };
  if (!state.failed) state.texts.push(text);
  return {
    append: (more) => {
      if (text.complete || state.over) return;
      text.pending += more;
      state.ready.add(text);
    },
    complete: () => {
      if (text.complete) return;
      text.complete = true;
      // An empty text needs no verdict.
      if (text.units + text.unreleased.length + text.pending.length === 0) text.done = true;
      else if (!state.over) state.ready.add(text);
    },
    scan: (from, length, found) => {
      for (const { end, label, start } of text.findings) {
        if (start < from || end > from + length) continue;
        found.push({ start: start - from, end: end - from, label, rule: state.parts.external.at });
      }
      return state.failed ? length : Math.min(length, Math.max(0, text.units - from));
    },
    isDone: () => text.done || (state.failed && text.complete),
  };
}

function send(state: State): void {
  for (const text of state.ready) {
    for (let piece = nextPiece(state, text); piece !== undefined; piece = nextPiece(state, text)) {
      sendPiece(state, text, piece);
    }
    const last = text.complete && !text.lastSent;
    if (text.pending === '' && !last) state.ready.delete(text);
  }
  const waits = state.ready.size > 0 && state.unanswered.length === 0;
  if (waits && state.unreleased >= WINDOW_CHARACTERS) {
    fail(state, `the service withholds ${state.unreleased} characters`);
  }
}

/** Undefined: nothing more may be sent of this text now. */
function nextPiece(state: State, { complete, lastSent, pending }: Text): string | undefined {
  if (state.over || lastSent || state.unanswered.length >= MOST_UNANSWERED) return undefined;
  const piece = wholeCharacters(pending.slice(0, PIECE_CHARACTERS), complete);
  const last = complete && piece.length === pending.length;
  if (piece === '' && !last) return undefined;
  return state.unreleased < WINDOW_CHARACTERS || last ? piece : undefined;
}

/** The first half of a pair waits for the other one, as no code point stands for it. */
function wholeCharacters(text: string, complete: boolean): string {
  const [last, whole] = [text.charCodeAt(text.length - 1), text.length > 1 || !complete];
  return whole && last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}

function sendPiece(state: State, text: Text, piece: string): void {
  const { checks, external, nowMs } = state.parts;
  state.stream ??= checks.openStream(external, {
    reply: (reply) => onReply(state, reply),
    failed: ({ message }) => fail(state, message),
  });
  text.pending = text.pending.slice(piece.length);
  text.unreleased += piece;
  state.unreleased += piece.length;
  const last = text.complete && text.pending === '';
  text.lastSent = last;
  state.number += 1;
  const { number } = state;
  state.unanswered.push({ number, text, last, sentMs: nowMs() });
  state.stream.send({ number, textId: text.id, place: text.place, text: piece, last });
  if (state.unanswered.length === 1) awaitReply(state);
}

/** For the oldest piece without an answer. */
function awaitReply(state: State): void {
  clearTimeout(state.late);
  const [oldest] = state.unanswered;
  if (!oldest) return;
  const { external, nowMs } = state.parts;
  const leftMs = Math.max(1, external.rule.timeoutMs - (nowMs() - oldest.sentMs));
  state.late = setTimeout(() => fail(state, 'a piece was not answered in time'), leftMs);
}

function onReply(state: State, reply: CheckStreamReply__Output): void {
  if (state.over) return;
  const { onChange, onRefused } = state.parts;
  const asked = state.unanswered.shift();
  const problem = asked ? take(state, asked, reply) : 'a reply is of no piece';
  if (!asked || problem !== undefined) return fail(state, problem ?? '');
  if (reply.verdict === 'BLOCK') {
    // What it releases passes before it refuses the rest.
    onChange();
    if (state.over) return;
    state.over = true;
    clearTimeout(state.late);
    state.stream?.cancel();
    onRefused(asked.text.place, reply.message.slice(0, MESSAGE_CHARACTERS) || undefined);
    noteEnd(state, undefined);
    return onChange();
  }
  awaitReply(state);
  send(state);
  onChange();
}

/** Returns what is wrong with the reply. */
function take(
  state: State,
  { last, number, sentMs, text }: Asked,
  reply: CheckStreamReply__Output,
): string | undefined {
  if (reply.number !== number) return 'replies are not in the order of the pieces';
  if (reply.verdict !== 'PASS' && reply.verdict !== 'BLOCK') return 'a reply has no verdict';
  const offset = createOffsets(text.unreleased);
  const unitOf = (point: number): number => offset(point - text.points);
  const released = unitOf(reply.released);
  if (!(released >= 0 && released <= text.unreleased.length)) {
    return 'a reply releases less than before, or what was not sent';
  }
  if (last && reply.verdict === 'PASS' && released < text.unreleased.length) {
    return 'the reply to the last piece of a text does not release all of it';
  }
  state.findings += reply.findings.length;
  if (state.findings > MOST_FINDINGS) return 'too many findings';
  for (const { end, label, start } of reply.findings) {
    const [from, to] = [unitOf(start), unitOf(end)];
    if (!(from >= 0 && from < to && to <= text.unreleased.length)) {
      return 'a finding is outside of what was not released';
    }
    text.findings.push({ start: text.units + from, end: text.units + to, label: labelOf(label) });
  }
  text.unreleased = text.unreleased.slice(released);
  text.units += released;
  text.points = reply.released;
  state.unreleased -= released;
  text.done = last && text.unreleased === '';
  state.longestMs = Math.max(state.longestMs, state.parts.nowMs() - sentMs);
  return undefined;
}

/** There is no verdict. What the rule withholds goes on, unless it refuses. */
function fail(state: State, reason: string): void {
  if (state.over) return;
  state.over = true;
  state.failed = true;
  clearTimeout(state.late);
  state.stream?.cancel();
  noteEnd(state, reason);
  state.parts.onChange();
}

function noteEnd({ longestMs, parts, texts, unanswered }: State, reason: string | undefined): void {
  const unjudged = unanswered.map(({ text }) => text);
  const places = new Set([...unjudged, ...texts].map(({ place }) => place));
  parts.checks.noteStream(parts.external, [...places], longestMs, reason);
}
