// Reads usage and output from a stream that is passed on. Nearly every chunk holds output and usage
// only: it is scanned. Any other chunk is parsed. Events pass through byte for byte if clients can
// read them, or become elements of an array.

import type { EventVerdict } from '../byte-spans';
import type { StreamReport, UsageTap, UsageTapOptions } from '../format';
import { arrayOf, objectOf, textOf } from '../json';
import type { JsonObject } from '../normalised';
import { createOutputBuffer } from '../output-buffer';
import { toolUnits } from '../server-tools';
import { MAX_EVENT_BYTES } from '../sse';
import { createTapShell } from '../tap-shell';
import { indexOf } from './answer-parts';
import { CHUNKS_READER } from './buffered-chunks';
import { isPlainEvent, scanChunk } from './delta-scan';
import { isErrorEvent, streamedError } from './error';
import { createFrameReader, FOREIGN_END, jsonIn, type Frame } from './frames';
import { EVENTS, oneLine, type Framing } from './framing';
import { blockReasonIn } from './response';
import { createRunningUsage } from './running-usage';
import { countCalls, mostCalls } from './server-tools';
import { decodeStopReason, finishReasonOf } from './stop-reason';
import { parsePiece } from './stream-decoder';

export function createUsageTap({ stripUsage }: UsageTapOptions, framing: Framing): UsageTap {
  const shell = createTapShell();
  const { report, count, failInvalid, failUpstream } = shell;
  const output = createOutputBuffer(CHUNKS_READER);
  const usage = createRunningUsage(report, output);
  const reader = createFrameReader(MAX_EVENT_BYTES);
  const finishes: Finishes = new Map();
  const asEvents = framing === EVENTS;
  let begun = false;
  let whole = false;
  let opening = framing.open;
  /** A chunk that may be the last one; only the end of the stream tells. */
  let held: string | undefined;

  function look(frame: Frame): EventVerdict {
    const found = begun && !stripUsage ? scanChunk(frame) : undefined;
    if (found === undefined) {
      const json = jsonIn(frame);
      return json !== undefined && json !== FOREIGN_END && read(json, frame);
    }
    if (!finishes.has(0)) finishes.set(0, false);
    whole = isWhole(report, finishes);
    count(found.bytes);
    usage.note(found.usage, found.bytes, () => jsonIn(frame) ?? '');
    return asEvents || write(jsonIn(frame) ?? '');
  }

  function read(json: string, frame: Frame | undefined): EventVerdict {
    const piece = parsePiece(json);
    if (piece === undefined) return failInvalid('an event is not JSON');
    if (isErrorEvent(piece)) return failUpstream(streamedError(piece));
    begun = true;
    const bytes = note(report, piece, finishes);
    Object.assign(report, toolUnits(mostCalls(report.units ?? {}, countCalls(piece))));
    count(bytes);
    const counts = objectOf(piece['usageMetadata']);
    usage.note(counts && JSON.stringify(counts), bytes, () => oneLine(piece));
    whole = isWhole(report, finishes);
    const stripped = stripUsage && piece['usageMetadata'] !== undefined;
    if (asEvents && frame && !stripped && isPlainEvent(frame)) return true;
    const { usageMetadata: _, ...rest } = piece;
    return write(oneLine(stripped ? rest : piece));
  }

  /** Writes a chunk in this framing, or holds it back. */
  function write(json: string): EventVerdict {
    const before = held === undefined ? '' : framing.more(held);
    const text = opening + before;
    held = whole && !asEvents ? json : undefined;
    const out = held === undefined ? text + framing.more(json) : text;
    if (out === '' || out === framing.open) return false;
    opening = '';
    return Buffer.from(out);
  }

  function terminate(): Buffer[] {
    shell.complete();
    usage.finish();
    return held === undefined ? [] : [Buffer.from(opening + framing.last(held))];
  }

  function readRest(): Buffer[] {
    const last = reader.rest();
    const out: Buffer[] = [];
    if (last !== undefined && parsePiece(last) !== undefined) {
      const verdict = read(last, undefined);
      if (Buffer.isBuffer(verdict)) out.push(verdict);
    }
    return whole && !shell.isClosed() ? [...out, ...terminate()] : out;
  }

  return { ...shell.tap({ splitter: reader, look, readRest }), output };
}

/** The candidates, and whether each has a finish reason. */
type Finishes = Map<number, boolean>;

const MAX_CHOICES = 128;

function isWhole(report: StreamReport, finishes: Finishes): boolean {
  if (report.rawStopReason === undefined) return false;
  for (const finished of finishes.values()) if (!finished) return false;
  return true;
}

/** Adds a chunk to the report; returns its bytes of output. */
function note(report: StreamReport, piece: JsonObject, finishes: Finishes): number {
  report.responseId ??= textOf(piece['responseId']) ?? '';
  report.model ??= textOf(piece['modelVersion']) ?? '';
  let bytes = 0;
  for (const value of arrayOf(piece['candidates'])) {
    const candidate = objectOf(value) ?? {};
    const index = indexOf(candidate) ?? 0;
    const parts = arrayOf(objectOf(candidate['content'])?.['parts']);
    for (const part of parts) bytes += outputIn(objectOf(part) ?? {});
    const finish = finishReasonOf(candidate['finishReason']);
    if (finishes.has(index) || finishes.size < MAX_CHOICES) {
      finishes.set(index, finish !== undefined || finishes.get(index) === true);
    }
    if (finish === undefined) continue;
    report.rawStopReason ??= finish;
    report.stopReason ??= decodeStopReason(finish, parts.some(isCall));
  }
  const blocked = blockReasonIn(piece);
  if (blocked !== undefined) {
    report.rawStopReason ??= blocked;
    report.stopReason ??= 'content_filter';
    for (const index of finishes.keys()) finishes.set(index, true);
  }
  return bytes;
}

function isCall(part: unknown): boolean {
  return objectOf(part)?.['functionCall'] !== undefined;
}

/** Bytes of generated output in a part. */
function outputIn(part: JsonObject): number {
  const { text } = part;
  if (typeof text === 'string') return Buffer.byteLength(text);
  const { thoughtSignature: _, thought: __, ...said } = part;
  return JSON.stringify(Object.values(said)).length;
}
