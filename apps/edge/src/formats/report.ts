// The report of a stream that is being kept, and the running estimate of its output.

import type { StreamReport } from './format';

/** Cautious: fewer bytes make a token in any script. */
const BYTES_PER_TOKEN = 3;

export function createReport(): StreamReport {
  return { outputSeen: false, outputTokensEstimate: 0, outputPieces: 0, terminal: false };
}

/** Counts pieces of output by their size; a piece is at least a token. */
export function createOutputCounter(
  report: Pick<StreamReport, 'outputSeen' | 'outputTokensEstimate' | 'outputPieces'>,
): (bytes: number) => void {
  let total = 0;
  return (bytes) => {
    if (bytes <= 0) return;
    report.outputSeen = true;
    report.outputPieces += 1;
    total += bytes;
    report.outputTokensEstimate = Math.max(report.outputPieces, Math.ceil(total / BYTES_PER_TOKEN));
  };
}
