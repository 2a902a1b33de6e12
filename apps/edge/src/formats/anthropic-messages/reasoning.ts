// How much the model is to think before it answers: an effort, or a bound in tokens. The vendor's
// older models take only a bound and its newer ones only an effort, and each refuses the other, so
// what is written depends on the model's generation.

import type { DropList } from '../drop-list';
import { addBeside, present } from '../json';
import type { JsonObject, NormalisedRequest } from '../normalised';
import type { Generation } from './generations';
import type { WireThinking } from './wire';

type Reasoning = Pick<NormalisedRequest, 'reasoningBudget'>;

const PATH = 'thinking';
const KNOWN: ReadonlySet<string> = new Set(['type', 'budget_tokens', 'raw']);

/** Puts what others cannot say among the extras. Deciding for itself is what a model does anyway. */
export function decodeThinking(
  wire: WireThinking | null | undefined,
  raw: unknown,
  extras: JsonObject,
): Reasoning {
  if (!wire) return {};
  addBeside(wire, KNOWN, PATH, extras);
  if (wire.type === 'adaptive') return {};
  extras[PATH] = raw;
  if (wire.type === 'unknown') return {};
  const tokens = wire.type === 'enabled' ? wire.budget_tokens : 0;
  return { reasoningBudget: { tokens, path: PATH } };
}

/** The efforts there are words for elsewhere: the word here, and what it amounts to in tokens. */
const EFFORTS: Readonly<Record<string, { word: string; tokens: number }>> = {
  minimal: { word: 'low', tokens: 1_024 },
  low: { word: 'low', tokens: 2_048 },
  medium: { word: 'medium', tokens: 8_192 },
  high: { word: 'high', tokens: 16_384 },
  xhigh: { word: 'xhigh', tokens: 24_576 },
  max: { word: 'max', tokens: 32_768 },
};

const LEAST_BUDGET = 1_024;

export interface Circumstances {
  generation: Generation;
  maxTokens: number;
  /** Thinking cannot be had where a call is forced. */
  forcesCall: boolean;
  /** The last turn calls tools without the thinking that led there, which a bound would require. */
  unexplainedCall: boolean;
}

export interface EncodedReasoning {
  thinking?: JsonObject;
  effort?: string;
}

export function encodeReasoning(
  { reasoningEffort, reasoningBudget }: NormalisedRequest,
  circumstances: Circumstances,
  drops: DropList,
): EncodedReasoning {
  let encoded: EncodedReasoning | undefined = {};
  if (reasoningEffort !== undefined) {
    encoded = encodeEffort(reasoningEffort, circumstances);
    const isNearest = encoded?.effort !== undefined && encoded.effort !== reasoningEffort;
    if (encoded === undefined || isNearest) drops.drop('reasoning_effort');
  }
  if (reasoningBudget === undefined) return encoded ?? {};
  const bounded = encodeBudget(reasoningBudget.tokens, circumstances);
  if (bounded === undefined) drops.drop(reasoningBudget.path);
  return { ...encoded, ...bounded };
}

function encodeEffort(effort: string, circumstances: Circumstances): EncodedReasoning | undefined {
  if (effort === 'none') return encodeBudget(0, circumstances);
  const known = Object.hasOwn(EFFORTS, effort) ? EFFORTS[effort] : undefined;
  if (known === undefined) return undefined;
  if (!circumstances.generation.adapts) return encodeBudget(known.tokens, circumstances);
  const thinking = circumstances.forcesCall ? undefined : { type: 'adaptive' };
  const { word } = known;
  const { efforts } = circumstances.generation;
  // The nearest it takes that is not more.
  return {
    effort: efforts === 'no xhigh' && word === 'xhigh' ? 'high' : word,
    ...present({ thinking }),
  };
}

/** Undefined: it cannot be said. Without being asked to, models that take a bound do not think. */
function encodeBudget(
  tokens: number,
  { generation: { budgets, adapts }, maxTokens, forcesCall, unexplainedCall }: Circumstances,
): EncodedReasoning | undefined {
  if (tokens === 0) return budgets || !adapts ? {} : undefined;
  // Negative stands for as much as the model sees fit.
  if (adapts && tokens < 0) return forcesCall ? undefined : { thinking: { type: 'adaptive' } };
  const budget = Math.min(Math.max(tokens, LEAST_BUDGET), maxTokens - 1);
  if (!budgets || forcesCall || unexplainedCall || budget < LEAST_BUDGET) return undefined;
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}
