// How much the model is to think before it answers: older models take a bound in tokens, newer ones a
// level, and each a request for both as an error.

import type { DropList } from '../drop-list';
import { present } from '../json';
import type { JsonObject, NormalisedRequest } from '../normalised';
import { alwaysThinks, type Generation } from './dialects';
import { addBeyond } from './names';
import { THINKING_FIELDS, type WireThinkingConfig } from './wire';

type Reasoning = Pick<NormalisedRequest, 'reasoningEffort' | 'reasoningBudget'>;

const PATH = 'generationConfig.thinkingConfig';
const BUDGET_PATH = `${PATH}.thinkingBudget`;
const UNSPECIFIED = 'THINKING_LEVEL_UNSPECIFIED';

/** Puts what others cannot say among the extras. */
export function decodeThinking(
  wire: WireThinkingConfig | null | undefined,
  extras: JsonObject,
): Reasoning {
  if (!wire) return {};
  addBeyond(wire, THINKING_FIELDS, PATH, extras);
  const { includeThoughts, thinkingBudget: tokens, thinkingLevel: level } = wire;
  // Others show what they think whenever they are made to.
  if (includeThoughts === false) extras[`${PATH}.includeThoughts`] = false;
  if (typeof tokens === 'number') extras[BUDGET_PATH] = tokens;
  const effort = level && level !== UNSPECIFIED ? level.toLowerCase() : undefined;
  const budget = typeof tokens === 'number' ? { tokens, path: BUDGET_PATH } : undefined;
  return present({ reasoningEffort: effort, reasoningBudget: budget });
}

/** The efforts there are words for elsewhere: the level here, and the bound for older models. */
const EFFORTS: Readonly<Record<string, { level: string; tokens: number }>> = {
  none: { level: 'MINIMAL', tokens: 0 },
  minimal: { level: 'MINIMAL', tokens: 1_024 },
  low: { level: 'LOW', tokens: 1_024 },
  medium: { level: 'MEDIUM', tokens: 8_192 },
  high: { level: 'HIGH', tokens: 24_576 },
  xhigh: { level: 'HIGH', tokens: 24_576 },
  max: { level: 'HIGH', tokens: 24_576 },
};

/** What a model that always thinks needs at least, and the most that every model takes. */
const LEAST_BUDGET = 128;
const MOST_BUDGET = 24_576;

/** Whoever asks for thinking gets to see it. */
export function encodeThinking(
  { reasoningEffort: effort, reasoningBudget: budget }: NormalisedRequest,
  { thinking }: Generation,
  model: string,
  drops: DropList,
): JsonObject | undefined {
  const known =
    effort !== undefined && Object.hasOwn(EFFORTS, effort) ? EFFORTS[effort] : undefined;
  if (effort !== undefined && (known === undefined || thinking === 'none')) {
    drops.drop('reasoning_effort');
  }
  if (thinking === 'none') {
    if (budget !== undefined && budget.tokens !== 0) drops.drop(budget.path);
    return undefined;
  }
  const always = thinking === 'level' || alwaysThinks(model);
  if (budget !== undefined) {
    if (known !== undefined) drops.drop('reasoning_effort');
    if (budget.tokens === 0 && always) drops.drop(budget.path);
    if (budget.tokens === 0 && thinking === 'level') return leastLevel(model);
    return bounded(budget.tokens, always);
  }
  if (known === undefined) return undefined;
  if (effort === 'none' && always) drops.drop('reasoning_effort');
  if (thinking === 'budget') return bounded(known.tokens, always);
  const said = known.level === 'MINIMAL' ? leastLevel(model)['thinkingLevel'] : known.level;
  // The nearest there is.
  if (effort !== 'none' && said !== effort?.toUpperCase()) drops.drop('reasoning_effort');
  if (known.level === 'MINIMAL') return { ...leastLevel(model), ...shown(effort !== 'none') };
  return { thinkingLevel: known.level, includeThoughts: true };
}

/** The largest models do not know the lowest level. */
function leastLevel(model: string): JsonObject {
  return { thinkingLevel: alwaysThinks(model) ? 'LOW' : 'MINIMAL' };
}

/** A negative bound leaves it to the model. */
function bounded(tokens: number, always: boolean): JsonObject {
  const least = always ? LEAST_BUDGET : 0;
  const thinkingBudget = tokens < 0 ? -1 : Math.min(Math.max(tokens, least), MOST_BUDGET);
  return { thinkingBudget, ...shown(tokens !== 0) };
}

function shown(includeThoughts: boolean): JsonObject {
  return includeThoughts ? { includeThoughts } : {};
}
