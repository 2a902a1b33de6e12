// The report of a stream, and the running estimate of its output.

import type { StreamReport } from './format';

/** Cautious: in any script a token has more bytes on average. */
const BYTES_PER_TOKEN = 3;

export function createReport(): StreamReport {
  return { outputSeen: false, outputTokensEstimate: 0, outputPieces: 0, terminal: false };
}

/** Counts output pieces by size; a piece is at least one token. */
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
