// Reads usage and output from a responses stream that is passed on byte for byte. Nearly every
// event is a delta: it is scanned for its output. Any other event is parsed.

import type { EventVerdict } from '../byte-spans';
import type { UsageTap } from '../format';
import { objectOf, textOf } from '../json';
import type { JsonObject } from '../normalised';
import { createOutputBuffer, JSON_STRING, jsonStringBody } from '../output-buffer';
import { toolUnits } from '../server-tools';
import {
  createEventSplitter,
  MAX_EVENT_BYTES,
  parseEventObject,
  readEvent,
  readRawEvent,
  type RawEvent,
} from '../sse';
import { createTapShell } from '../tap-shell';
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

/** Usage is part of this format, so it is never removed. */
export function createUsageTap(): UsageTap {
  const shell = createTapShell();
  const { report, count, failInvalid, failUpstream } = shell;
  const output = createOutputBuffer(JSON_STRING);
  const splitter = createEventSplitter(MAX_EVENT_BYTES);
  /** Deltas continue the item or part that started last. */
  let part = 0;
  const transcript = createTranscript();
  const calls = createToolCount();
  let begun = false;
  let callsTools = false;

  function look(raw: RawEvent): EventVerdict {
    const delta = begun ? scanDelta(raw.latin1) : undefined;
    if (delta === undefined) return read(raw);
    count(delta.length);
    if (raw.latin1.startsWith(SOUND)) output.addOpaque(delta.length);
    else output.add(part, delta);
    transcript.said(raw.latin1, delta);
    return true;
  }

  function read(raw: RawEvent): EventVerdict {
    const named = readRawEvent(raw);
    const { data } = named;
    // A comment also keeps the client's connection alive. Another format's terminal event would end
    // this stream early.
    if (data === undefined) return true;
    if (data === '' || data === FOREIGN_END) return false;
    const wire = parseEventObject(data);
    if (wire === undefined) return failInvalid('an event is not JSON');
    if (isErrorEvent(named.event, wire)) return failUpstream(decodeFailure(wire));
    const type = typeOf(named, wire);
    if (isTerminal(type)) return terminate(lastResponse(type, wire));
    take(type, wire);
    transcript.take(type, wire, raw.latin1);
    return true;
  }

  function take(type: string, wire: JsonObject): void {
    const response = objectOf(wire['response']);
    if (response !== undefined) note(response);
    begun ||= type.startsWith('response.');
    const delta = wire['delta'];
    if (typeof delta === 'string') said(delta, type === SOUND_TYPE);
    if (BEGINS.has(type)) part += 1;
    const item = objectOf(wire['item']);
    if (type === 'response.output_item.done') {
      calls.take(item);
      Object.assign(report, toolUnits(calls.units));
    }
    if (type !== 'response.output_item.added' || item === undefined) return;
    addItemId((report.itemIds ??= []), item);
    callsTools ||= item['type'] === 'function_call' || item['type'] === 'custom_tool_call';
    said(textOf(item['name']) ?? '');
  }

  function said(text: string, sound = false): void {
    if (text === '') return;
    count(Buffer.byteLength(text));
    if (sound) output.addOpaque(text.length);
    else output.add(part, jsonStringBody(text));
  }

  function note(response: JsonObject): void {
    report.responseId ??= textOf(response['id']) ?? '';
    report.model ??= textOf(response['model']) ?? '';
  }

  function terminate(response: JsonObject | undefined): 'alone' | false {
    if (response === undefined) {
      return failInvalid('its last event holds no response');
    }
    note(response);
    const usage = usageOf(response);
    if (usage !== undefined) {
      report.usage = usage.tokens;
      if (usage.units) report.units = usage.units;
      output.clear();
    }
    const failure = failureOf(response);
    if (failure !== undefined) return failUpstream(failure);
    if (!transcript.begun() && !Array.isArray(response['output'])) {
      return failInvalid('it holds no output');
    }
    const { reason, rawReason } = decodeStop(response, callsTools);
    report.stopReason = reason;
    report.rawStopReason = rawReason;
    shell.complete();
    return 'alone';
  }

  function readRest(): Buffer[] {
    const last = readEvent(splitter.rest().toString('utf8'));
    const wire = last.data === undefined ? undefined : parseEventObject(last.data);
    if (wire !== undefined && isTerminal(typeOf(last, wire))) {
      const type = typeOf(last, wire);
      if (terminate(lastResponse(type, wire)) !== false) {
        return [Buffer.from(`event: ${type}\ndata: ${last.data}\n\n`)];
      }
    }
    return [];
  }

  return {
    ...shell.tap({ splitter, look, readRest }),
    output,
    ending: transcript.ending,
  };
}
