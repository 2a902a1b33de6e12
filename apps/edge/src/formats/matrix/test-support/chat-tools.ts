// The tools of a chat request, the tool choice, and the response format.

import type {
  ChatCompletionCreateParamsBase,
  ChatCompletionTool,
  ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions/completions';
import type { FunctionDefinition, ResponseFormatJSONSchema } from 'openai/resources/shared';

import { row } from './chat';
import { ANYWAY, declared, honoured, type KindOf, type Rows } from './matrix';
import { CHOICE, FORM, FUNCTION_DECLARED } from './outcomes';

type Parameters = ChatCompletionCreateParamsBase;

export const fn = { name: 'f', parameters: { type: 'object', properties: {} } };
export const tools: ChatCompletionTool[] = [{ type: 'function', function: fn }];
const custom = { name: 'c', description: 'Free text.', format: { type: 'text' as const } };

export const CHAT_TOOLS = {
  function: row({ tools })({
    ...FUNCTION_DECLARED,
  }),
  custom: row({ tools: [...tools, { type: 'custom', custom }] })({
    responses: honoured({
      '/tools': [
        {
          type: 'function',
          name: 'f',
          parameters: { type: 'object', properties: {} },
          strict: false,
        },
        { type: 'custom', name: 'c', description: 'Free text.', format: { type: 'text' } },
      ],
    }),
    messages: honoured(
      { '/tools': [{ name: 'f', input_schema: { type: 'object', properties: {} } }] },
      'tools[1]',
    ),
    gemini: honoured(
      {
        '/tools': [
          {
            functionDeclarations: [
              { name: 'f', parametersJsonSchema: { type: 'object', properties: {} } },
            ],
          },
        ],
      },
      'tools[1]',
    ),
  }),
} satisfies Record<ChatCompletionTool['type'], Rows>;

const declare = (fields: Partial<FunctionDefinition>): Partial<Parameters> => ({
  tools: [{ type: 'function', function: { ...fn, ...fields } }],
});

export const CHAT_FUNCTIONS = {
  name: row(declare({ name: 'g' }), { tools })({
    responses: honoured({ '/tools/0/name': 'g' }),
    messages: honoured({ '/tools/0/name': 'g' }),
    gemini: honoured({ '/tools/0/functionDeclarations/0/name': 'g' }),
  }),
  description: row(declare({ description: 'Does it.' }), { tools })({
    responses: honoured({ '/tools/0/description': 'Does it.' }),
    messages: honoured({ '/tools/0/description': 'Does it.' }),
    gemini: honoured({ '/tools/0/functionDeclarations/0/description': 'Does it.' }),
  }),
  parameters: row(
    declare({ parameters: { type: 'object', properties: { a: { type: 'string' } } } }),
    { tools },
  )({
    responses: honoured({ '/tools/0/parameters/properties/a': { type: 'string' } }),
    messages: honoured({ '/tools/0/input_schema/properties/a': { type: 'string' } }),
    gemini: honoured({
      '/tools/0/functionDeclarations/0/parametersJsonSchema/properties/a': { type: 'string' },
    }),
  }),
  strict: row(declare({ strict: true }), { tools })({
    responses: honoured({ '/tools/0/strict': true }),
    messages: honoured({
      '/tools/0/strict': true,
      '/tools/0/input_schema/additionalProperties': false,
    }),
    gemini: honoured({ '/toolConfig': { functionCallingConfig: { mode: 'VALIDATED' } } }),
  }),
} satisfies Record<keyof FunctionDefinition, Rows>;

type Choice =
  Extract<ChatCompletionToolChoiceOption, string> | KindOf<ChatCompletionToolChoiceOption>;
const reference = { type: 'function' as const, function: { name: 'f' } };

export const CHAT_TOOL_CHOICES = {
  none: row(
    { tool_choice: 'none' },
    { tools },
  )({
    responses: honoured({ '/tool_choice': 'none' }),
    ...CHOICE.none,
  }),
  auto: row(
    { tool_choice: 'auto' },
    { tools },
  )({
    responses: honoured({ '/tool_choice': 'auto' }),
    ...CHOICE.auto,
  }),
  required: row(
    { tool_choice: 'required' },
    { tools },
  )({
    responses: honoured({ '/tool_choice': 'required' }),
    ...CHOICE.required,
  }),
  function: row(
    { tool_choice: reference },
    { tools },
  )({
    responses: honoured({ '/tool_choice': { type: 'function', name: 'f' } }),
    ...CHOICE.function,
  }),
  custom: row(
    {
      tools: [...tools, { type: 'custom', custom }],
      tool_choice: { type: 'custom', custom: { name: 'c' } },
    },
    { tools },
  )({
    responses: honoured({
      '/tools/1': {
        type: 'custom',
        name: 'c',
        description: 'Free text.',
        format: { type: 'text' },
      },
      '/tool_choice': { type: 'custom', name: 'c' },
    }),
    messages: declared('tools[1]', 'tool_choice'),
    gemini: declared('tools[1]', 'tool_choice'),
  }),
  allowed_tools: [
    row(
      {
        tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [reference] } },
      },
      { tools: [...tools, { type: 'function', function: { name: 'g' } }] },
    )({
      responses: honoured({
        '/tool_choice': {
          type: 'allowed_tools',
          mode: 'auto',
          tools: [{ type: 'function', name: 'f' }],
        },
      }),
      messages: honoured({ '/tools/1': undefined, '/tool_choice': { type: 'auto' } }),
      gemini: honoured({
        '/toolConfig': {
          functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
        },
      }),
    }),
    row(
      {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'required', tools: [reference] },
        },
      },
      { tools: [...tools, { type: 'function', function: { name: 'g' } }] },
    )({
      responses: honoured({
        '/tool_choice': {
          type: 'allowed_tools',
          mode: 'required',
          tools: [{ type: 'function', name: 'f' }],
        },
      }),
      messages: honoured({ '/tools/1': undefined, '/tool_choice': { type: 'any' } }),
      gemini: honoured({
        '/toolConfig': { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      }),
    }),
  ],
} satisfies Record<Choice, Rows>;

