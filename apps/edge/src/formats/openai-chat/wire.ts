// The chat-completions request on the wire. Only fields that the gateway reads are named; others
// pass through. `null` means absent, as it does for the vendor.

import { z } from 'zod';

import { LIST_LIMITS } from '../../json/limits';
import { cacheMarkOf } from '../cache-marks';
import { isObject } from '../json';
import type { ContentBlock, JsonObject, ToolCallBlock } from '../normalised';
import { filledList, list, wholeNumber } from '../schema';
import { thinkingField } from '../thinking-field';

type PartDecoder = (value: JsonObject, context: z.core.$RefinementCtx) => ContentBlock;

export type PartKinds = Readonly<Record<string, PartDecoder>>;

/** A kind of content part: its schema, and the block it becomes. */
export function part<S extends z.ZodType>(
  schema: S,
  toBlock: (wire: z.output<S>) => ContentBlock,
): PartDecoder {
  return (value, context) => {
    const result = schema.safeParse(value);
    if (result.success) return toBlock(result.data);
    for (const { path, message } of result.error.issues) {
      context.issues.push({ code: 'custom', path: [...path], message, input: value });
    }
    return z.NEVER;
  };
}

const text = z.string();
const optionalText = text.nullish();

const imageUrl = z.preprocess(
  // Mistral also takes the address alone.
  (value) => (typeof value === 'string' ? { url: value } : value),
  z.looseObject({ url: text.min(1), detail: optionalText }),
);
const imagePart = part(
  z.looseObject({ image_url: imageUrl }),
  ({ image_url: { url, detail } }) => ({ type: 'image', url, ...(detail ? { detail } : {}) }),
);

const audioFields = z.looseObject({ data: text.min(1), format: text.min(1) });

export const PARTS: PartKinds = {
  text: part(z.looseObject({ text }), (wire) => ({ type: 'text', text: wire.text })),
  image_url: imagePart,
  input_audio: part(z.looseObject({ input_audio: audioFields }), ({ input_audio: sound }) => ({
    type: 'audio',
    data: sound.data,
    format: sound.format,
  })),
  file: part(
    z.looseObject({
      file: z.looseObject({
        file_data: optionalText,
        file_id: optionalText,
        filename: optionalText,
      }),
    }),
    ({ file }) => ({
      type: 'file',
      ...(file.file_data ? { data: file.file_data } : {}),
      ...(file.file_id ? { fileId: file.file_id } : {}),
      ...(file.filename ? { filename: file.filename } : {}),
    }),
  ),
  refusal: part(z.looseObject({ refusal: text }), (wire) => ({
    type: 'refusal',
    text: wire.refusal,
  })),
};

/** Decodes a content part by the table of kinds; `unknown` handles any other kind. */
export function partOf(kinds: PartKinds, unknown: PartDecoder) {
  return z.unknown().transform((value, context): ContentBlock => {
    if (!isObject(value) || typeof value['type'] !== 'string') {
      const path = isObject(value) ? ['type'] : [];
      const message = isObject(value) ? 'must be a string' : 'must be an object';
      context.issues.push({ code: 'custom', path, message, input: value });
      return z.NEVER;
    }
    const kind = value['type'];
    const decode = Object.hasOwn(kinds, kind) ? (kinds[kind] ?? unknown) : unknown;
    return { ...decode(value, context), ...cacheMarkOf(value) };
  });
}

const contentPart = partOf(PARTS, (raw) => ({ type: 'other', kind: String(raw['type']), raw }));

/** A string, or a list of parts; empty text is no block. */
export function contentOf<P extends z.ZodType<ContentBlock>>(part: P) {
  return z.union([
    text.transform((value): ContentBlock[] =>
      value === '' ? [] : [{ type: 'text', text: value }],
    ),
    list(part),
  ]);
}

const content = contentOf(contentPart);

export const toolCall = z
  .looseObject({
    id: text,
    type: text.nullish(),
    function: z.looseObject({ name: text, arguments: text.nullish() }).nullish(),
    custom: z.looseObject({ name: text, input: text.nullish() }).nullish(),
  })
  .transform((wire, context): ToolCallBlock => {
    if (wire.function) {
      const { name, arguments: args } = wire.function;
      return { type: 'tool_call', id: wire.id, kind: 'function', name, arguments: args ?? '' };
    }
    if (wire.custom) {
      const { name, input } = wire.custom;
      return { type: 'tool_call', id: wire.id, kind: 'custom', name, arguments: input ?? '' };
    }
    const message = 'a tool call needs a function';
    context.issues.push({ code: 'custom', path: ['function'], message, input: wire });
    return z.NEVER;
  });

export const thinkingBlock = z.looseObject({
  type: z.enum(['thinking', 'redacted_thinking']),
  thinking: optionalText,
  signature: optionalText,
  data: optionalText,
});

const name = optionalText;
const reply = z.looseObject({
  role: z.literal('assistant'),
  name,
  content: content.nullish(),
  refusal: optionalText,
  audio: z.looseObject({ id: text }).nullish(),
  tool_calls: list(toolCall).nullish(),
  function_call: z.looseObject({ name: text, arguments: text.nullish() }).nullish(),
  reasoning_content: optionalText,
  thinking_blocks: list(thinkingBlock).nullish(),
});

