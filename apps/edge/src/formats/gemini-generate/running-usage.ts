// The usage of a stream that is passed on. Every chunk has usage, but usually only the last one is
// read, so it stays JSON text until then.

import { tokensOut, type TierWords, type TokenUsage } from '@tollgate/contracts';

import type { StreamReport } from '../format';
import type { JsonObject } from '../normalised';
import type { OutputBuffer } from '../output-buffer';
import { parsePiece } from './stream-decoder';
import { countsOutput, decodeUsage } from './usage';

export interface RunningUsage {
  /**
   * Takes a chunk's usage, as JSON, and its bytes of output. `piece` is called if the chunk must be
   * buffered.
   */
  note(counts: string | undefined, bytes: number, piece: () => string): void;
  /** The stream is complete: without an output count the output was empty. */
  finish(): void;
}

const OUTPUT_COUNTS = ['"candidatesTokenCount"', '"thoughtsTokenCount"'];

/** Defines `usage` and `tiers` of the report as getters that parse the last usage. */
export function createRunningUsage(report: StreamReport, output: OutputBuffer): RunningUsage {
  let unread: string | undefined;
  let known: TokenUsage | undefined;
  let tiers: TierWords | undefined;

  function current(): TokenUsage | undefined {
    const counted = unread === undefined ? undefined : usageIn(unread, countsOutput);
    known = counted?.tokens ?? known;
    tiers = counted?.tiers ?? tiers;
    unread = undefined;
    return known;
  }

  const tiersNow = (): TierWords | undefined => {
    current();
    return tiers;
  };
  for (const [name, get] of [
    ['usage', current],
    ['tiers', tiersNow],
  ] as const) {
    Object.defineProperty(report, name, { configurable: true, enumerable: true, get });
  }

  return {
    note(counts, bytes, piece) {
      if (counts !== undefined && OUTPUT_COUNTS.some((name) => counts.includes(name))) {
        unread = counts;
        output.clear();
        return;
      }
      const input = counts === undefined ? undefined : usageIn(counts);
      if (input !== undefined) report.inputUsage = input.tokens;
      tiers = input?.tiers ?? tiers;
      if (bytes === 0) return;
      const counted = current();
      output.add(0, piece());
      if (counted === undefined) return;
      // Counts are running totals. Output without a count makes the earlier count too small.
      report.inputUsage ??= { ...counted, ...NO_OUTPUT };
      output.resume(tokensOut(counted));
      known = undefined;
    },
    finish() {
      if (current() === undefined && !report.outputSeen) known = report.inputUsage;
    },
  };
}

const NO_OUTPUT = { output: 0, audioOutput: 0, imageOutput: 0, reasoning: 0 };

function usageIn(counts: string, suits: (usage: JsonObject) => boolean = () => true) {
  const usage = parsePiece(counts);
  return usage && suits(usage) ? decodeUsage(usage) : undefined;
}
