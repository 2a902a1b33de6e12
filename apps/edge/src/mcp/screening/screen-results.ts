// Screens what an MCP server sends, message by message: a document at its end, of a stream each event.

import { gatewayError } from '@tollgate/contracts';
import type { Screening } from '@tollgate/screening';

import type { Checks } from '../../exchange/screening';
import type { JsonObject } from '../../formats';
import { isObject, objectOf, parseJson } from '../../formats/json';
import { createEventSplitter, MAX_EVENT_BYTES, type RawEvent } from '../../formats/sse';
import { EVENT_LIMITS } from '../../json/limits';
import { findExcess } from '../../json/scan';
import { screenWholeAnswer, throwIfBlocked, type Leaf } from '../../screening';
import { UpstreamFailure } from '../../upstream/failure';
import type { McpExchange } from '../exchange';
import { openEvent } from '../filter';
import type { McpGateway } from '../gateway';
import type { BodyKind } from '../relay/answer-verdict';
import { messageTexts } from './message-texts';

export interface ResultScreen {
  /**
   * Takes bytes of the answer and returns those that may go on. Wait for it before the next call.
   * @throws GatewayError `content_blocked`, `dependency_unavailable`
   */
  readonly push: (parts: readonly Buffer[]) => Promise<Buffer[]>;
  /** The answer is complete: returns the rest. Throws as `push`. */
  readonly finish: () => Promise<Buffer[]>;
}

interface Rules {
  readonly checks: Checks | undefined;
  readonly gateway: Pick<McpGateway, 'nowMs'>;
  readonly screening: Screening;
}

/** Undefined: no rule reads what servers send, and the client's own message was not masked. */
export function createResultScreen(
  gateway: Pick<McpGateway, 'nowMs'>,
  { checks, screening }: Pick<McpExchange, 'checks' | 'screening'>,
  kind: BodyKind,
): ResultScreen | undefined {
  if (!screening) return undefined;
  if (!screening.program.places.has('MCP_RESULT') && !screening.restores()) return undefined;
  const rules = { checks, gateway, screening };
  return kind === 'events' ? createStreamScreen(rules) : createDocumentScreen(rules, kind);
}

function createDocumentScreen(rules: Rules, kind: BodyKind): ResultScreen {
  let kept: Buffer[] = [];
  let bytes = 0;
  return {
    push: async (parts) => {
      const before = bytes;
      for (const part of parts) bytes += part.length;
      if (bytes <= MAX_EVENT_BYTES) {
        kept.push(...parts);
        return [];
      }
      if (before <= MAX_EVENT_BYTES) noteUnreadable(rules);
      const passed = [...kept, ...parts];
      kept = [];
      return passed;
    },
    finish: async () => {
      if (bytes === 0 || bytes > MAX_EVENT_BYTES) return kept;
      const document = Buffer.concat(kept);
      const screened =
        kind === 'json'
          ? await screenDocument(rules, document)
          : await screenPage(rules, document.toString());
      return screened === undefined ? [document] : [Buffer.from(screened)];
    },
  };
}

/** The page of an error is one text. */
async function screenPage(rules: Rules, page: string): Promise<string | undefined> {
  let passed: string | undefined;
  const set = (changed: string): void => {
    passed = changed;
  };
  await screenedTexts(rules, [{ path: [], set, text: page }]);
  return passed;
}

function tooLong(): UpstreamFailure {
  const text = `The MCP server's message cannot be screened: it has more than ${MAX_EVENT_BYTES} bytes.`;
  return new UpstreamFailure('TOO_LARGE', gatewayError('upstream_error', text), { own: true });
}

function noted(rules: Rules): undefined {
  noteUnreadable(rules);
  return undefined;
}

function createStreamScreen(rules: Rules): ResultScreen {
  const splitter = createEventSplitter(MAX_EVENT_BYTES);
  const screenAll = async (events: readonly RawEvent[]): Promise<Buffer[]> => {
    const passed: Buffer[] = [];
    for (const event of events) passed.push(await screenEvent(rules, event));
    return passed;
  };
  return {
    push: async (parts) => {
      const events: RawEvent[] = [];
      try {
        for (const part of parts) {
          splitter.push(part, (event) => {
            events.push(event);
            return true;
          });
        }
      } catch (error) {
        throw error instanceof RangeError ? tooLong() : error;
      }
      return screenAll(events);
    },
    // Some clients read an event whose blank line is missing.
    finish: async () => {
      const source = splitter.rest();
      if (source.length === 0) return [];
      const latin1 = source.toString('latin1');
      return screenAll([{ source, start: 0, end: source.length, latin1 }]);
    },
  };
}

async function screenEvent(rules: Rules, { end, source, start }: RawEvent): Promise<Buffer> {
  const bytes = source.subarray(start, end);
  const event = openEvent(bytes.toString());
  // An event without data tells where a stream can be resumed.
  if (!event || event.data.trim() === '') return bytes;
  const screened = await screenDocument(rules, Buffer.from(event.data));
  return screened === undefined ? bytes : event.write(screened);
}

/** The document as it goes on. Undefined: as it came. */
async function screenDocument(rules: Rules, bytes: Buffer): Promise<string | undefined> {
  const document = documentIn(bytes);
  if (document === undefined) return noted(rules);
  const messages = Array.isArray(document) ? document : [document];
  const texts = messages.flatMap((one) => (isObject(one) ? messageTexts(one) : []));
  const changed = await screenedTexts(rules, texts);
  // Of a field that is sent twice two parsers take different ones, so what was screened is what goes on.
  const acts = rules.screening.program.blocks('MCP_RESULT');
  if (changed) for (const message of messages) keepPrivate(message);
  return changed || acts ? JSON.stringify(document) : undefined;
}

/** What was masked or put back for one key is not for the cache of another. */
function keepPrivate(message: unknown): void {
  const result = objectOf(objectOf(message)?.['result']);
  if (result && 'cacheScope' in result) result['cacheScope'] = 'private';
}

function documentIn(bytes: Buffer): JsonObject | unknown[] | undefined {
  if (findExcess(bytes, EVENT_LIMITS)) return undefined;
  try {
    const document = parseJson(bytes.toString());
    return isObject(document) || Array.isArray(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

const OF_SERVER = { place: 'MCP_RESULT', json: false } as const;

async function screenedTexts(
  { checks, gateway, screening }: Rules,
  texts: readonly Leaf[],
): Promise<boolean> {
  const passed: string[] = [];
  for (const { text } of texts) {
    passed.push(await screenWholeAnswer(gateway, screening, OF_SERVER, text));
    throwIfBlocked(screening);
  }
  const rules = screening.externalRules('MCP_RESULT');
  if (checks && rules.length > 0) {
    const asked = passed.map((text) => ({
      place: 'MCP_RESULT' as const,
      role: 'assistant' as const,
      text,
      reads: () => true,
    }));
    const found = await checks.run(rules, asked);
    for (const [at, text] of passed.entries()) {
      passed[at] = screening.edit({ ...OF_SERVER, pieces: [text] }, found[at] ?? []).join('');
    }
    throwIfBlocked(screening);
  }
  let changed = false;
  for (const [at, { set, text }] of texts.entries()) {
    const goesOn = passed[at] ?? text;
    if (goesOn === text) continue;
    set(goesOn);
    changed = true;
  }
  return changed;
}

/** @throws GatewayError `content_blocked` where a rule refuses what it cannot read */
function noteUnreadable({ screening }: Rules): void {
  screening.unreadable('MCP_RESULT');
  throwIfBlocked(screening);
}
