// An upstream's usage report is accepted only while it is plausible. A larger count would be charged to
// a customer, or overflow the ledger.

import { emptyUsage, tokensIn, tokensOut, type TokenUsage, type Units } from '@tollgate/contracts';
import type { Candidate__Output } from '@tollgate/contracts/node';

import type { Job, Measured } from '../operations';
import { expectedConsumption, expectedInput } from './charge';
import type { Exchange } from './exchange';
import type { Gateway } from './gateway';
import { outputBoundOf } from './output-bound';

/** Ceiling of input and of output tokens for any request. */
const MOST_TOKENS = 100_000_000;
/** A provider that runs server tools reads the largest contexts several times over. */
const MOST_INPUT_TOKENS = 10_000_000;
/** Thinking counts as output, and not every provider bounds it. */
const MOST_OUTPUT_TOKENS = 200_000;
/** Per answer, when no output bound was sent. */
const MOST_UNBOUNDED_OUTPUT_TOKENS = 4_000_000;
/** A count may be this many times the estimate or the bound, if that is above the limits before. */
const FACTOR = 64;
/** Per unit: searches, images, seconds of audio. */
const MOST_UNITS = 1_000_000;

/** The part of a report that is checked. */
export type Reported = Omit<Measured, 'free'> & {
  usage?: TokenUsage;
  inputUsage?: TokenUsage;
  /** Only in reports of streams. */
  outputTokensEstimate?: number;
};

/** What the request lets us expect: it sets the ceiling, and replaces an implausible report. */
export type UsageExpectation = Pick<
  Job,
  | 'inputTokensEstimate'
  | 'readTokens'
  | 'audioInputTokensEstimate'
  | 'outputTokensEstimate'
  | 'unitsEstimate'
  | 'choices'
> &
  Partial<Pick<Job, 'textOutput'>>;

export interface UsageCeiling {
  input: number;
  output: number;
}

export function usageCeiling(
  candidate: Candidate__Output,
  job: Pick<Job, 'inputTokensEstimate' | 'readTokens' | 'choices'>,
): UsageCeiling {
  const bound = outputBoundOf(candidate, job);
  const output =
    bound === undefined
      ? MOST_UNBOUNDED_OUTPUT_TOKENS * job.choices
      : Math.max(MOST_OUTPUT_TOKENS, bound * FACTOR);
  return {
    input: Math.min(MOST_TOKENS, Math.max(MOST_INPUT_TOKENS, expectedInput(job) * FACTOR)),
    output: Math.min(MOST_TOKENS, output),
  };
}

/**
 * Removes implausible counts from a report, which is changed in place. The gateway's estimate replaces
 * them, the record is marked as estimated, and the provider is logged and counted.
 */
export function dropImplausibleUsage(
  { log, metrics }: Pick<Gateway, 'log' | 'metrics'>,
  { requestId, job }: Pick<Exchange, 'requestId'> & { job: UsageExpectation | undefined },
  candidate: Candidate__Output,
  report: Reported,
): void {
  if (!job) return;
  const ceiling = usageCeiling(candidate, job);
  const { inputUsage, units, usage } = report;
  const implausible = {
    usage: usage !== undefined && !isPlausible(usage, ceiling),
    inputUsage: inputUsage !== undefined && !isPlausible(inputUsage, ceiling),
    units: units !== undefined && report.unitsEstimated !== true && !arePlausible(units),
  };
  if (!implausible.usage && !implausible.inputUsage && !implausible.units) return;
  if (implausible.inputUsage) delete report.inputUsage;
  if (implausible.usage) {
    delete report.usage;
    report.estimate ??= estimateOf(job, report);
  }
  if (implausible.units) Object.assign(report, { units: job.unitsEstimate, unitsEstimated: true });
  metrics.implausibleUsage(candidate.providerLabel);
  log.warn('provider reported implausible usage, the estimate is charged', {
    requestId,
    providerId: candidate.providerId,
    model: candidate.modelName,
    ...(implausible.usage && usage ? { reported: usage } : {}),
    ...(implausible.inputUsage && inputUsage ? { reportedInput: inputUsage } : {}),
    ...(implausible.units ? { reportedUnits: units } : {}),
  });
}

function estimateOf(
  job: UsageExpectation,
  { inputUsage, outputTokensEstimate: output = 0 }: Reported,
): TokenUsage {
  const expected = expectedConsumption(job, output).estimate;
  return { ...emptyUsage(), ...expected, ...inputUsage, output };
}

function isPlausible(usage: TokenUsage, { input, output }: UsageCeiling): boolean {
  return tokensIn(usage) <= input && tokensOut(usage) <= output;
}

function arePlausible(units: Units): boolean {
  return Object.values(units).every((count) => Number(count) >= 0 && Number(count) <= MOST_UNITS);
}
