// The part of a usage tap that every format shares: it splits the stream, collects what is passed on,
// and closes the tap at the terminal event or at a fault. A format adds how it reads an event.

import type { GatewayError } from '@tollgate/contracts';

import { createByteSpans, type EventVerdict } from './byte-spans';
import type { UsageTap } from './format';
import type { StreamFault } from './normalised';
import { createOutputCounter, createReport } from './report';
import type { RawEvent } from './sse';
import { earlyEnd, invalidAnswer } from './upstream-error';

export interface TapParts<Event extends RawEvent> {
  splitter: {
    /** @throws RangeError when an event outgrows the limit */
    push(bytes: Buffer, onEvent: (event: Event) => boolean): void;
  };
  look(event: Event): EventVerdict;
  /** Reads what follows the last whole event, once the upstream has closed. */
  readRest(): Buffer[];
}

export type TapShell = ReturnType<typeof createTapShell>;

export function createTapShell() {
  const report = createReport();
  const spans = createByteSpans();
  let closed = false;

  function fail(error: GatewayError, fault: StreamFault): false {
    closed = true;
    Object.assign(report, { error, fault });
    return false;
  }

  function failInvalid(what: string): false {
    return fail(invalidAnswer(what), 'INVALID_RESPONSE');
  }

  return {
    report,
    spans,
    count: createOutputCounter(report),
    failInvalid,
    failUpstream: (error: GatewayError): false => fail(error, 'UPSTREAM_ERROR'),
    /** Closes the tap at the terminal event. */
    complete(): void {
      closed = true;
      report.terminal = true;
    },
    isClosed: () => closed,
    tap<Event extends RawEvent>(
      parts: TapParts<Event>,
    ): Pick<UsageTap, 'report' | 'push' | 'finish'> {
      const { splitter } = parts;
      // One function for all reads: this runs for every chunk.
      const take = (event: Event): boolean => {
        spans.add(event, parts.look(event));
        return !closed;
      };
      return {
        report,
        push(bytes) {
          if (closed) return spans.take();
          try {
            splitter.push(bytes, take);
          } catch (error) {
            if (!(error instanceof RangeError)) throw error;
            failInvalid(error.message);
          }
          return spans.take();
        },
        finish() {
          if (closed) return [];
          const rest = parts.readRest();
          if (!closed) fail(earlyEnd(), 'EARLY_END');
          return rest;
        },
      };
    },
  };
}
