import type { BodyLeftOut } from '@tollgate/contracts';
import type { KeptBodies__Output } from '@tollgate/contracts/node';

import type { Exchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import type { BodyRecorder, UnmaskedBody } from '../exchange/kept-bodies';
import { parseJson } from '../formats';
import { copyWithin, sizeNote, withoutBase64 } from './copy';
import { isSampled } from './sample';

/**
 * Hands the bodies of a request that has ended to the queue. `setting`: of its allow. A failure of it must not fail the
 * request.
 */
export function endBodies(gateway: Gateway, exchange: Exchange, setting: KeptBodies__Output): void {
  try {
    end(gateway, exchange, setting);
  } catch (error) {
    exchange.keptBodies?.lease.release();
    gateway.metrics.bodyKept('lost');
    gateway.log.warn('bodies cannot be kept', { requestId: exchange.requestId, error });
  }
}

function end(gateway: Gateway, exchange: Exchange, setting: KeptBodies__Output): void {
  const { allow, ending, keptBodies: record, requestId, screening, shadow } = exchange;
  const { nowMs, wallMs, keptBodies: keeper } = gateway;
  const { subject = null } = allow ?? {};
  const failed = FAILURES.has(ending.outcome) || ending.errorCode !== '';
  const blocked = screening?.blocked() !== undefined;
  if (shadow || !subject || !(record || (blocked && isSampled(gateway, setting)))) return;
  if (setting.onlyFailed && !failed) return record?.lease.release();
  const common = {
    requestId,
    organisationId: subject.organisationId,
    atMs: wallMs() - (nowMs() - exchange.startedMs),
    partial: ending.outcome !== 'COMPLETED' && ending.outcome !== 'FAILED',
    screening,
  };
  if (!record || blocked) {
    // Nothing of what a rule blocks is kept.
    record?.lease.release();
    const body: UnmaskedBody = { leftOut: 'BLOCKED' };
    const { answer, request } = setting;
    return keeper.keep({
      ...common,
      request: request ? body : undefined,
      answer: answer ? () => body : undefined,
      lease: keeper.room.open(),
    });
  }
  const { lease, recorder, request } = record;
  keeper.keep({
    ...common,
    request,
    answer: recorder && answerOf(gateway, exchange, recorder),
    lease,
  });
}

const FAILURES: ReadonlySet<string> = new Set(['FAILED', 'PARTIAL']);

/** Reads the answer later, and without the exchange, whose request may be large. */
function answerOf(
  { keptBodies: { mostBytes }, wallMs }: Gateway,
  { answer, ending, format, job, requestId }: Exchange,
  recorder: BodyRecorder,
): () => UnmaskedBody {
  const { modelName = '', providerLabel: provider = '' } = ending.candidate ?? {};
  const context = {
    requestId,
    provider,
    model: job?.model || modelName,
    createdAtS: Math.floor(wallMs() / 1_000),
    includeUsage: true,
  };
  const streamType = answer?.kind === 'stream' ? answer.stream.tap.contentType : 'text/plain';
  return () => {
    const recorded = recorder.answer();
    switch (recorded.kind) {
      case 'left-out':
        return { leftOut: recorded.why };
      case 'bytes':
        return isText(streamType)
          ? { leftOut: 'NOT_TEXT' }
          : { document: sizeNote(typeOf(streamType), recorded.bytes) };
      case 'stream': {
        const { complete, response } = recorded;
        return { response, complete, encode: (one) => format.encodeResponse(one, context) };
      }
      case 'whole':
        return wholeBody(recorded.payload, recorded.contentType, mostBytes);
    }
  };
}

function typeOf(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim() ?? '';
}

function isText(contentType: string): boolean {
  return /^text\/|json|xml/i.test(typeOf(contentType));
}

function wholeBody(payload: Buffer | string, contentType: string, mostBytes: number): UnmaskedBody {
  if (!isText(contentType)) {
    return { document: sizeNote(typeOf(contentType), Buffer.byteLength(payload)) };
  }
  const text = payload.toString();
  if (!/json/i.test(contentType)) return within(withoutBase64(text), mostBytes);
  // Most of a large answer is media.
  const small = text.length > mostBytes ? withoutBase64(text) : text;
  if (small.length > MOST_PARSED * mostBytes) return { leftOut: 'TOO_LARGE' };
  return within(parseJson(small), mostBytes);
}

/** Of what may be kept, as numbers and spaces are left out. */
const MOST_PARSED = 4;

function within(document: unknown, mostBytes: number): UnmaskedBody {
  const copied = copyWithin(document, mostBytes);
  const leftOut: BodyLeftOut = 'TOO_LARGE';
  return copied ? { document: copied.copy } : { leftOut };
}
