import {
  addUsage,
  billedTiers,
  costNanoUsd,
  emptyUsage,
  priceInTier,
  tokensIn,
  tokensOut,
  type TokenUsage,
  type Units,
  type UsageQuality,
} from '@tollgate/contracts';
import type { Candidate__Output } from '@tollgate/contracts/node';

import { present } from '../formats/json';
import type { Job, Measured, Passage } from '../operations';
import type { Charge } from './exchange';
import { priceOf } from './known-prices';

/** No known cost. */
export const NO_CHARGE: Charge = {
  usage: emptyUsage(),
  units: {},
  quality: 'EXACT',
  costNanoUsd: 0n,
  serviceTier: '',
};

/** The usage that an answer reports, or an estimate if it reports none. */
export type Consumption = Measured & { usage?: TokenUsage };

/** The charge at the candidate's price, in the tiers that the answer reports, else in those asked for. */
export function chargeFor(candidate: Candidate__Output, consumption: Consumption): Charge {
  const { usage, units = {}, estimate = emptyUsage(), unitsEstimated } = consumption;
  const counted = countedIn(consumption);
  if (consumption.pending) return { ...NO_CHARGE, quality: 'UNKNOWN' };
  if (consumption.free) return { ...NO_CHARGE, usage: usage ?? emptyUsage() };
  const serviceTier = billedTiers(candidate.serviceTier, consumption.tiers);
  const price = candidate.price && priceInTier(priceOf(candidate.price), serviceTier);
  const cost = (tokens: TokenUsage, billed = units): bigint =>
    price ? costNanoUsd(price, tokens, billed) : 0n;
  const charge = (tokens: TokenUsage, exact: boolean, billed = units): Charge => ({
    usage: tokens,
    units: texts(billed),
    quality: exact ? 'EXACT' : 'ESTIMATED',
    costNanoUsd: cost(tokens, billed),
    serviceTier,
  });
  if (counted) {
    // If the units are free, an estimate of them does not make counted tokens inexact.
    const tokensOnly = unitsEstimated && sizeOf(counted) > 0 && cost(counted) === cost(counted, {});
    return tokensOnly ? charge(counted, true, {}) : charge(counted, !unitsEstimated);
  }
  // If the tokens are free, only the units need to be counted.
  const unitsOnly = hasAny(units) && cost(estimate) === cost(emptyUsage());
  return unitsOnly ? charge(emptyUsage(), !unitsEstimated) : charge(estimate, false);
}

/**
 * The provider's own counts. An empty usage object counts as missing when there was something to
 * count.
 */
export function countedIn({ usage, units = {}, estimate }: Consumption): TokenUsage | undefined {
  const something = estimate !== undefined && sizeOf(estimate) > 0;
  return usage && (sizeOf(usage) > 0 || !something || hasAny(units)) ? usage : undefined;
}

function hasAny(units: Units): boolean {
  for (const _ in units) return true;
  return false;
}

function sizeOf(usage: TokenUsage): number {
  return tokensIn(usage) + tokensOut(usage);
}

/** The expected consumption at this output length, from the estimates that the hold is based on. */
export function expectedConsumption(
  job: Pick<
    Job,
    'audioInputTokensEstimate' | 'choices' | 'outputTokensEstimate' | 'unitsEstimate' | InputParts
  > &
    Partial<Pick<Job, 'textOutput'>>,
  outputTokens: number,
): Consumption {
  const { audioInputTokensEstimate: audioInput, choices, outputTokensEstimate = 0 } = job;
  const input = expectedInput(job) - audioInput;
  const media = outputTokensEstimate * choices;
  return {
    estimate: {
      ...emptyUsage(),
      input,
      audioInput,
      output: outputTokens,
      ...(job.textOutput === false ? { audioOutput: media } : { imageOutput: media }),
    },
    units: job.unitsEstimate,
    unitsEstimated: true,
  };
}

type InputParts = 'inputTokensEstimate' | 'readTokens';

