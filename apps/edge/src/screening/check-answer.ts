// Asks services about the texts of an answer, and judges it by rules that need all of it. Nothing goes to the
// client before the verdict.

import { gatewayError, type GatewayError } from '@tollgate/contracts';
import { ANSWER_PLACES, type AnswerKind, type Screening } from '@tollgate/screening';

import type { Exchange } from '../exchange/exchange';
import { parseJson } from '../formats/json';
import { documentTexts, streamTexts, WHOLE_ANSWERS, type AnswerTexts } from './answer-texts';
import { dropTokens } from './drop-tokens';
import { editedTexts, type Asks, type GivenText } from './edited-texts';
import { eventTexts, type EventText } from './event-texts';
import { judgedEvents } from './judged-end';
import { visitTexts } from './leaves';
import { isJsonText, placeOf } from './places';
import { JSON_TYPE, SSE_TYPE, TEXT_TYPE, WITHOUT_TEXT } from './readable';
import { throwIfBlocked } from './refusal';
import { streamingRules } from './stream-check';
import { createArrayEvents, createSseEvents, type StreamEvent } from './stream-events';

type Asking = Pick<Exchange, 'checks' | 'format' | 'observing' | 'route' | 'screening'>;

/** Undefined: no service is asked about this answer. */
function asksOf({ checks, route, screening }: Asking): Asks | undefined {
  if (!checks || !screening || WITHOUT_TEXT.has(route.operation)) return undefined;
  const rules = screening.externalRules(...ANSWER_PLACES);
  return rules.length > 0 ? { checks, rules, screening } : undefined;
}

/** Undefined: no rule judges this answer as a whole. */
function wholeOf({ route, screening }: Asking): Screening | undefined {
  if (!screening || !WHOLE_ANSWERS.has(route.operation)) return undefined;
  return screening.whole.readsWholeAnswer() ? screening : undefined;
}

/** @throws GatewayError `content_blocked` */
function judge(screening: Screening | undefined, texts: () => AnswerTexts): void {
  if (!screening) return;
  const found = texts();
  if (found !== 'PENDING') screening.whole.answer(found);
  throwIfBlocked(screening);
}

/**
 * Checks a whole answer, after the other rules. Undefined: there is nothing to ask, or nothing to wait for.
 * @throws GatewayError `content_blocked`, `dependency_unavailable`, by the promise
 */
export function checkAnswer(
  exchange: Asking,
  payload: Buffer | string,
  contentType: string,
): Promise<Buffer | string> | undefined {
  const asks = asksOf(exchange);
  const whole = JSON_TYPE.test(contentType) ? wholeOf(exchange) : undefined;
  const judgeWhole = (goesOn: Buffer | string): Buffer | string => {
    judge(whole, () => documentTexts(exchange, goesOn));
    return goesOn;
  };
  const checking = asks && checkPayload(asks, payload, contentType);
  if (!checking) {
    judgeWhole(payload);
    return undefined;
  }
  if (asks.screening.withholdsAnswer()) return checking.then(judgeWhole);
  observe(exchange, checking);
  judgeWhole(payload);
  return undefined;
}

function checkPayload(
  asks: Asks,
  payload: Buffer | string,
  contentType: string,
): Promise<Buffer | string> | undefined {
  if (JSON_TYPE.test(contentType)) return checkDocument(asks, payload);
  return TEXT_TYPE.test(contentType) ? checkText(asks, payload) : undefined;
}

/** The record waits for a check that refuses nothing. */
export function observe(exchange: Pick<Exchange, 'observing'>, checking: Promise<unknown>): void {
  // It throws what another rule refuses, which the client has been told.
  const ended = checking.catch(() => undefined);
  exchange.observing = Promise.all([exchange.observing, ended]);
}

async function checkDocument(asks: Asks, payload: Buffer | string): Promise<Buffer | string> {
  const document = documentIn(payload);
  // The other rules have noted that.
  if (document === undefined) return payload;
  const texts: GivenText[] = [];
  const setters: ((text: string) => void)[] = [];
  visitTexts(document, [], ({ path, set, text }) => {
    texts.push({ kind: { place: placeOf(path), json: isJsonText(path) }, pieces: [text] });
    setters.push(set);
  });
  const edited = await editedTexts(asks, texts);
  let changed = false;
  for (const [at, { pieces }] of texts.entries()) {
    const [text = ''] = edited[at] ?? [];
    if (text === pieces[0]) continue;
    setters[at]?.(text);
    changed = true;
  }
  if (!changed) return payload;
  dropTokens(document);
  return JSON.stringify(document);
}

function documentIn(payload: Buffer | string): unknown {
  try {
    return parseJson(payload.toString());
  } catch {
    return undefined;
  }
}

async function checkText(asks: Asks, payload: Buffer | string): Promise<Buffer | string> {
  const text = payload.toString();
  const kind = { place: 'OUTPUT', json: false } as const;
  const [[edited = text] = []] = await editedTexts(asks, [{ kind, pieces: [text] }]);
  return edited === text ? payload : edited;
}

