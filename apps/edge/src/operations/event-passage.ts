// Relays streams of operations without a codec, and reads their usage.

import { gatewayError, type GatewayError } from '@tollgate/contracts';

import { FORMATS, type JsonObject, type OutputBuffer, type StreamFault } from '../formats';
import { createByteSpans, type EventVerdict } from '../formats/byte-spans';
import { isObject } from '../formats/json';
import { createRenamer } from '../formats/model-name';
import { isErrorEvent, streamedError } from '../formats/openai-chat/error';
import { isTerminal } from '../formats/openai-chat/terminal';
import { createOutputCounter, createReport } from '../formats/report';
import {
  createEventSplitter,
  MAX_EVENT_BYTES,
  parseEventObject,
  readEvent,
  readRawEvent,
} from '../formats/sse';
import { earlyEnd, invalidAnswer } from '../formats/upstream-error';
import type { Passage } from './job';

/** What one event means. `last`: the stream is complete with it. */
export interface Seen {
  outputBytes?: number;
  verdict?: EventVerdict | 'last';
}

export interface EventReader {
  read: (event: JsonObject, report: Passage['report']) => Seen;
  /** Whether `[DONE]` may end the answer at this point. */
  mayEnd: () => boolean;
  /** Bytes sent before the last event; undefined: none. */
  beforeEnd?: () => Buffer | undefined;
  requestId: string;
  /** The model name that the client sent. */
  model: string;
  /** What it says, where that is text. */
  output?: OutputBuffer;
}

/** Server-sent events in the style of the chat format: JSON in `data:` lines, errors included. */
export function createEventPassage(reader: EventReader): Passage {
  const report: Passage['report'] = createReport();
  const count = createOutputCounter(report);
  const splitter = createEventSplitter(MAX_EVENT_BYTES);
  const format = FORMATS['openai-chat'];
  let closed = false;
  const passed = createByteSpans();
  const rename = createRenamer(format.name, reader.model);

  function fail(error: GatewayError, fault: StreamFault): false {
    closed = true;
    Object.assign(report, { error, fault });
    return false;
  }

  function look({ event, data }: ReturnType<typeof readEvent>): EventVerdict {
    if (data === undefined || data === '') return true;
    if (isTerminal(data)) {
      return reader.mayEnd()
        ? terminate()
        : fail(invalidAnswer('it holds no answer'), 'INVALID_RESPONSE');
    }
    const wire = parseEventObject(data);
    if (!isObject(wire)) return fail(invalidAnswer('an event is not JSON'), 'INVALID_RESPONSE');
    if (isErrorEvent(event, wire)) return fail(streamedError(wire), 'UPSTREAM_ERROR');
    const { outputBytes = 0, verdict = true } = reader.read(wire, report);
    count(outputBytes);
    return verdict === 'last' ? terminate() : verdict;
  }

  function terminate(): 'alone' {
    closed = true;
    report.terminal = true;
    return 'alone';
  }

  return {
    report,
    ...(reader.output ? { output: reader.output } : {}),
    push: (bytes) => {
      if (closed) return passed.take();
      try {
        splitter.push(bytes, (raw) => {
          const verdict = look(readRawEvent(raw));
          const before = report.terminal ? reader.beforeEnd?.() : undefined;
          if (before) passed.add(raw, before);
          passed.add(raw, verdict);
          return !closed;
        });
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        fail(invalidAnswer(error.message), 'INVALID_RESPONSE');
      }
      return rename(passed.take());
    },
    finish: () => {
      if (closed) return [];
      // The last event may lack its blank line.
      const rest = splitter.rest();
      if (rest.length > 0 && look(readEvent(rest.toString('utf8'))) === 'alone') {
        const before = reader.beforeEnd?.();
        return rename([...(before ? [before] : []), Buffer.concat([rest, Buffer.from('\n\n')])]);
      }
      if (!report.terminal && !report.fault) fail(earlyEnd(), 'EARLY_END');
      return [];
    },
    ending: { fail: (error) => format.encodeStreamError(error, reader) },
    contentType: format.streamContentType,
    comment: (text) => format.encodeComment(text),
  };
}

/** Raw bytes without events: an error can only be shown by cutting the stream. */
export function createBytePassage(contentType: string): Passage {
  const report: Passage['report'] = createReport();
  return {
    report,
    push: (bytes) => {
      report.outputSeen = true;
      return [bytes];
    },
    finish: (broken) => {
      if (!broken && report.outputSeen) report.terminal = true;
      else if (!broken) {
        const error = gatewayError('upstream_error', 'The provider sent an empty answer.');
        Object.assign(report, { error, fault: 'INVALID_RESPONSE' satisfies StreamFault });
      }
      return [];
    },
    ending: undefined,
    contentType,
    comment: () => '',
  };
}