/** The request's own input and the stored tokens that the provider reads again. */
export function expectedInput({
  inputTokensEstimate,
  readTokens = 0,
}: Pick<Job, InputParts>): number {
  return inputTokensEstimate + readTokens;
}

/**
 * Adds the stored tokens to the estimate of a whole answer, which covers only the request's own input.
 */
export function addStoredInput(report: Measured, { readTokens }: Pick<Job, InputParts>): void {
  const { estimate } = report;
  if (!estimate || readTokens === undefined) return;
  report.estimate = { ...estimate, input: estimate.input + readTokens };
}

type Reported = Passage['report'];

/**
 * The consumption of a stream so far: the upstream's counts where it reported any, the gateway's
 * estimates otherwise.
 */
export function consumptionSoFar(job: Job | undefined, report: Reported | undefined): Consumption {
  if (job?.free) return { usage: emptyUsage(), free: true };
  const expected = job ? expectedConsumption(job, report?.outputTokensEstimate ?? 0) : {};
  if (!report) return expected;
  const { usage, inputUsage, outputTokensEstimate: output, tiers } = report;
  const estimate = report.estimate ?? (inputUsage ? { ...inputUsage, output } : expected.estimate);
  // A report with tokens but no units has no units to bill.
  const { units, unitsEstimated } = report.units || usage ? report : expected;
  return present({ usage, estimate, units, unitsEstimated, tiers });
}

/** The charge for a stream that an operator limit ended: its consumption until then. */
export function chargeForCut(
  candidate: Candidate__Output,
  job: Job | undefined,
  report: Reported,
): Charge {
  const charge = chargeFor(candidate, consumptionSoFar(job, report));
  return lags(report) ? { ...charge, quality: 'ESTIMATED' } : charge;
}

/** The charge for a stream that the upstream broke off: only what the upstream reported. */
export function chargeForBroken(
  candidate: Candidate__Output,
  job: Job | undefined,
  report: Reported,
): Charge {
  if (job?.free) return NO_CHARGE;
  const { usage, inputUsage, tiers, units, unitsEstimated } = report;
  const reported = usage ?? inputUsage;
  const counted = present({ tiers, units: unitsEstimated ? undefined : units, usage: reported });
  const charge = reported || counted.units ? chargeFor(candidate, counted) : NO_CHARGE;
  if (!usage) return { ...charge, quality: 'UNKNOWN' };
  return lags(report) ? { ...charge, quality: 'ESTIMATED' } : charge;
}

/** Running counts lag behind the output until the stream ends. */
function lags(report: Reported): boolean {
  if (!report.usage) return false;
  return report.stopReason === undefined && report.rawStopReason === undefined;
}

/**
 * The sum over two attempts of one request. A cost of unknown quality does not make a known one
 * unknown. The tiers are those of the first one that costs something.
 */
export function addCharges(a: Charge, b: Charge): Charge {
  const units = { ...a.units };
  for (const [unit, count] of Object.entries(b.units)) units[unit] = sum(units[unit] ?? '0', count);
  return {
    usage: addUsage(a.usage, b.usage),
    units,
    quality: qualityOf(a, b),
    costNanoUsd: a.costNanoUsd + b.costNanoUsd,
    serviceTier: a.costNanoUsd > 0n ? a.serviceTier : b.serviceTier,
  };
}

function sum(a: string, b: string): string {
  const whole = /^\d+$/;
  return whole.test(a) && whole.test(b) ? String(BigInt(a) + BigInt(b)) : String(+a + +b);
}

function qualityOf(a: Charge, b: Charge): UsageQuality {
  if (a.quality === b.quality) return a.quality;
  const known = [a, b].some(({ quality, costNanoUsd: cost }) => quality !== 'UNKNOWN' && cost > 0n);
  return known
    ? 'ESTIMATED'
    : a.quality === 'UNKNOWN' || b.quality === 'UNKNOWN'
      ? 'UNKNOWN'
      : 'ESTIMATED';
}

function texts(units: Units): Record<string, string> {
  return Object.fromEntries(Object.entries(units).map(([unit, count]) => [unit, String(count)]));
}
