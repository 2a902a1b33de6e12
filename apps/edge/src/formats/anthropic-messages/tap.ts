// Reads usage and output from a message stream that is passed on byte for byte. Nearly every event is
// a delta: it is scanned for its output. Any other event is parsed.

import type { EventVerdict } from '../byte-spans';
import type { UsageTap } from '../format';
import { countOf, isObject, objectOf, textOf } from '../json';
import type { JsonObject } from '../normalised';
import {
  createOutputBuffer,
  JSON_STRING,
  jsonStringBody,
  type OutputBuffer,
} from '../output-buffer';
import { toolUnits } from '../server-tools';
import { tiersIn } from '../service-tiers';
import {
  createEventSplitter,
  MAX_EVENT_BYTES,
  parseEventObject,
  readEvent,
  type EventSplitter,
  type RawEvent,
} from '../sse';
import { createTapShell, type TapShell } from '../tap-shell';
import { scanDelta } from './delta-scan';
import { streamedError } from './error';
import { dataIn, isErrorEvent, isTerminal, readNamedEvent, TERMINAL, writeEvent } from './events';
import { countCalls, seeBlock, type SeenCalls } from './server-tools';
import { decodeStopReason } from './stop-reason';
import { inputUsage } from './stream-answer';
import { decodeUsage, mergeUsage, TIER_FIELDS } from './usage';

/** The fields of a delta that hold output; `content` is the summary of a compaction. */
const SAID: ReadonlySet<string> = new Set(['text', 'thinking', 'partial_json', 'content']);

interface TapState extends TapShell {
  readonly output: OutputBuffer;
  readonly splitter: EventSplitter;
  /** Deltas continue the block that started last. */
  block: number;
  /** The index of the block that has not stopped yet. */
  open: number | undefined;
  usage: JsonObject;
  begun: boolean;
  callsTools: boolean;
  readonly seen: SeenCalls;
}

/** Usage is part of this format, so it is never removed. */
export function createUsageTap(): UsageTap {
  const shell = createTapShell();
  const output = createOutputBuffer(JSON_STRING);
  const splitter = createEventSplitter(MAX_EVENT_BYTES);
  const tap: TapState = {
    ...shell,
    output,
    splitter,
    block: 0,
    open: undefined,
    usage: {},
    begun: false,
    callsTools: false,
    seen: { searches: 0, code: false },
  };
  const look = (raw: RawEvent): EventVerdict => lookAt(tap, raw);
  return {
    ...shell.tap({ splitter, look, readRest: () => readRest(tap) }),
    output,
    closeOpen: () => closeOpen(tap),
  };
}

/** Clients take a block as complete at its stop, and some show it only then. */
function closeOpen(tap: TapState): string {
  const { open: index } = tap;
  tap.open = undefined;
  return index === undefined ? '' : writeEvent('content_block_stop', { index });
}

function lookAt(tap: TapState, raw: RawEvent): EventVerdict {
  const said = tap.begun ? scanDelta(raw.latin1) : undefined;
  if (said === undefined) return read(tap, raw);
  tap.count(said.length);
  tap.output.add(tap.block, said);
  return true;
}

function read(tap: TapState, raw: RawEvent): EventVerdict {
  const named = readNamedEvent(raw);
  const { event } = named;
  const data = dataIn(named);
  // A comment also keeps the client's connection alive. Another format's terminal event has no
  // meaning here.
  if (data === undefined) return named.data === undefined;
  const wire = parseEventObject(data);
  if (wire === undefined) return tap.failInvalid('an event is not JSON');
  if (isErrorEvent(event, wire)) return tap.failUpstream(streamedError(wire));
  const type = textOf(wire['type']) ?? '';
  const verdict = take(tap, type, wire);
  // Clients ignore an event without an `event:` line.
  if (event !== '' || (verdict !== true && verdict !== 'alone') || type === '') return verdict;
  return Buffer.from(writeEvent(type, wire));
}

function said(tap: TapState, text: string): void {
  if (text === '') return;
  tap.count(Buffer.byteLength(text));
  tap.output.add(tap.block, jsonStringBody(text));
}

function take(tap: TapState, type: string, wire: JsonObject): EventVerdict {
  switch (type) {
    case 'message_start': {
      if (tap.begun) return tap.failInvalid('it begins twice');
      tap.begun = true;
      const message = objectOf(wire['message']) ?? {};
      tap.report.responseId = textOf(message['id']) ?? '';
      tap.report.model = textOf(message['model']) ?? '';
      tap.usage = mergeUsage({}, message['usage']);
      const input = inputUsage(tap.usage);
      if (input !== undefined) tap.report.inputUsage = input;
      Object.assign(tap.report, tiersIn(tap.usage, TIER_FIELDS));
      return true;
    }
    case 'content_block_start': {
      const started = objectOf(wire['content_block']) ?? {};
      tap.callsTools ||= started['type'] === 'tool_use';
      if (started['type'] === 'server_tool_use') {
        seeBlock(tap.seen, started);
        Object.assign(tap.report, toolUnits(countCalls({}, tap.seen)));
      }
      tap.block += 1;
      tap.open = countOf(wire['index']) ?? 0;
      for (const field of ['name', 'text', 'thinking']) said(tap, textOf(started[field]) ?? '');
      const redacted = Buffer.byteLength(textOf(started['data']) ?? '');
      tap.count(redacted);
      tap.output.addOpaque(redacted);
      return true;
    }
    case 'content_block_delta':
      for (const [name, value] of Object.entries(objectOf(wire['delta']) ?? {})) {
        if (SAID.has(name) && typeof value === 'string') said(tap, value);
      }
      return true;
    case 'content_block_stop':
      tap.open = undefined;
      return true;
    case 'message_delta':
      return takeEnding(tap, wire);
    case TERMINAL:
      return terminate(tap);
    default:
      return true;
  }
}

function takeEnding(tap: TapState, wire: JsonObject): EventVerdict {
  const reason = textOf(objectOf(wire['delta'])?.['stop_reason']);
  if (reason !== undefined) {
    tap.report.rawStopReason = reason;
    tap.report.stopReason = decodeStopReason(reason, tap.callsTools);
  }
  if (!isObject(wire['usage'])) {
    // Clients break if this event has no usage.
    const usage = { output_tokens: tap.report.outputTokensEstimate };
    return Buffer.from(writeEvent('message_delta', { ...wire, usage }));
  }
  tap.usage = mergeUsage(tap.usage, wire['usage']);
  const reported = decodeUsage(tap.usage, tap.seen);
  if (reported === undefined) return true;
  tap.report.usage = reported.tokens;
  if (reported.tiers) tap.report.tiers = reported.tiers;
  if (reported.units) tap.report.units = reported.units;
  else delete tap.report.units;
  tap.output.clear();
  return true;
}

function terminate(tap: TapState): 'alone' | false {
  if (!tap.begun) return tap.failInvalid('it holds no message');
  tap.complete();
  return 'alone';
}

function readRest(tap: TapState): Buffer[] {
  const last = readEvent(tap.splitter.rest().toString('utf8'));
  if (isTerminal(last) && terminate(tap)) {
    return [Buffer.from(`event: ${TERMINAL}\ndata: ${last.data}\n\n`)];
  }
  return [];
}
