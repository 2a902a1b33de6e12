// Reads usage and output from a message stream that is passed on byte for byte. Nearly every event is
// a delta: it is scanned for its output. Any other event is parsed.

import type { EventVerdict } from '../byte-spans';
import type { UsageTap } from '../format';
import { isObject, objectOf, textOf } from '../json';
import type { JsonObject } from '../normalised';
import { createOutputBuffer, JSON_STRING, jsonStringBody } from '../output-buffer';
import { toolUnits } from '../server-tools';
import {
  createEventSplitter,
  MAX_EVENT_BYTES,
  parseEventObject,
  readEvent,
  type RawEvent,
} from '../sse';
import { createTapShell } from '../tap-shell';
import { scanDelta } from './delta-scan';
import { streamedError } from './error';
import { dataIn, isErrorEvent, isTerminal, readNamedEvent, TERMINAL, writeEvent } from './events';
import { countCalls, seeBlock } from './server-tools';
import { decodeStopReason } from './stop-reason';
import { inputUsage } from './stream-decoder';
import { decodeUsage, mergeUsage } from './usage';

/** The fields of a delta that hold output. */
const SAID: ReadonlySet<string> = new Set(['text', 'thinking', 'partial_json']);

/** Usage is part of this format, so it is never removed. */
export function createUsageTap(): UsageTap {
  const shell = createTapShell();
  const { report, count, failInvalid, failUpstream } = shell;
  const output = createOutputBuffer(JSON_STRING);
  const splitter = createEventSplitter(MAX_EVENT_BYTES);
  /** Deltas continue the block that started last. */
  let block = 0;
  let usage: JsonObject = {};
  let begun = false;
  let callsTools = false;
  const seen = { searches: 0, code: false };

  function look(raw: RawEvent): EventVerdict {
    const said = begun ? scanDelta(raw.latin1) : undefined;
    if (said === undefined) return read(raw);
    count(said.length);
    output.add(block, said);
    return true;
  }

  function read(raw: RawEvent): EventVerdict {
    const named = readNamedEvent(raw);
    const { event } = named;
    const data = dataIn(named);
    // A comment also keeps the client's connection alive. Another format's terminal event has no
    // meaning here.
    if (data === undefined) return named.data === undefined;
    const wire = parseEventObject(data);
    if (wire === undefined) return failInvalid('an event is not JSON');
    if (isErrorEvent(event, wire)) return failUpstream(streamedError(wire));
    const type = textOf(wire['type']) ?? '';
    const verdict = take(type, wire);
    // Clients ignore an event without an `event:` line.
    if (event !== '' || (verdict !== true && verdict !== 'alone') || type === '') return verdict;
    return Buffer.from(writeEvent(type, wire));
  }

  function said(text: string): void {
    if (text === '') return;
    count(Buffer.byteLength(text));
    output.add(block, jsonStringBody(text));
  }

  function take(type: string, wire: JsonObject): EventVerdict {
    switch (type) {
      case 'message_start': {
        if (begun) return failInvalid('it begins twice');
        begun = true;
        const message = objectOf(wire['message']) ?? {};
        report.responseId = textOf(message['id']) ?? '';
        report.model = textOf(message['model']) ?? '';
        usage = mergeUsage({}, message['usage']);
        const input = inputUsage(usage);
        if (input !== undefined) report.inputUsage = input;
        return true;
      }
      case 'content_block_start': {
        const begun = objectOf(wire['content_block']) ?? {};
        callsTools ||= begun['type'] === 'tool_use';
        if (begun['type'] === 'server_tool_use') {
          seeBlock(seen, begun);
          Object.assign(report, toolUnits(countCalls({}, seen)));
        }
        block += 1;
        for (const field of ['name', 'text', 'thinking']) said(textOf(begun[field]) ?? '');
        const redacted = Buffer.byteLength(textOf(begun['data']) ?? '');
        count(redacted);
        output.addOpaque(redacted);
        return true;
      }
      case 'content_block_delta':
        for (const [name, value] of Object.entries(objectOf(wire['delta']) ?? {})) {
          if (SAID.has(name) && typeof value === 'string') said(value);
        }
        return true;
      case 'message_delta':
        return takeEnding(wire);
      case TERMINAL:
        return terminate();
      default:
        return true;
    }
  }

  function takeEnding(wire: JsonObject): EventVerdict {
    const reason = textOf(objectOf(wire['delta'])?.['stop_reason']);
    if (reason !== undefined) {
      report.rawStopReason = reason;
      report.stopReason = decodeStopReason(reason, callsTools);
    }
    if (!isObject(wire['usage'])) {
      // Clients break if this event has no usage.
      const usage = { output_tokens: report.outputTokensEstimate };
      return Buffer.from(writeEvent('message_delta', { ...wire, usage }));
    }
    usage = mergeUsage(usage, wire['usage']);
    const reported = decodeUsage(usage, seen);
    if (reported === undefined) return true;
    report.usage = reported.tokens;
    if (reported.units) report.units = reported.units;
    else delete report.units;
    output.clear();
    return true;
  }

  function terminate(): 'alone' | false {
    if (!begun) return failInvalid('it holds no message');
    shell.complete();
    return 'alone';
  }

  function readRest(): Buffer[] {
    const last = readEvent(splitter.rest().toString('utf8'));
    if (isTerminal(last) && terminate()) {
      return [Buffer.from(`event: ${TERMINAL}\ndata: ${last.data}\n\n`)];
    }
    return [];
  }

  return { ...shell.tap({ splitter, look, readRest }), output };
}
