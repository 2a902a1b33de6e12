// The counts of a stream that is passed on. Every piece has them, and as a rule only the last ones
// are asked for, so they are kept as text until they are.

import { tokensOut, type TokenUsage } from '@tollgate/contracts';
import type { StreamReport } from '../format';
import type { OutputBuffer } from '../output-buffer';
import type { JsonObject } from '../normalised';
import { parsePiece } from './stream-decoder';
import { countsOutput, decodeUsage } from './usage';

export interface RunningUsage {
  /**
   * Takes the counts of a piece, as JSON, and the bytes of output in it. `piece` is asked for where it
   * must be kept until it is counted.
   */
  note(counts: string | undefined, bytes: number, piece: () => string): void;
  /** The stream is complete: where nothing was said of output there was none. */
  finish(): void;
}

const OUTPUT_COUNTS = ['"candidatesTokenCount"', '"thoughtsTokenCount"'];

/** Makes `usage` of the report whatever has been counted when it is read. */
export function createRunningUsage(report: StreamReport, output: OutputBuffer): RunningUsage {
  let unread: string | undefined;
  let known: TokenUsage | undefined;

  function current(): TokenUsage | undefined {
    if (unread !== undefined) known = tokensIn(unread, countsOutput) ?? known;
    unread = undefined;
    return known;
  }

  Object.defineProperty(report, 'usage', {
    configurable: true,
    enumerable: true,
    get: current,
  });

  return {
    note(counts, bytes, piece) {
      if (counts !== undefined && OUTPUT_COUNTS.some((name) => counts.includes(name))) {
        unread = counts;
        output.clear();
        return;
      }
      const input = counts === undefined ? undefined : tokensIn(counts);
      if (input !== undefined) report.inputUsage = input;
      if (bytes === 0) return;
      const counted = current();
      output.add(0, piece());
      if (counted === undefined) return;
      // Counts are totals so far. Output that comes without one makes those before it too small.
      report.inputUsage ??= { ...counted, ...NO_OUTPUT };
      output.resume(tokensOut(counted));
      known = undefined;
    },
    finish() {
      if (current() === undefined && !report.outputSeen) known = report.inputUsage;
    },
  };
}

const NO_OUTPUT = { output: 0, audioOutput: 0, reasoning: 0 };

function tokensIn(counts: string, suits: (usage: JsonObject) => boolean = () => true) {
  const usage = parsePiece(counts);
  return usage && suits(usage) ? decodeUsage(usage)?.tokens : undefined;
}
