// The request on the wire. Only fields that the gateway reads are named; others pass through.

import { z } from 'zod';

import { LIST_LIMITS } from '../../json/limits';
import { isObject } from '../json';
import type { JsonObject } from '../normalised';
import { list } from '../schema';
import { listOf, message, number, wholeNumber } from './names';

const text = z.string();
const optionalText = text.nullish();
const flag = z.boolean().nullish();

// Not copied: the keys are the client's own, and may be many.
const jsonObject = z.custom<JsonObject>(isObject, 'must be an object');

const partFields = {
  text: optionalText,
  thought: flag,
  thoughtSignature: optionalText,
  inlineData: message({ mimeType: text.min(1), data: text, displayName: optionalText }).nullish(),
  fileData: message({
    fileUri: text.min(1),
    mimeType: optionalText,
    displayName: optionalText,
  }).nullish(),
  functionCall: message({
    id: optionalText,
    name: text.min(1),
    args: jsonObject.nullish(),
  }).nullish(),
  functionResponse: message({
    id: optionalText,
    name: text.min(1),
    response: jsonObject.nullish(),
    parts: list(z.unknown()).nullish(),
  }).nullish(),
};
export const PART_FIELDS: ReadonlySet<string> = new Set(Object.keys(partFields));

const part = message(partFields);
export type WirePart = z.output<typeof part>;

const ROLES = ['user', 'model', 'function', 'system'] as const;
export const content = message({
  role: z.enum(ROLES, 'must be user or model').nullish(),
  parts: listOf(part).nullish(),
});
export type WireContent = z.output<typeof content>;

const functionFields = {
  name: text.min(1),
  description: optionalText,
  parameters: jsonObject.nullish(),
  parametersJsonSchema: z.unknown().optional(),
};
export const FUNCTION_FIELDS: ReadonlySet<string> = new Set(Object.keys(functionFields));

const tool = message({
  functionDeclarations: listOf(message(functionFields), LIST_LIMITS.tools).nullish(),
});
export type WireTool = z.output<typeof tool>;

const MODES = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'] as const;
const toolConfig = message({
  functionCallingConfig: message({
    mode: z.enum(MODES, 'must be AUTO, ANY, NONE or VALIDATED').nullish(),
    allowedFunctionNames: list(text).nullish(),
  }).nullish(),
});
export type WireToolConfig = z.output<typeof toolConfig>;

const thinkingFields = {
  includeThoughts: flag,
  thinkingBudget: wholeNumber.nullish(),
  thinkingLevel: optionalText,
};
export const THINKING_FIELDS: ReadonlySet<string> = new Set(Object.keys(thinkingFields));
const thinkingConfig = message(thinkingFields);
export type WireThinkingConfig = z.output<typeof thinkingConfig>;

const speechConfig = message({
  voiceConfig: message({
    prebuiltVoiceConfig: message({ voiceName: optionalText }).nullish(),
  }).nullish(),
});

const configFields = {
  temperature: number.nullish(),
  topP: number.nullish(),
  topK: number.nullish(),
  candidateCount: wholeNumber.pipe(z.int().min(1).max(128)).nullish(),
  maxOutputTokens: wholeNumber.pipe(z.int().positive()).nullish(),
  stopSequences: list(text).nullish(),
  presencePenalty: number.nullish(),
  frequencyPenalty: number.nullish(),
  seed: wholeNumber.nullish(),
  responseLogprobs: flag,
  logprobs: wholeNumber.pipe(z.int().nonnegative()).nullish(),
  responseMimeType: optionalText,
  responseSchema: jsonObject.nullish(),
  responseJsonSchema: z.unknown().optional(),
  responseModalities: list(text).nullish(),
  thinkingConfig: thinkingConfig.nullish(),
  speechConfig: speechConfig.nullish(),
};
export const CONFIG_FIELDS: ReadonlySet<string> = new Set(Object.keys(configFields));
const generationConfig = message(configFields);
export type WireGenerationConfig = z.output<typeof generationConfig>;

const requestFields = {
  // The path has the model; a body may repeat it.
  model: optionalText,
  provider: optionalText,
  contents: listOf(content, LIST_LIMITS.messages).refine(
    (contents) => contents.length > 0,
    'must hold at least one content',
  ),
  systemInstruction: content.nullish(),
  tools: listOf(tool, LIST_LIMITS.tools).nullish(),
  toolConfig: toolConfig.nullish(),
  generationConfig: generationConfig.nullish(),
  labels: jsonObject.nullish(),
  serviceTier: optionalText,
};
export const REQUEST_FIELDS: ReadonlySet<string> = new Set(Object.keys(requestFields));

export const generateRequest = message(requestFields);
export type GenerateRequest = z.output<typeof generateRequest>;