/** Reads a stream for its verdict. */
export interface AnswerCheck {
  /** Nothing goes to the client before the verdict. */
  readonly withholds: boolean;
  /** False: it is too long; nothing more is kept. */
  readonly keep: (parts: readonly Buffer[]) => boolean;
  /** What was kept of a stream that is too long, if the rules let it pass without a verdict. */
  readonly tooLong: () => readonly Buffer[];
  /** What goes to the client. Both throw GatewayError `content_blocked`, `dependency_unavailable`. */
  readonly verdict: () => Promise<readonly Buffer[]>;
  /** The end of the stream, written after the verdict, with repeated texts as they were judged. */
  readonly end: (text: string) => string;
}

/** Of one stream. */
const MOST_KEPT_BYTES = 4 * 1024 * 1024;

/** Undefined: nothing waits for its end. `room`: takes memory; false: there is none. */
export function createAnswerCheck(
  exchange: Asking,
  contentType: string,
  room: (bytes: number) => boolean,
): AnswerCheck | undefined {
  const all = asksOf(exchange);
  const whole = wholeOf(exchange);
  const screening = all?.screening ?? whole;
  const sse = SSE_TYPE.test(contentType);
  if (!screening || (!sse && !JSON_TYPE.test(contentType))) return undefined;
  const streamed = all !== undefined && streamingRules(all.screening, all.checks).length > 0;
  const asks = streamed ? observing(all) : all;
  if (!asks && !whole) return undefined;
  let kept: Buffer[] = [];
  let bytes = 0;
  /** What became of texts, by their place. */
  const passed = new Map<string, string>();
  return {
    withholds:
      (asks !== undefined && !streamed && screening.withholdsAnswer()) ||
      whole?.whole.mayRefuseAnswer() === true,
    keep: (parts) => {
      let more = 0;
      for (const part of parts) more += part.length;
      kept.push(...parts);
      bytes += more;
      return bytes <= MOST_KEPT_BYTES && room(more);
    },
    tooLong: () => {
      for (const { at, rule } of asks?.rules ?? []) {
        screening.failed(at, rule.where.includes('OUTPUT') ? 'OUTPUT' : 'TOOL_ARGUMENTS');
      }
      whole?.whole.answer(undefined);
      throwIfBlocked(screening);
      // Masked texts are put back when the services have answered.
      if (asks && !streamed && screening.restores()) throw tooLongError();
      const unjudged = kept;
      kept = [];
      return unjudged;
    },
    verdict: async () => {
      const checked = asks ? await checkedStream(asks, kept, { sse, passed }) : kept;
      judge(whole, () => streamTexts(exchange, checked));
      return checked;
    },
    end: (text) => {
      if (!sse || passed.size === 0) return text;
      return judgedEvents(text, (given) => passed.get(`${given.kind.place} ${given.text}`));
    },
  };
}

/** Those that act have judged the stream piece by piece. */
function observing(asks: Asks): Asks | undefined {
  const rules = asks.rules.filter(({ rule }) => rule.action === 'OBSERVE');
  return rules.length > 0 ? { ...asks, rules } : undefined;
}

function tooLongError(): GatewayError {
  const text = 'The answer is too long to be screened, and it may have texts that were masked.';
  return gatewayError('dependency_unavailable', text, { details: { dependency: 'screening' } });
}

interface StreamParts {
  readonly sse: boolean;
  readonly passed: Map<string, string>;
}

async function checkedStream(
  asks: Asks,
  kept: readonly Buffer[],
  { passed, sse }: StreamParts,
): Promise<readonly Buffer[]> {
  const events = sse ? createSseEvents() : createArrayEvents();
  const checked = await checkedEvents(asks, kept.flatMap(events.push), passed);
  const rest = events.rest();
  return rest.length > 0 ? [...checked, rest] : checked;
}

async function checkedEvents(
  asks: Asks,
  withheld: readonly StreamEvent[],
  passed: Map<string, string>,
): Promise<Buffer[]> {
  const texts: { kind: AnswerKind; pieces: string[] }[] = [];
  const byChannel = new Map<string, number>();
  const places = withheld.map((event) => {
    if (event.unreadable) asks.screening.unreadable('OUTPUT');
    const found = event.json ? eventTexts(event.json).texts : [];
    return found.map(({ channel, kind, set, text }: EventText) => {
      const known = channel === undefined ? undefined : byChannel.get(channel);
      const at = known ?? texts.push({ kind, pieces: [] }) - 1;
      if (channel !== undefined) byChannel.set(channel, at);
      const piece = (texts[at]?.pieces.push(text) ?? 1) - 1;
      return { at, piece, set, text };
    });
  });
  const edited = await editedTexts(asks, texts);
  for (const [at, { kind, pieces }] of texts.entries()) {
    passed.set(`${kind.place} ${pieces.join('')}`, (edited[at] ?? pieces).join(''));
  }
  return withheld.map((event, of) => {
    let changed = false;
    for (const { at, piece, set, text } of places[of] ?? []) {
      const goesOn = edited[at]?.[piece] ?? text;
      if (goesOn === text) continue;
      set(goesOn);
      changed = true;
    }
    if (!changed) return event.bytes;
    dropTokens(event.json);
    return event.write();
  });
}
