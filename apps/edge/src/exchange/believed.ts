// What an upstream says that an answer took is believed as far as it is possible. A count beyond that
// would be charged to somebody, or be more than the ledger can hold.

import { emptyUsage, tokensIn, tokensOut, type TokenUsage, type Units } from '@tollgate/contracts';
import type { Candidate__Output } from '@tollgate/contracts/node';
import type { Job, Measured } from '../operations';
import { outputBoundOf } from './output-bound';
import { tookSoFar } from './charge';
import type { Exchange } from './exchange';
import type { Gateway } from './gateway';

/** No request takes more in any direction, whatever is asked. */
const MOST_TOKENS = 100_000_000;
/** The largest contexts, read several times over by a provider that runs tools of its own. */
const MOST_INPUT_TOKENS = 10_000_000;
/** What a model thinks is output, and not every provider bounds it. */
const MOST_OUTPUT_TOKENS = 200_000;
/** Where no bound was sent, the answer is as long as the model's own. */
const MOST_UNBOUNDED_OUTPUT_TOKENS = 4_000_000;
/** How far a count may be above what was estimated or asked for, where that is more than the above. */
const FACTOR = 64;
/** Searches, pictures, seconds of sound. */
const MOST_UNITS = 1_000_000;

/** The part of a report that is judged. */
export type Reported = Omit<Measured, 'free'> & {
  usage?: TokenUsage;
  inputUsage?: TokenUsage;
  /** Of a stream. */
  outputTokensEstimate?: number;
};

/** What was asked for, as far as it bounds what can have been taken. */
export type Believable = Pick<
  Job,
  'inputTokensEstimate' | 'audioInputTokensEstimate' | 'unitsEstimate' | 'choices'
>;

export type MostBelieved = { input: number; output: number };

export function mostBelieved(
  candidate: Candidate__Output,
  job: Pick<Job, 'inputTokensEstimate' | 'choices'>,
): MostBelieved {
  const bound = outputBoundOf(candidate, job);
  const output =
    bound === undefined
      ? MOST_UNBOUNDED_OUTPUT_TOKENS * job.choices
      : Math.max(MOST_OUTPUT_TOKENS, bound * FACTOR);
  return {
    input: Math.min(MOST_TOKENS, Math.max(MOST_INPUT_TOKENS, job.inputTokensEstimate * FACTOR)),
    output: Math.min(MOST_TOKENS, output),
  };
}

/**
 * Takes out of a report what cannot be: the gateway's own estimate stands for it, and the record says
 * that it is one. The operator hears of the provider.
 */
export function believe(
  { log, metrics }: Pick<Gateway, 'log' | 'metrics'>,
  { requestId, job }: Pick<Exchange, 'requestId'> & { job: Believable | undefined },
  candidate: Candidate__Output,
  report: Reported,
): void {
  if (!job) return;
  const most = mostBelieved(candidate, job);
  const { inputUsage, units, usage } = report;
  const refused = {
    usage: usage !== undefined && !isPossible(usage, most),
    inputUsage: inputUsage !== undefined && !isPossible(inputUsage, most),
    units: units !== undefined && report.unitsEstimated !== true && !arePossible(units),
  };
  if (!refused.usage && !refused.inputUsage && !refused.units) return;
  if (refused.inputUsage) delete report.inputUsage;
  if (refused.usage) {
    delete report.usage;
    report.estimate ??= estimateOf(job, report);
  }
  if (refused.units) Object.assign(report, { units: job.unitsEstimate, unitsEstimated: true });
  metrics.disbelieved(candidate.providerLabel);
  log.warn('a provider reported usage that cannot be', {
    requestId,
    providerId: candidate.providerId,
    model: candidate.modelName,
    ...(refused.usage && usage ? { reported: usage } : {}),
    ...(refused.inputUsage && inputUsage ? { reportedInput: inputUsage } : {}),
    ...(refused.units ? { reportedUnits: units } : {}),
  });
}

function estimateOf(
  job: Believable,
  { inputUsage, outputTokensEstimate: output = 0 }: Reported,
): TokenUsage {
  const guessed = tookSoFar(job, output).estimate;
  return { ...emptyUsage(), ...guessed, ...inputUsage, output };
}

function isPossible(usage: TokenUsage, { input, output }: MostBelieved): boolean {
  return tokensIn(usage) <= input && tokensOut(usage) <= output;
}

function arePossible(units: Units): boolean {
  return Object.values(units).every((count) => Number(count) >= 0 && Number(count) <= MOST_UNITS);
}