const schema = { type: 'object', properties: { a: { type: 'string' } } };
const form = (json_schema: ResponseFormatJSONSchema.JSONSchema): Partial<Parameters> => ({
  response_format: { type: 'json_schema', json_schema },
});

export const CHAT_RESPONSE_FORMATS = {
  text: row({ response_format: { type: 'text' } })({
    ...FORM.text,
  }),
  json_object: row({ response_format: { type: 'json_object' } })({
    ...FORM.json_object,
  }),
  json_schema: row(form({ name: 'a', schema }))({
    ...FORM.json_schema,
  }),
} satisfies Record<NonNullable<Parameters['response_format']>['type'], Rows>;

export const CHAT_JSON_SCHEMA = {
  name: row(
    form({ name: 'b', schema }),
    form({ name: 'a', schema }),
  )({ responses: honoured({ '/text/format/name': 'b' }), messages: ANYWAY, gemini: ANYWAY }),
  description: row(
    form({ name: 'a', schema, description: 'An answer.' }),
    form({ name: 'a', schema }),
  )({
    responses: honoured({ '/text/format/description': 'An answer.' }),
    messages: declared('response_format.json_schema.description'),
    gemini: honoured({ '/generationConfig/responseJsonSchema/description': 'An answer.' }),
  }),
  schema: row(form({ name: 'a' }))({
    responses: honoured({ '/text': { format: { type: 'json_schema', name: 'a', schema: {} } } }),
    messages: FORM.json_object.messages,
    gemini: honoured({ '/generationConfig': { responseMimeType: 'application/json' } }),
  }),
  strict: row(
    form({ name: 'a', schema, strict: true }),
    form({ name: 'a', schema }),
  )({ responses: honoured({ '/text/format/strict': true }), messages: ANYWAY, gemini: ANYWAY }),
} satisfies Record<keyof ResponseFormatJSONSchema.JSONSchema, Rows>;
