// How much the model thinks before it answers: an effort or a token budget. The vendor's older
// models accept only a budget and its newer ones only an effort, so the encoding depends on the
// model's generation.

import type { DropList } from '../drop-list';
import { present } from '../json';
import type { JsonObject, NormalisedRequest } from '../normalised';
import {
  effortOf,
  MIDDLE_EFFORT,
  thinkingEffort,
  tokensOf,
  type ThinkingEffort,
} from '../thinking-efforts';
import { THINKING_FIELD } from '../thinking-field';
import type { Generation } from './generations';

type Wish = Pick<NormalisedRequest, 'reasoningEffort' | 'reasoningBudget'>;

const LEAST_BUDGET = 1_024;

/**
 * The share of the output that a budget leaves to the answer if it does not fit below the bound.
 */
const ANSWER_SHARE = 0.2;

export interface Circumstances {
  generation: Generation;
  maxTokens: number;
  /** A forced call excludes thinking. */
  forcesCall: boolean;
  /** A prefilled answer excludes thinking. */
  beginsAnswer: boolean;
  /** The last turn calls tools without their thinking, which a budget would require. */
  unexplainedCall: boolean;
}

export interface EncodedReasoning {
  thinking?: JsonObject;
  effort?: string;
}

const EFFORT = 'reasoning_effort';

export function encodeReasoning(
  { reasoningEffort, reasoningBudget }: Wish,
  circumstances: Circumstances,
  drops: DropList,
): EncodedReasoning {
  const effort = thinkingEffort(reasoningEffort);
  if (reasoningEffort !== undefined && effort === undefined) drops.drop(EFFORT);
  const { adapts, budgets } = circumstances.generation;
  const wish = { effort, budget: reasoningBudget };
  if (adapts) return encodeAdaptive(wish, circumstances, drops);
  if (budgets) return encodeBounded(wish, circumstances, drops);
  if (effort !== undefined && effort.effort !== 'none') drops.drop(EFFORT);
  if (reasoningBudget !== undefined && reasoningBudget.tokens !== 0) {
    drops.drop(reasoningBudget.path);
  }
  return {};
}

interface KnownWish {
  effort: ThinkingEffort | undefined;
  budget: NormalisedRequest['reasoningBudget'];
}

/** For models that accept only a budget. They do not think by default. */
function encodeBounded(
  { effort, budget }: KnownWish,
  circumstances: Circumstances,
  drops: DropList,
): EncodedReasoning {
  const counts = budget !== undefined && (budget.tokens >= 0 || effort === undefined);
  if (counts && effort !== undefined && effort.tokens !== budget.tokens) drops.drop(EFFORT);
  const path = counts ? budget.path : EFFORT;
  const asked = counts ? budget.tokens : effort?.tokens;
  if (asked === undefined) return {};
  if (asked === 0) return path === THINKING_FIELD ? OFF : {};
  const tokens = asked < 0 ? tokensOf(MIDDLE_EFFORT) : asked;
  const bounded = encodeBudget(tokens, circumstances);
  if (bounded?.thinking?.['budget_tokens'] !== asked) drops.drop(path);
  return bounded ?? {};
}

/** For models with adaptive thinking, guided by an effort. */
function encodeAdaptive(
  { effort, budget }: KnownWish,
  circumstances: Circumstances,
  drops: DropList,
): EncodedReasoning {
  const { budgets } = circumstances.generation;
  if (effort !== undefined && effort.effort === 'none' && budget === undefined) {
    return encodeThinkingOff(effort, EFFORT, circumstances, drops);
  }
  if (budget?.tokens === 0) return encodeThinkingOff(effort, budget.path, circumstances, drops);
  const said = effort && sayEffort(effort, EFFORT, circumstances, drops);
  if (budget === undefined) {
    return effort === undefined ? {} : { ...said, ...adaptive(circumstances) };
  }
  if (budget.tokens < 0) {
    const decided = adaptive(circumstances);
    if (decided.thinking === undefined) drops.drop(budget.path);
    return { ...said, ...decided };
  }
  const bounded = budgets ? encodeBudget(budget.tokens, circumstances) : undefined;
  if (bounded !== undefined) {
    if (bounded.thinking?.['budget_tokens'] !== budget.tokens) drops.drop(budget.path);
    return { ...said, ...bounded };
  }
  const nearest = thinkingEffort(effortOf(budget.tokens));
  const agrees = nearest?.tokens === budget.tokens && (effort ?? nearest) === nearest;
  const decided = adaptive(circumstances);
  if (!agrees || decided.thinking === undefined) drops.drop(budget.path);
  const word = said ?? (nearest && sayEffort(nearest, budget.path, circumstances, drops));
  return { ...word, ...decided };
}

const OFF: EncodedReasoning = { thinking: { type: 'disabled' } };

/** For models with adaptive thinking. The effort remains: it also controls the length of the answer. */
function encodeThinkingOff(
  effort: ThinkingEffort | undefined,
  path: string,
  circumstances: Circumstances,
  drops: DropList,
): EncodedReasoning {
  const { thinkingOff } = circumstances.generation;
  const said =
    effort && effort.effort !== 'none' ? sayEffort(effort, EFFORT, circumstances, drops) : {};
  if (thinkingOff === undefined && path !== THINKING_FIELD) drops.drop(path);
  // Without a known need for the field, it is sent only if the client wrote it.
  if (thinkingOff !== 'when told') return { ...said, ...(path === THINKING_FIELD ? OFF : {}) };
  if (said.effort !== 'xhigh' && said.effort !== 'max') return { ...said, ...OFF };
  // The vendor accepts at most `high` while thinking is off.
  drops.drop(EFFORT);
  return { effort: 'high', ...OFF };
}

/** The highest effort that the model accepts and that is not above the requested one. */
function sayEffort(
  { effort, messages }: ThinkingEffort,
  path: string,
  { generation: { efforts } }: Circumstances,
  drops: DropList,
): EncodedReasoning {
  const word = efforts === 'no xhigh' && messages === 'xhigh' ? 'high' : messages;
  if (word !== effort) drops.drop(path);
  return present({ effort: word });
}

function mayThink({ forcesCall, beginsAnswer }: Circumstances): boolean {
  return !forcesCall && !beginsAnswer;
}

function adaptive(circumstances: Circumstances): EncodedReasoning {
  return mayThink(circumstances) ? { thinking: { type: 'adaptive' } } : {};
}

/** Undefined: it cannot be expressed. The vendor requires a budget below the output bound. */
function encodeBudget(tokens: number, circumstances: Circumstances): EncodedReasoning | undefined {
  const { maxTokens, unexplainedCall } = circumstances;
  if (!mayThink(circumstances) || unexplainedCall || maxTokens <= LEAST_BUDGET) return undefined;
  const fits = tokens < maxTokens ? tokens : Math.floor(maxTokens * (1 - ANSWER_SHARE));
  return { thinking: { type: 'enabled', budget_tokens: Math.max(fits, LEAST_BUDGET) } };
}