export const chatMessage = z.discriminatedUnion(
  'role',
  [
    z.looseObject({ role: z.enum(['system', 'developer', 'user']), name, content }),
    reply,
    z.looseObject({ role: z.literal('tool'), content, tool_call_id: text }),
    z.looseObject({ role: z.literal('function'), content: content.nullish(), name: text }),
  ],
  { error: 'must be one of system, developer, user, assistant, tool, function' },
);
export type ChatMessage = z.output<typeof chatMessage>;

// Not copied: the keys are the client's own, and may be many.
const jsonObject = z.custom<JsonObject>(isObject, 'must be an object');

const functionFields = {
  name: text.min(1),
  description: optionalText,
  parameters: jsonObject.nullish(),
};

/** A value of an unknown type passes through to providers that know it. */
function unknownType(known: readonly string[], error: string) {
  return z
    .looseObject({ type: text.refine((type) => !known.includes(type), { error }) })
    .transform(() => 'unknown' as const);
}

const knownTool = z.discriminatedUnion(
  'type',
  [
    z.looseObject({
      type: z.literal('function'),
      function: z.looseObject({ ...functionFields, strict: z.boolean().nullish() }),
    }),
    z.looseObject({
      type: z.literal('custom'),
      custom: z.looseObject({
        name: text.min(1),
        description: optionalText,
        format: jsonObject.nullish(),
      }),
    }),
  ],
  { error: 'must be function or custom' },
);
export const chatTool = z.union([
  knownTool,
  unknownType(['function', 'custom'], 'must be function or custom'),
]);
export type ChatTool = z.output<typeof chatTool>;

const named = z.looseObject({ name: text.min(1) });
const functionReference = z.looseObject({ type: z.literal('function'), function: named });
const customReference = z.looseObject({ type: z.literal('custom'), custom: named });

export const chatToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  // Mistral's word.
  z.literal('any').transform(() => 'required' as const),
  z.discriminatedUnion('type', [
    functionReference,
    customReference,
    z.looseObject({
      type: z.literal('allowed_tools'),
      allowed_tools: z.looseObject({
        mode: z.enum(['auto', 'required']),
        tools: list(z.discriminatedUnion('type', [functionReference, customReference])),
      }),
    }),
  ]),
]);
export type ChatToolChoice = z.output<typeof chatToolChoice>;

const knownResponseFormat = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('text') }),
    z.looseObject({ type: z.literal('json_object') }),
    z.looseObject({
      type: z.literal('json_schema'),
      json_schema: z.looseObject({
        name: text.min(1),
        description: optionalText,
        schema: jsonObject.nullish(),
        strict: z.boolean().nullish(),
      }),
    }),
  ],
  { error: 'must be text, json_object or json_schema' },
);
export const chatResponseFormat = z.preprocess(
  withNestedSchema,
  z.union([
    knownResponseFormat,
    unknownType(['text', 'json_object', 'json_schema'], 'must be text, json_object or json_schema'),
  ]),
);

const SCHEMA_TYPES: ReadonlySet<unknown> = new Set(['json_schema', 'json_object']);

/** Together, Fireworks and llama.cpp take the schema beside either type, where it needs no name. */
function withNestedSchema(format: unknown): unknown {
  if (!isObject(format) || !SCHEMA_TYPES.has(format['type'])) return format;
  const { json_schema: nested = null, schema, ...fields } = format;
  if (nested !== null || !isObject(schema)) return format;
  return { type: 'json_schema', json_schema: { name: 'answer', ...fields, schema } };
}
export type ChatResponseFormat = z.output<typeof chatResponseFormat>;

const number = z.number().nullish();
const count = z.int().nonnegative().nullish();
const flag = z.boolean().nullish();

/** Fields that the chat format shares with the gateway's own format. */
export const sharedFields = {
  model: text.min(1, 'must name a model'),
  provider: optionalText,
  temperature: number,
  top_p: number,
  top_k: number,
  max_tokens: z.int().positive().nullish(),
  stop: z.union([text, list(text)]).nullish(),
  presence_penalty: number,
  frequency_penalty: number,
  seed: wholeNumber.nullish(),
  metadata: jsonObject.nullish(),
  response_format: chatResponseFormat.nullish(),
  tools: list(chatTool, LIST_LIMITS.tools).nullish(),
  tool_choice: chatToolChoice.nullish(),
  stream: flag,
  reasoning_effort: optionalText,
  // A field of the messages format that clients of many vendors send here too.
  thinking: thinkingField.nullish(),
};

export const chatRequest = z.looseObject({
  ...sharedFields,
  messages: filledList(chatMessage, 'must hold at least one message', LIST_LIMITS.messages),
  max_completion_tokens: z.int().positive().nullish(),
  parallel_tool_calls: flag,
  n: z.int().min(1).max(128).nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  logprobs: flag,
  top_logprobs: count,
  stream_options: z.looseObject({ include_usage: flag }).nullish(),
  user: optionalText,
  service_tier: optionalText,
  modalities: list(text).nullish(),
  audio: jsonObject.nullish(),
  functions: list(z.looseObject(functionFields)).nullish(),
  function_call: z.union([z.enum(['none', 'auto']), named]).nullish(),
});
export type ChatRequest = z.output<typeof chatRequest>;
