import { dearestOutput, estimateNanoUsd, isFreeOperation } from '@tollgate/contracts';
import type { AuthorizeRequest__Output } from '@tollgate/contracts/node';

import type { ModelPlan, PlannedPrice } from '../directory';
import { heldTools } from './server-tools';
import { priceToHold, tiersAsked } from './tiers';
import { unitsOf, withDearestImage, withUnits, type HeldUnits } from './units';

/** The organisation's setting for output bounds, and the size of what the request continues. */
export interface Sizing {
  /** A bound that the request does not name is not sent upstream. */
  readonly outputBoundUnsent?: boolean;
  /** Stored tokens that the provider reads beside the request's own input. */
  readonly readTokens?: number;
}

export interface CandidateModel {
  readonly model: ModelPlan;
  readonly price: PlannedPrice | undefined;
  /** The provider's current version, or that of the continued response. */
  readonly connectionVersion: number;
}

export interface SizedCandidate extends CandidateModel {
  /** At the tiers that the request asks for. */
  readonly price: PlannedPrice | undefined;
  /** The tiers that this candidate is asked for, as in a record; empty: standard processing. */
  readonly serviceTier: string;
  /** Includes the results of server tools and the stored tokens. */
  readonly inputTokens: number;
  /** Stored tokens that the provider reads again, up to the model's context. */
  readonly readTokens: number;
  /** Billable units beside tokens, including calls of server tools. */
  readonly units: Demand['units'];
  /** The bound held for server tools that the request does not bound; 0: there are none. */
  readonly maxToolCalls: number;
  /** The most output tokens of one answer, sent upstream; 0: none is sent. */
  readonly outputBound: number;
  /** The bound is the model's own maximum, and is not sent upstream. */
  readonly boundUnsent: boolean;
  /** How many of them the hold covers; more than the bound where the output cannot be bounded. */
  readonly heldOutputTokens: number;
  /** The hold covers less than the bound and is extended in steps. */
  readonly inSteps: boolean;
  readonly costNanoUsd: bigint;
}

/** The part of a hold that does not depend on the candidate. */
interface Demand {
  readonly inputTokens: number;
  /** Included in inputTokens. */
  readonly audioInputTokens: number;
  readonly choices: number;
  readonly textOutput: boolean;
  readonly units: HeldUnits;
}

/** The most that a request may use; this is what is held. */
export interface HoldSize extends Demand {
  readonly candidates: readonly SizedCandidate[];
  /** Per answer, the largest of the candidates. */
  readonly heldOutputTokens: number;
  /** Of the dearest candidate. */
  readonly costNanoUsd: bigint;
}

/** Output step: the tokens that a stream without a bound of its client holds at a time. */
export const STEP_TOKENS = 1_024;

// Bound when client, model default and context length are all unknown.
const UNKNOWN_OUTPUT_TOKENS = 4_096;

type OutputRule = 'generates' | 'asked' | 'none';

// Whether the gateway bounds an operation's output. Text generation: always. Operations that some
// models answer in tokens (audio, images): when the client or the model states a number. Others:
// never.
const OUTPUT_RULES: Readonly<Record<string, OutputRule>> = {
  chat: 'generates',
  completions: 'generates',
  responses: 'generates',
  response_compact: 'generates',
  image_generation: 'asked',
  image_edit: 'asked',
  image_variation: 'asked',
  transcription: 'asked',
  translation: 'asked',
  speech: 'asked',
};

export function sizeOf(
  request: AuthorizeRequest__Output,
  candidates: readonly CandidateModel[],
  { outputBoundUnsent = false, readTokens = 0 }: Sizing = {},
): HoldSize {
  const free = isFreeOperation(request.operation);
  const demand: Demand = {
    inputTokens: free ? 0 : request.inputTokensEstimate,
    audioInputTokens: free ? 0 : request.audioInputTokensEstimate,
    choices: Math.max(1, request.choices),
    textOutput: request.textOutput,
    units: unitsOf(request),
  };
  return combine(
    demand,
    candidates.map(({ model, price: listed, connectionVersion }) => {
      const price = priceToHold(listed, request, model);
      const tools = heldTools(request, model, price);
      const again = free ? 0 : readAgain(readTokens, model);
      const inputTokens = demand.inputTokens + tools.inputTokens + again;
      const units = withUnits(withDearestImage(demand.units, price), tools.units);
      const boundUnsent = outputBoundUnsent && isOwnMaximum(request, model);
      const outputBound = outputBoundOf(request, model, boundUnsent);
      const inSteps = steps(request) && outputBound > STEP_TOKENS;
      const heldOutputTokens = inSteps
        ? STEP_TOKENS
        : Math.max(outputBound, request.outputTokensEstimate);
      const costNanoUsd = free
        ? 0n
        : costOf(price, { ...demand, inputTokens, units }, heldOutputTokens);
      return {
        model,
        price,
        serviceTier: tiersAsked(request, model),
        connectionVersion,
        inputTokens,
        readTokens: again,
        units,
        maxToolCalls: tools.maxCalls,
        outputBound,
        boundUnsent,
        heldOutputTokens,
        inSteps,
        costNanoUsd,
      };
    }),
  );
}

