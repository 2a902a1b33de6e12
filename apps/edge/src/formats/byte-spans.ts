// Collects the bytes that a tap passes on. Neighbouring events of one read become one span, so that a
// whole read is one write.

import type { RawEvent } from './sse';

/**
 * `true`: passed on. `alone`: passed on as a span of its own. `false`: held back. A buffer: passed on
 * instead of the event.
 */
export type EventVerdict = true | 'alone' | false | Buffer;

export function createByteSpans() {
  let out: Buffer[] = [];
  let source: Buffer | undefined;
  let start = 0;
  let end = 0;

  function flush(): void {
    if (source === undefined) return;
    const whole = start === 0 && end === source.length;
    out.push(whole ? source : source.subarray(start, end));
    source = undefined;
  }

  return {
    add(raw: RawEvent, verdict: EventVerdict): void {
      if (verdict === true && raw.source === source && raw.start === end) {
        end = raw.end;
        return;
      }
      // A span stays open, because a held event may be passed on later and then extends it.
      if (verdict === false) return;
      flush();
      if (verdict === true || verdict === 'alone') ({ source, start, end } = raw);
      else out.push(verdict);
    },
    /** The spans since the last call. */
    take(): Buffer[] {
      flush();
      const passed = out;
      out = [];
      return passed;
    },
  };
}
