// The responses request on the wire. Only fields that the gateway reads are named; others pass
// through. `null` means absent, as it does for the vendor.

import { z } from 'zod';

import { LIST_LIMITS } from '../../json/limits';
import { isObject } from '../json';
import type { JsonObject } from '../normalised';
import { list, wholeNumber } from '../schema';

const text = z.string();
const name = text.min(1);
const optionalText = text.nullish();
const flag = z.boolean().nullish();
const number = z.number().nullish();
const count = z.int().nonnegative().nullish();

// Not copied: the keys are the client's own, and may be many.
const jsonObject = z.custom<JsonObject>(isObject, 'must be an object');

/** A value of an unknown type passes through to providers that know it. */
function orUnknown<S extends z.ZodType>(known: S, types: readonly string[]) {
  const unknown = z
    .looseObject({ type: text.refine((type) => !types.includes(type), { error: 'is not valid' }) })
    .transform((raw) => ({ type: 'unknown' as const, raw: raw as JsonObject & { type: string } }));
  return z.union([known, unknown]);
}

const textPart = { text, annotations: list(z.unknown()).nullish() };

const part = orUnknown(
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('input_text'), ...textPart }),
    z.looseObject({ type: z.literal('output_text'), ...textPart }),
    z.looseObject({ type: z.literal('refusal'), refusal: text }),
    z.looseObject({
      type: z.literal('input_image'),
      image_url: optionalText,
      file_id: optionalText,
      detail: optionalText,
    }),
    z.looseObject({
      type: z.literal('input_file'),
      file_data: optionalText,
      file_id: optionalText,
      file_url: optionalText,
      filename: optionalText,
    }),
    z.looseObject({
      type: z.literal('input_audio'),
      input_audio: z.looseObject({ data: name, format: name }),
    }),
  ]),
  ['input_text', 'output_text', 'refusal', 'input_image', 'input_file', 'input_audio'],
);
export type WirePart = z.output<typeof part>;

const content = z.union([text, list(part)]);
const thought = z.looseObject({ text });
const output = { call_id: optionalText, output: content };

const knownItem = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('message'),
    role: z.enum(['user', 'assistant', 'system', 'developer'], {
      error: 'must be one of user, assistant, system, developer',
    }),
    content,
  }),
  z.looseObject({
    type: z.literal('function_call'),
    call_id: name,
    name,
    arguments: text,
  }),
  z.looseObject({ type: z.literal('custom_tool_call'), call_id: name, name, input: text }),
  z.looseObject({ type: z.literal('function_call_output'), ...output }),
  z.looseObject({ type: z.literal('custom_tool_call_output'), ...output }),
  z.looseObject({
    type: z.literal('reasoning'),
    summary: list(thought).nullish(),
    content: list(thought).nullish(),
    encrypted_content: optionalText,
  }),
]);

/** Two kinds of items may omit their type. */
function withType(value: unknown): unknown {
  if (!isObject(value) || typeof value['type'] === 'string') return value;
  if (value['role'] !== undefined) return { ...value, type: 'message' };
  return typeof value['id'] === 'string' ? { ...value, type: 'item_reference' } : value;
}

const item = z.preprocess(
  withType,
  orUnknown(knownItem, [
    'message',
    'function_call',
    'custom_tool_call',
    'function_call_output',
    'custom_tool_call_output',
    'reasoning',
  ]),
);
export type WireItem = z.output<typeof item>;

const tool = orUnknown(
  z.discriminatedUnion('type', [
    z.looseObject({
      type: z.literal('function'),
      name,
      description: optionalText,
      parameters: jsonObject.nullish(),
      strict: flag,
    }),
    z.looseObject({
      type: z.literal('custom'),
      name,
      description: optionalText,
      format: jsonObject.nullish(),
    }),
  ]),
  ['function', 'custom'],
);
export type WireTool = z.output<typeof tool>;

const reference = orUnknown(
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('function'), name }),
    z.looseObject({ type: z.literal('custom'), name }),
  ]),
  ['function', 'custom'],
);
export type WireReference = z.output<typeof reference>;

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  orUnknown(
    z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('function'), name }),
      z.looseObject({ type: z.literal('custom'), name }),
      z.looseObject({
        type: z.literal('allowed_tools'),
        mode: z.enum(['auto', 'required']),
        tools: list(reference),
      }),
    ]),
    ['function', 'custom', 'allowed_tools'],
  ),
]);
export type WireToolChoice = z.output<typeof toolChoice>;

const format = orUnknown(
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text') }),
    z.looseObject({ type: z.literal('json_object') }),
    z.looseObject({
      type: z.literal('json_schema'),
      name,
      description: optionalText,
      schema: jsonObject,
      strict: flag,
    }),
  ]),
  ['text', 'json_object', 'json_schema'],
);
export type WireFormat = z.output<typeof format>;

export const responsesRequest = z.looseObject({
  model: text.min(1, 'must name a model'),
  provider: optionalText,
  input: z.union([text, list(item, LIST_LIMITS.messages)]).nullish(),
  instructions: optionalText,
  tools: list(tool, LIST_LIMITS.tools).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: flag,
  max_output_tokens: z.int().positive().nullish(),
  reasoning: z.looseObject({ effort: optionalText }).nullish(),
  text: z.looseObject({ format: format.nullish() }).nullish(),
  temperature: number,
  top_p: number,
  top_k: number,
  top_logprobs: count,
  stop: z.union([text, list(text)]).nullish(),
  seed: wholeNumber.nullish(),
  presence_penalty: number,
  frequency_penalty: number,
  logit_bias: z.record(text, z.number()).nullish(),
  metadata: jsonObject.nullish(),
  store: flag,
  background: flag,
  truncation: optionalText,
  include: list(text).nullish(),
  user: optionalText,
  safety_identifier: optionalText,
  service_tier: optionalText,
  stream: flag,
  stream_options: z.looseObject({ include_obfuscation: flag }).nullish(),
});
export type ResponsesRequest = z.output<typeof responsesRequest>;
