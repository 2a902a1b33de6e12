// Reads usage and output from a responses stream that is passed on byte for byte. Nearly every
// event is a delta: it is scanned for its output. Any other event is parsed.

import type { EventVerdict } from '../byte-spans';
import type { UsageTap } from '../format';
import { arrayOf, objectOf, textOf } from '../json';
import type { JsonObject } from '../normalised';
import {
  createOutputBuffer,
  JSON_STRING,
  jsonStringBody,
  type OutputBuffer,
} from '../output-buffer';
import { toolUnits } from '../server-tools';
import {
  createEventSplitter,
  MAX_EVENT_BYTES,
  parseEventObject,
  readEvent,
  readRawEvent,
  type EventSplitter,
  type RawEvent,
} from '../sse';
import { createTapShell, type TapShell } from '../tap-shell';
import { scanDelta } from './delta-scan';
import { FOREIGN_END, isTerminal, lastResponse, typeOf } from './events';
import { decodeFailure, failureOf, isErrorEvent } from './failure';
import { addItemId } from './output-ids';
import { createToolCount } from './server-tools';
import { decodeStop } from './status';
import { createTranscript } from './transcript';
import { usageOf } from './usage';

/** Events that start a new item or part. */
const BEGINS: ReadonlySet<string> = new Set([
  'response.output_item.added',
  'response.content_part.added',
  'response.reasoning_summary_part.added',
]);
const SOUND_TYPE = 'response.audio.delta';
const SOUND = `event: ${SOUND_TYPE}\n`;

interface TapState extends TapShell {
  readonly output: OutputBuffer;
  readonly splitter: EventSplitter;
  readonly transcript: ReturnType<typeof createTranscript>;
  readonly calls: ReturnType<typeof createToolCount>;
  /** Deltas continue the item or part that started last. */
  part: number;
  begun: boolean;
  callsTools: boolean;
}

/** Usage is part of this format, so it is never removed. */
export function createUsageTap(): UsageTap {
  const shell = createTapShell();
  const output = createOutputBuffer(JSON_STRING);
  const splitter = createEventSplitter(MAX_EVENT_BYTES);
  const transcript = createTranscript();
  const tap: TapState = {
    ...shell,
    output,
    splitter,
    transcript,
    calls: createToolCount(),
    part: 0,
    begun: false,
    callsTools: false,
  };
  const look = (raw: RawEvent): EventVerdict => lookAt(tap, raw);
  return {
    ...shell.tap({ splitter, look, readRest: () => readRest(tap) }),
    output,
    ending: transcript.ending,
  };
}

function lookAt(tap: TapState, raw: RawEvent): EventVerdict {
  const delta = tap.begun ? scanDelta(raw.latin1) : undefined;
  if (delta === undefined) return read(tap, raw);
  tap.count(delta.length);
  if (raw.latin1.startsWith(SOUND)) tap.output.addOpaque(delta.length);
  else tap.output.add(tap.part, delta);
  tap.transcript.said(raw.latin1, delta);
  return true;
}

function read(tap: TapState, raw: RawEvent): EventVerdict {
  const named = readRawEvent(raw);
  const { data } = named;
  // A comment also keeps the client's connection alive. Another format's terminal event would end
  // this stream early.
  if (data === undefined) return true;
  if (data === '' || data === FOREIGN_END) return false;
  const wire = parseEventObject(data);
  if (wire === undefined) return tap.failInvalid('an event is not JSON');
  if (isErrorEvent(named.event, wire)) return tap.failUpstream(decodeFailure(wire));
  const type = typeOf(named, wire);
  if (isTerminal(type)) return terminate(tap, lastResponse(type, wire));
  take(tap, type, wire);
  tap.transcript.take(type, wire, raw.latin1);
  return true;
}

function take(tap: TapState, type: string, wire: JsonObject): void {
  const response = objectOf(wire['response']);
  if (response !== undefined) note(tap, response);
  tap.begun ||= type.startsWith('response.');
  const delta = wire['delta'];
  if (typeof delta === 'string') said(tap, delta, type === SOUND_TYPE);
  if (BEGINS.has(type)) tap.part += 1;
  const item = objectOf(wire['item']);
  if (type === 'response.output_item.done') {
    tap.calls.take(item);
    Object.assign(tap.report, toolUnits(tap.calls.units));
  }
  if (type !== 'response.output_item.added' || item === undefined) return;
  addItemId((tap.report.itemIds ??= []), item);
  tap.callsTools ||= item['type'] === 'function_call' || item['type'] === 'custom_tool_call';
  said(tap, textOf(item['name']) ?? '');
}

function said(tap: TapState, text: string, sound = false): void {
  if (text === '') return;
  tap.count(Buffer.byteLength(text));
  if (sound) tap.output.addOpaque(text.length);
  else tap.output.add(tap.part, jsonStringBody(text));
}

function note(tap: TapState, response: JsonObject): void {
  tap.report.responseId ??= textOf(response['id']) ?? '';
  tap.report.model ??= textOf(response['model']) ?? '';
}

function terminate(tap: TapState, response: JsonObject | undefined): 'alone' | false {
  if (response === undefined) {
    return tap.failInvalid('its last event holds no response');
  }
  note(tap, response);
  // A server may send its items in the last event only.
  for (const item of arrayOf(response['output'])) addItemId((tap.report.itemIds ??= []), item);
  const usage = usageOf(response);
  if (usage !== undefined) {
    tap.report.usage = usage.tokens;
    if (usage.units) tap.report.units = usage.units;
    if (usage.tiers) tap.report.tiers = usage.tiers;
    tap.output.clear();
  }
  const failure = failureOf(response);
  if (failure !== undefined) return tap.failUpstream(failure);
  if (!tap.transcript.begun() && !Array.isArray(response['output'])) {
    return tap.failInvalid('it holds no output');
  }
  const { reason, rawReason } = decodeStop(response, tap.callsTools);
  tap.report.stopReason = reason;
  tap.report.rawStopReason = rawReason;
  tap.complete();
  return 'alone';
}

function readRest(tap: TapState): Buffer[] {
  const last = readEvent(tap.splitter.rest().toString('utf8'));
  const wire = last.data === undefined ? undefined : parseEventObject(last.data);
  if (wire !== undefined && isTerminal(typeOf(last, wire))) {
    const type = typeOf(last, wire);
    if (terminate(tap, lastResponse(type, wire)) !== false) {
      return [Buffer.from(`event: ${type}\ndata: ${last.data}\n\n`)];
    }
  }
  return [];
}