/**
 * The largest hold of the same request that costs at most `affordable`, by a lower output bound.
 * Undefined when not even one output token is affordable, or output cannot be bounded or is not what costs.
 */
export function lowerToAfford(size: HoldSize, affordable: bigint): HoldSize | undefined {
  if (size.heldOutputTokens === 0) return undefined;
  if (size.candidates.some(isExpected)) return undefined;
  const costAt = (tokens: number): bigint =>
    largest(size.candidates.map((one) => costOf(one.price, demandOf(size, one), tokens)));
  if (costAt(1) > affordable) return undefined;
  let fits = 1;
  let tooMany = size.heldOutputTokens + 1;
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (costAt(middle) <= affordable) fits = middle;
    else tooMany = middle;
  }
  return combine(
    size,
    size.candidates.map((candidate) => {
      const bound = Math.min(candidate.outputBound, fits);
      return {
        ...candidate,
        outputBound: bound,
        boundUnsent: false,
        heldOutputTokens: bound,
        inSteps: false,
        costNanoUsd: costOf(candidate.price, demandOf(size, candidate), bound),
      };
    }),
  );
}

/** The same hold with only some of its candidates. */
export function sizeWith(size: HoldSize, candidates: readonly SizedCandidate[]): HoldSize {
  return combine(size, candidates);
}

/** Nano-USD per million output tokens of the dearest candidate: the price of an output step. */
export function dearestOutputPrice(size: HoldSize): bigint {
  return largest(
    size.candidates.map(({ price }) =>
      price === undefined ? 0n : dearestOutput(price.price, size.inputTokens, size.textOutput),
    ),
  );
}

/** Its output follows from the request and cannot be bounded. */
export function isExpected({ heldOutputTokens, outputBound }: SizedCandidate): boolean {
  return heldOutputTokens > outputBound;
}

/** A model never reads more than its context, however long the conversation is. */
function readAgain(tokens: number, { entry }: ModelPlan): number {
  return entry.contextTokens > 0 ? Math.min(tokens, entry.contextTokens) : tokens;
}

/** Whether a request that names no bound can be left to the model's own maximum. */
function isOwnMaximum(request: AuthorizeRequest__Output, { entry }: ModelPlan): boolean {
  const unsent = request.maxOutputTokens === 0 && request.outputTokensEstimate === 0;
  return unsent && entry.maxOutputTokens > 0;
}

function outputBoundOf(
  request: AuthorizeRequest__Output,
  model: ModelPlan,
  boundUnsent: boolean,
): number {
  const rule = OUTPUT_RULES[request.operation] ?? 'none';
  if (rule === 'none' || request.outputTokensEstimate > 0) return 0;
  const { contextTokens, defaultMaxOutputTokens, maxOutputTokens } = model.entry;
  const room = Math.min(
    contextTokens > 0
      ? Math.max(1, contextTokens - request.inputTokensEstimate)
      : Number.MAX_SAFE_INTEGER,
    maxOutputTokens > 0 ? maxOutputTokens : Number.MAX_SAFE_INTEGER,
  );
  if (boundUnsent) return room;
  const stated = request.maxOutputTokens || defaultMaxOutputTokens;
  if (stated > 0) return Math.min(stated, room);
  if (rule === 'asked') return 0;
  return room < Number.MAX_SAFE_INTEGER ? room : UNKNOWN_OUTPUT_TOKENS;
}

function steps(request: AuthorizeRequest__Output): boolean {
  return request.stream && request.maxOutputTokens === 0;
}

function demandOf(size: HoldSize, { inputTokens, units }: SizedCandidate): Demand {
  return { ...size, inputTokens, units };
}

function costOf(price: PlannedPrice | undefined, demand: Demand, outputTokens: number): bigint {
  if (price === undefined) return 0n;
  const { inputTokens, audioInputTokens, choices, textOutput, units } = demand;
  const bounds = { inputTokens, audioInputTokens, outputTokens, choices, textOutput, units };
  return estimateNanoUsd(price.price, bounds);
}

function combine(demand: Demand, candidates: readonly SizedCandidate[]): HoldSize {
  return {
    inputTokens: Math.max(
      candidates.length === 0 ? demand.inputTokens : 0,
      ...candidates.map((candidate) => candidate.inputTokens),
    ),
    audioInputTokens: demand.audioInputTokens,
    choices: demand.choices,
    textOutput: demand.textOutput,
    units: dearestOf(candidates)?.units ?? demand.units,
    candidates,
    heldOutputTokens: Math.max(0, ...candidates.map((candidate) => candidate.heldOutputTokens)),
    costNanoUsd: largest(candidates.map((candidate) => candidate.costNanoUsd)),
  };
}

// The candidate whose units an abandoned hold is charged for.
function dearestOf(candidates: readonly SizedCandidate[]): SizedCandidate | undefined {
  let dearest = candidates[0];
  for (const one of candidates) if (dearest && one.costNanoUsd > dearest.costNanoUsd) dearest = one;
  return dearest;
}

function largest(amounts: readonly bigint[]): bigint {
  return amounts.reduce((most, amount) => (amount > most ? amount : most), 0n);
}
