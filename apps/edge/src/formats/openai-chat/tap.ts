// Reads usage and output from a chat stream that is passed on byte for byte. Nearly every chunk holds
// output only: it is scanned for its delta. Any other chunk is parsed.

import type { EventVerdict } from '../byte-spans';
import type { StreamReport, UsageTap, UsageTapOptions } from '../format';
import { arrayOf, countOf, isObject, objectOf, textOf } from '../json';
import type { JsonObject } from '../normalised';
import { createOutputBuffer, latin1Json } from '../output-buffer';
import {
  createEventSplitter,
  MAX_EVENT_BYTES,
  parseEventObject,
  readEvent,
  readRawEvent,
  type RawEvent,
} from '../sse';
import { createTapShell } from '../tap-shell';
import { DELTAS_READER } from './buffered-deltas';
import { createDeltaScanner, outputInDelta } from './delta-scan';
import { isErrorEvent, streamedError } from './error';
import { decodeStopReason } from './stop-reason';
import { isTerminal, LAST_EVENT } from './terminal';
import { decodeUsage, usageIn } from './usage';

export function createUsageTap(options: UsageTapOptions): UsageTap {
  const { stripUsage, stripRunningUsage, dataLinesOnly = false } = options;
  const shell = createTapShell();
  const { report, count, failInvalid, failUpstream } = shell;
  const splitter = createEventSplitter(MAX_EVENT_BYTES);
  const scanner = createDeltaScanner();
  const output = createOutputBuffer(DELTAS_READER);
  /** The usage for the client, sent before the last event. */
  let lastUsage: { event: RawEvent; verdict: EventVerdict } | undefined;
  let begun = false;

  function look(raw: RawEvent): EventVerdict {
    const verdict = lookAt(raw);
    return dataLinesOnly && verdict === true ? asDataLine(raw) : verdict;
  }

  function lookAt(raw: RawEvent): EventVerdict {
    const delta = begun ? scanner.scan(raw) : undefined;
    if (delta === undefined) return read(raw);
    count(outputInDelta(delta));
    output.add(scanner.choice, delta);
    return true;
  }

  function read(raw: RawEvent): EventVerdict {
    const { event, data } = readRawEvent(raw);
    // A comment also keeps the client's connection alive.
    if (data === undefined || data === '') return true;
    if (isTerminal(data)) return terminate(raw);
    const chunk = parseEventObject(data);
    if (chunk === undefined) return failInvalid('an event is not JSON');
    if (isErrorEvent(event, chunk)) return failUpstream(streamedError(chunk));
    return takeChunk(chunk, raw);
  }

  function terminate(raw?: RawEvent): EventVerdict {
    if (!begun) return failInvalid('it holds no choices');
    shell.complete();
    if (lastUsage !== undefined) shell.spans.add(lastUsage.event, lastUsage.verdict);
    return raw?.latin1 === LAST_EVENT ? 'alone' : Buffer.from(LAST_EVENT);
  }

  function takeChunk(chunk: JsonObject, event: RawEvent): EventVerdict {
    const choices = arrayOf(chunk['choices']);
    begun ||= choices.length > 0;
    for (const value of choices) {
      const delta = objectOf(objectOf(value)?.['delta']) ?? {};
      const bytes = outputIn(delta);
      count(bytes);
      if (bytes > 0) output.add(countOf(objectOf(value)?.['index']) ?? 0, `${latin1Json(delta)},`);
    }
    const usage = usageIn(chunk, choices);
    if (note(report, chunk, choices, usage)) output.clear();
    // A client that asked for totals gets them once, at the end, wherever the upstream sent them.
    if (!stripUsage && usage !== undefined) {
      const alone = choices.length === 0 && isObject(chunk['usage']);
      lastUsage = { event, verdict: alone || usageEvent(chunk, usage) };
    }
    const passesUsage = !stripUsage && stripRunningUsage !== true && choices.length > 0;
    return passesUsage || withoutUsage(chunk, choices);
  }

  function readRest(): Buffer[] {
    const last = readEvent(splitter.rest().toString('utf8'));
    if (isTerminal(last.data)) {
      const end = terminate();
      if (Buffer.isBuffer(end)) return [...shell.spans.take(), end];
    }
    return [];
  }

  return { ...shell.tap({ splitter, look, readRest }), output };
}

/** Converts an event to one line with `data: `; an event without data is held back. */
function asDataLine(raw: RawEvent): EventVerdict {
  const { latin1 } = raw;
  if (latin1.startsWith('data: ') && latin1.indexOf('\n') >= latin1.length - 3) return true;
  const { data = '' } = readRawEvent(raw);
  const chunk = data === '' ? undefined : parseEventObject(data);
  return chunk !== undefined && Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
}

/** Holds back a chunk that is only usage; re-encodes one with more fields. */
function withoutUsage(chunk: JsonObject, choices: unknown[]): EventVerdict {
  const { usage, ...rest } = chunk;
  if (usage === undefined || usage === null) return true;
  return choices.length > 0 && Buffer.from(`data: ${JSON.stringify(rest)}\n\n`);
}

/** The usage chunk of OpenAI's own streams. */
function usageEvent(chunk: JsonObject, usage: JsonObject): Buffer {
  const { choices: _, usage: __, x_groq: ___, ...head } = chunk;
  return Buffer.from(`data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`);
}

/** Adds a chunk to the report, except its output; returns whether it has usage. */
function note(
  report: StreamReport,
  chunk: JsonObject,
  choices: unknown[],
  counts: JsonObject | undefined,
): boolean {
  // A first chunk with filter results has neither.
  report.responseId ||= textOf(chunk['id']) ?? '';
  report.model ||= textOf(chunk['model']) ?? '';
  for (const value of choices) {
    const reason = textOf(objectOf(value)?.['finish_reason']);
    if (reason === undefined || report.rawStopReason !== undefined) continue;
    report.rawStopReason = reason;
    report.stopReason = decodeStopReason(reason, false);
  }
  const usage = decodeUsage(counts);
  if (usage !== undefined) report.usage = usage.tokens;
  if (usage?.units) report.units = usage.units;
  const service = textOf(chunk['service_tier']);
  if (service !== undefined) report.tiers = { service };
  return usage !== undefined;
}

/** Bytes of generated output in a delta; the role is not output. */
function outputIn(delta: JsonObject): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(delta)) {
    if (name === 'role' || value === null || value === '') continue;
    bytes += typeof value === 'string' ? Buffer.byteLength(value) : JSON.stringify(value).length;
  }
  return bytes;
}
