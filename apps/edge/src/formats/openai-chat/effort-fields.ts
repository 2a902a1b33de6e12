// The fields that control thinking at providers of the chat format: an effort, and vLLM's switch that
// turns thinking off.

import type { DropList } from '../drop-list';
import type { TargetContext } from '../format';
import { present } from '../json';
import type { JsonObject, NormalisedRequest } from '../normalised';
import { encodeReasoning } from '../openai-efforts';
import { isThinkingPath, TEMPLATE_FIELD, THINKING_FIELD, withThinkingOff } from '../thinking-field';
import { dialectOf, type Dialect } from './dialects';

export function encodeEffortFields(
  request: NormalisedRequest,
  target: TargetContext,
  drops: DropList,
): JsonObject {
  const { efforts, thinkingSwitch } = dialectOf(target.providerType);
  const effort = encodeReasoning(request, { model: target.model, efforts }, drops);
  const isOff = effort === 'none' && thinkingSwitch;
  if (!isOff) return present({ reasoning_effort: effort });
  const template = request.format === 'openai-chat' ? request.raw[TEMPLATE_FIELD] : undefined;
  return { [TEMPLATE_FIELD]: withThinkingOff(template) };
}

/**
 * Converts a client's thinking field that the provider does not know to an effort. Other fields
 * stay unchanged.
 */
export function readdressThinking(
  body: JsonObject,
  request: NormalisedRequest,
  target: TargetContext,
  drops: DropList,
): void {
  const dialect = dialectOf(target.providerType);
  if (isThinkingKnown(request, dialect)) return;
  const { extras, reasoningBudget } = request;
  const unknown = [THINKING_FIELD, ...(dialect.thinkingSwitch ? [] : [TEMPLATE_FIELD])];
  for (const field of [...unknown, 'reasoning_effort']) delete body[field];
  for (const path of Object.keys(extras)) {
    const isUnknown = isThinkingPath(path) || (!dialect.thinkingSwitch && isTemplatePath(path));
    if (isUnknown && path !== reasoningBudget?.path) drops.drop(path);
  }
  Object.assign(body, encodeEffortFields(request, target, drops));
}

/** Whether the provider knows or ignores every thinking field of the request. */
function isThinkingKnown({ raw, reasoningBudget }: NormalisedRequest, dialect: Dialect): boolean {
  if (dialect.thinkingField) return true;
  const isSwitch = reasoningBudget !== undefined && reasoningBudget.path !== THINKING_FIELD;
  return !raw[THINKING_FIELD] && (dialect.thinkingSwitch || !isSwitch);
}

function isTemplatePath(path: string): boolean {
  return path === TEMPLATE_FIELD || path.startsWith(`${TEMPLATE_FIELD}.`);
}
