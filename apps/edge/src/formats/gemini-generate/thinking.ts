// How much the model thinks before it answers: older models accept a token budget, newer ones a
// level, and a request with both is an error.

import type { DropList } from '../drop-list';
import { present } from '../json';
import type { JsonObject, NormalisedRequest } from '../normalised';
import { MODEL_DECIDES, nearestOf, thinkingEffort, type ThinkingEffort } from '../thinking-efforts';
import { alwaysThinks, type Generation } from './dialects';
import { addOtherFields } from './names';
import { THINKING_FIELDS, type WireThinkingConfig } from './wire';

type Reasoning = Pick<NormalisedRequest, 'reasoningEffort' | 'reasoningBudget'>;

const PATH = 'generationConfig.thinkingConfig';
const BUDGET_PATH = `${PATH}.thinkingBudget`;
const UNSPECIFIED = 'THINKING_LEVEL_UNSPECIFIED';

/** Turns fields that other formats lack into extras. */
export function decodeThinking(
  wire: WireThinkingConfig | null | undefined,
  extras: JsonObject,
): Reasoning {
  if (!wire) return {};
  addOtherFields(wire, THINKING_FIELDS, PATH, extras);
  const { includeThoughts, thinkingBudget: tokens, thinkingLevel: level } = wire;
  // Other providers show thoughts whenever the model thinks.
  if (includeThoughts === false) extras[`${PATH}.includeThoughts`] = false;
  if (typeof tokens === 'number') extras[BUDGET_PATH] = tokens;
  const effort = level && level !== UNSPECIFIED ? level.toLowerCase() : undefined;
  const budget = typeof tokens === 'number' ? { tokens, path: BUDGET_PATH } : undefined;
  return present({ reasoningEffort: effort, reasoningBudget: budget });
}

/** A client that asks for thinking also sees the thoughts. */
export function encodeThinking(
  { reasoningEffort: effort, reasoningBudget: budget }: Reasoning,
  { thinking }: Generation,
  model: string,
  drops: DropList,
): JsonObject | undefined {
  const row = thinkingEffort(effort);
  const effortLost = thinking === 'none' ? effort !== 'none' : row === undefined;
  if (effort !== undefined && effortLost) drops.drop('reasoning_effort');
  if (thinking === 'none') {
    if (budget !== undefined && budget.tokens !== 0) drops.drop(budget.path);
    return undefined;
  }
  if (budget !== undefined && (budget.tokens >= 0 || row === undefined)) {
    if (row !== undefined && row.tokens !== budget.tokens) drops.drop('reasoning_effort');
    return encodeBudget(budget, thinking, model, drops);
  }
  if (row === undefined) return undefined;
  if (thinking === 'level') return encodeLevel(row, model, drops);
  return encodeBudget({ tokens: row.tokens, path: 'reasoning_effort' }, thinking, model, drops);
}

/** In ascending order. */
const LEVELS: readonly ThinkingEffort['gemini'][] = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'];

/** The levels that a model accepts, in ascending order. */
function levelsOf(model: string): typeof LEVELS {
  if (!alwaysThinks(model)) return LEVELS;
  const isFirstPro = /gemini-3(?:\.0)?-pro/.test(model.toLowerCase());
  return isFirstPro ? ['LOW', 'HIGH'] : ['LOW', 'MEDIUM', 'HIGH'];
}

/** The nearest level that the model accepts. Models with levels always think. */
function encodeLevel({ effort, gemini }: ThinkingEffort, model: string, drops: DropList) {
  const said = nearestOf(LEVELS, gemini, levelsOf(model));
  if (said?.toLowerCase() !== effort) drops.drop('reasoning_effort');
  return { ...present({ thinkingLevel: said }), ...shown(effort !== 'none') };
}

/**
 * The budgets that a model accepts apart from 0, by the vendor's guide; newer models accept them
 * too.
 */
function boundsOf(model: string): { least: number; most: number } {
  if (alwaysThinks(model)) return { least: 128, most: 32_768 };
  return { least: /flash-lite/.test(model.toLowerCase()) ? 512 : 1, most: 24_576 };
}

function encodeBudget(
  { tokens, path }: NonNullable<Reasoning['reasoningBudget']>,
  thinking: Generation['thinking'],
  model: string,
  drops: DropList,
): JsonObject {
  if (tokens < 0) return { thinkingBudget: MODEL_DECIDES, ...shown(true) };
  const always = thinking === 'level' || alwaysThinks(model);
  if (tokens === 0 && always) drops.drop(path);
  if (tokens === 0 && thinking === 'level') return present({ thinkingLevel: levelsOf(model)[0] });
  const { least, most } = boundsOf(model);
  const thinkingBudget = tokens === 0 && !always ? 0 : Math.min(Math.max(tokens, least), most);
  if (thinkingBudget !== tokens) drops.drop(path);
  return { thinkingBudget, ...shown(tokens !== 0) };
}

function shown(includeThoughts: boolean): JsonObject {
  return includeThoughts ? { includeThoughts } : {};
}
