import type { AuthorisedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import type { UnmaskedBody } from '../exchange/kept-bodies';
import type { Received } from '../operations';
import { hasTokenIds } from '../screening';
import { copyWithin, sizeNote } from './copy';
import { createBodyRecorder } from './recorder';
import { isSampled } from './sample';

/** Memory of a copied document, for each of its characters. */
const CHARACTER_BYTES = 3;

/**
 * Begins to keep the bodies of a request, after it was screened and before its body is released. A failure of it must
 * not fail the request.
 */
export function beginBodies(gateway: Gateway, exchange: AuthorisedExchange): void {
  try {
    begin(gateway, exchange);
  } catch (error) {
    gateway.metrics.bodyKept('lost');
    gateway.log.warn('bodies cannot be kept', { requestId: exchange.requestId, error });
  }
}

function begin(gateway: Gateway, exchange: AuthorisedExchange): void {
  const { allow, format, job, received, shadow } = exchange;
  const { keptBodies: setting, subject } = allow;
  if (!setting || !subject || shadow || !isSampled(gateway, setting)) return;
  const { mostBytes, room } = gateway.keptBodies;
  const lease = room.open();
  lease.confirm(subject.organisationId);
  const request = setting.request ? requestBody(received, mostBytes, lease.take) : undefined;
  exchange.keptBodies = {
    request,
    recorder: setting.answer
      ? createBodyRecorder({
          format,
          conversation: job.request !== undefined,
          mostBytes,
          take: lease.take,
        })
      : undefined,
    lease,
  };
}

function requestBody(
  received: Received | undefined,
  mostBytes: number,
  take: (bytes: number) => boolean,
): UnmaskedBody {
  const document = documentOf(received);
  if (document === undefined) return { leftOut: 'NONE' };
  // Nobody can mask a text that comes as numbers.
  if (hasTokenIds(document)) return { leftOut: 'UNREADABLE' };
  const within = copyWithin(document, mostBytes);
  if (!within) return { leftOut: 'TOO_LARGE' };
  if (!take(within.characters * CHARACTER_BYTES)) return { leftOut: 'QUEUE_FULL' };
  return { document: within.copy };
}

function documentOf(received: Received | undefined): Record<string, unknown> | undefined {
  if (received === undefined) return undefined;
  if ('json' in received) return received.json;
  if (!('form' in received)) return received.body?.json;
  const fields = new Map<string, string[]>();
  for (const part of received.form.parts) {
    const value = part.kind === 'field' ? part.value : sizeNote(part.contentType, part.bytes);
    fields.set(part.name, [...(fields.get(part.name) ?? []), value]);
  }
  // A field that is repeated, such as several files, is a list.
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}
