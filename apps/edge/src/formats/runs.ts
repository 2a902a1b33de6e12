// What a tap lets through: events that stand side by side in the same bytes are joined, so that a
// whole read is one write.

import type { RawEvent } from './sse';

/** What becomes of an event: passed on, passed on by itself, kept back, or replaced. */
export type Verdict = true | 'alone' | false | Buffer;

export function createRuns() {
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
    add(raw: RawEvent, verdict: Verdict): void {
      if (verdict === true && raw.source === source && raw.start === end) {
        end = raw.end;
        return;
      }
      // What is kept back may be passed on after all, and then goes on from what came before it.
      if (verdict === false) return;
      flush();
      if (verdict === true || verdict === 'alone') ({ source, start, end } = raw);
      else out.push(verdict);
    },
    /** What has been let through since it was asked last. */
    done(): Buffer[] {
      flush();
      const passed = out;
      out = [];
      return passed;
    },
  };
}
