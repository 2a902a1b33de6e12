// The messages request on the wire. Only fields that the gateway reads are named; others pass
// through. `null` means absent, as it does for the vendor.

import { z } from 'zod';

import { LIST_LIMITS } from '../../json/limits';
import { isObject } from '../json';
import type { JsonObject } from '../normalised';
import { filledList, list } from '../schema';

const text = z.string();
const name = text.min(1);
const optionalText = text.nullish();
const flag = z.boolean().nullish();
const number = z.number().nullish();

// Not copied: the keys are the client's own, and may be many.
const jsonObject = z.custom<JsonObject>(isObject, 'must be an object');

/** A value of an unknown type passes through to providers that know it. */
function unknownType(known: readonly string[], error: string) {
  return z
    .looseObject({ type: text.refine((type) => !known.includes(type), { error }) })
    .transform((raw) => ({ type: 'unknown' as const, raw: raw as JsonObject & { type: string } }));
}

const base64Source = z.looseObject({ type: z.literal('base64'), media_type: name, data: name });
const urlSource = z.looseObject({ type: z.literal('url'), url: name });
const textSource = z.looseObject({ type: z.literal('text'), data: text });
const fileSource = z.looseObject({ type: z.literal('file'), file_id: name });

const imageSource = z.union([
  z.discriminatedUnion('type', [base64Source, urlSource], { error: 'must be base64 or url' }),
  unknownType(['base64', 'url'], 'must be base64 or url'),
]);
const documentSource = z.union([
  z.discriminatedUnion('type', [base64Source, urlSource, textSource, fileSource], {
    error: 'must be base64, url, text or file',
  }),
  unknownType(['base64', 'url', 'text', 'file'], 'must be base64, url, text or file'),
]);

const textBlock = z.looseObject({
  type: z.literal('text'),
  text,
  citations: list(z.unknown()).nullish(),
});

/** Kinds that a tool result may hold as well as a message. */
const plainKinds = [
  textBlock,
  z.looseObject({ type: z.literal('image'), source: imageSource }),
  z.looseObject({ type: z.literal('document'), source: documentSource, title: optionalText }),
  z.looseObject({
    type: z.literal('search_result'),
    source: text,
    title: text,
    content: list(textBlock),
  }),
] as const;
const PLAIN = ['text', 'image', 'document', 'search_result'];
const plainBlock = z.union([
  z.discriminatedUnion('type', plainKinds),
  unknownType(PLAIN, 'is not complete'),
]);

const CALLS = ['thinking', 'redacted_thinking', 'tool_use', 'tool_result'];
const contentBlock = z.union([
  z.discriminatedUnion('type', [
    ...plainKinds,
    z.looseObject({ type: z.literal('thinking'), thinking: text, signature: optionalText }),
    z.looseObject({ type: z.literal('redacted_thinking'), data: text }),
    z.looseObject({ type: z.literal('tool_use'), id: name, name, input: jsonObject }),
    z.looseObject({
      type: z.literal('tool_result'),
      tool_use_id: name,
      content: z.union([text, list(plainBlock)]).nullish(),
      is_error: flag,
    }),
  ]),
  unknownType([...PLAIN, ...CALLS], 'is not complete'),
]);
export type WireBlock = z.output<typeof contentBlock>;

const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system'], 'must be user or assistant'),
  content: z.union([text, list(contentBlock)]),
});
export type WireMessage = z.output<typeof message>;

/** Type `custom` or no type: a tool of the client's own. */
const clientTool = z.looseObject({
  type: z.literal('custom').nullish(),
  name,
  description: optionalText,
  input_schema: jsonObject,
  strict: flag,
});
const tool = z.union([clientTool, unknownType(['custom'], 'must be custom')]);
export type WireTool = z.output<typeof tool>;

const single = { disable_parallel_tool_use: flag };
const toolChoice = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.enum(['auto', 'any', 'none']), ...single }),
    z.looseObject({ type: z.literal('tool'), name, ...single }),
  ],
  { error: 'must be auto, any, tool or none' },
);
export type WireToolChoice = z.output<typeof toolChoice>;

const outputFormat = z.union([
  z.looseObject({ type: z.literal('json_schema'), schema: jsonObject }),
  unknownType(['json_schema'], 'must be json_schema'),
]);

const thinking = z.union([
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('enabled'), budget_tokens: z.int().positive() }),
    z.looseObject({ type: z.enum(['adaptive', 'disabled']) }),
  ]),
  unknownType(['enabled', 'adaptive', 'disabled'], 'must be enabled, adaptive or disabled'),
]);

const fields = {
  model: text.min(1, 'must name a model'),
  provider: optionalText,
  messages: filledList(message, 'must hold at least one message', LIST_LIMITS.messages),
  system: z.union([text, list(textBlock)]).nullish(),
  tools: list(tool, LIST_LIMITS.tools).nullish(),
  tool_choice: toolChoice.nullish(),
  thinking: thinking.nullish(),
  output_config: z.looseObject({ effort: optionalText, format: outputFormat.nullish() }).nullish(),
};

export const messagesRequest = z.looseObject({
  ...fields,
  // Zero only warms the cache.
  max_tokens: z.int('must be a whole number').nonnegative(),
  stream: flag,
  temperature: number,
  top_p: number,
  top_k: z.int().nonnegative().nullish(),
  stop_sequences: list(text).nullish(),
  metadata: z.looseObject({ user_id: optionalText }).nullish(),
  service_tier: optionalText,
});
export type MessagesRequest = z.output<typeof messagesRequest>;

/** The request without its answer parameters, for counting tokens. */
export const tokenCountRequest = z.looseObject(fields);
export type TokenCountRequest = z.output<typeof tokenCountRequest>;
