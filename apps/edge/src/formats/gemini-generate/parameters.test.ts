// Every parameter of a chat request, for each generation of the vendor's models.
import { geminiGenerate as format } from '.';
import type { TargetContext } from '../format';
import type { JsonObject } from '../normalised';
import { openaiChat } from '../openai-chat';

const messages = [{ role: 'user', content: 'Hi' }];
const target: TargetContext = {
  providerType: 'PROVIDER_C',
  model: 'gemini-3-flash',
  strict: false,
};

function send(parameters: JsonObject, model = 'gemini-3-flash') {
  const request = openaiChat.decodeRequest({ model: 'm', messages, ...parameters }, {});
  const { body, dropped } = format.encodeRequest(request, { ...target, model });
  const { contents: _, ...rest } = body;
  return { ...rest, dropped };
}

const config = (generationConfig: JsonObject) => ({ generationConfig, dropped: [] });

test.each<[JsonObject, JsonObject]>([
  [{ temperature: 0.5, top_p: 0.9, top_k: 3 }, config({ temperature: 0.5, topP: 0.9, topK: 3 })],
  [{ stop: 'END' }, config({ stopSequences: ['END'] })],
  [
    { presence_penalty: 1, frequency_penalty: -1 },
    config({ presencePenalty: 1, frequencyPenalty: -1 }),
  ],
  [{ seed: 7 }, config({ seed: 7 })],
  [{ seed: 2 ** 40 }, { dropped: ['seed'] }],
  [{ n: 2 }, config({ candidateCount: 2 })],
  [{ max_tokens: 10 }, config({ maxOutputTokens: 10 })],
  [{ logprobs: true, top_logprobs: 2 }, config({ responseLogprobs: true, logprobs: 2 })],
  [{ logit_bias: { 5: 1 } }, { dropped: ['logit_bias'] }],
  [{ response_format: { type: 'text' } }, config({ responseMimeType: 'text/plain' })],
  [{ response_format: { type: 'json_object' } }, config({ responseMimeType: 'application/json' })],
  [
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', schema: { type: 'object', additionalProperties: false } },
      },
    },
    config({
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object', additionalProperties: false },
    }),
  ],
  [{ modalities: ['text'] }, { dropped: [] }],
  [
    { modalities: ['audio'], audio: { voice: 'Kore', format: 'pcm16' } },
    config({
      responseModalities: ['AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
    }),
  ],
  [
    { audio: { voice: 'Kore', format: 'mp3' } },
    {
      generationConfig: {
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      },
      dropped: ['audio.format'],
    },
  ],
  [
    { metadata: { team: 'a-1', Owner: 'x', note: 'Not a label' } },
    { labels: { team: 'a-1' }, dropped: ['metadata.Owner', 'metadata.note'] },
  ],
  [{ user: 'u1' }, { dropped: ['user'] }],
  [{ service_tier: 'flex' }, { serviceTier: 'flex', dropped: [] }],
  [{ service_tier: 'auto' }, { dropped: [] }],
  [{ service_tier: 'scale' }, { dropped: ['service_tier'] }],
  [{ verbosity: 'low', store: true }, { dropped: ['verbosity', 'store'] }],
])('%j', (parameters, sent) => {
  expect(send(parameters)).toEqual(sent);
});

const thinking = (thinkingConfig: JsonObject, ...dropped: string[]) => ({
  generationConfig: { thinkingConfig },
  dropped,
});
const shown = { includeThoughts: true };

test.each<[string, string, JsonObject]>([
  ['low', 'gemini-3-flash', thinking({ thinkingLevel: 'LOW', ...shown })],
  ['medium', 'gemini-flash-latest', thinking({ thinkingLevel: 'MEDIUM', ...shown })],
  ['high', 'gemini-3.1-pro-preview', thinking({ thinkingLevel: 'HIGH', ...shown })],
  ['xhigh', 'gemini-3-flash', thinking({ thinkingLevel: 'HIGH', ...shown }, 'reasoning_effort')],
  ['minimal', 'gemini-3-flash', thinking({ thinkingLevel: 'MINIMAL', ...shown })],
  [
    'minimal',
    'gemini-3-pro-preview',
    thinking({ thinkingLevel: 'LOW', ...shown }, 'reasoning_effort'),
  ],
  ['none', 'gemini-3-flash', thinking({ thinkingLevel: 'MINIMAL' }, 'reasoning_effort')],
  ['none', 'gemini-2.5-flash', thinking({ thinkingBudget: 0 })],
  ['none', 'gemini-2.5-pro', thinking({ thinkingBudget: 128 }, 'reasoning_effort')],
  ['medium', 'gemini-3-pro', thinking({ thinkingLevel: 'LOW', ...shown }, 'reasoning_effort')],
  ['low', 'gemini-2.5-pro', thinking({ thinkingBudget: 2_048, ...shown })],
  ['high', 'gemini-2.5-flash', thinking({ thinkingBudget: 16_384, ...shown })],
  ['max', 'gemini-2.5-pro', thinking({ thinkingBudget: 32_768, ...shown })],
  ['max', 'gemini-2.5-flash', thinking({ thinkingBudget: 24_576, ...shown }, 'reasoning_effort')],
  ['none', 'gemini-2.0-flash', { dropped: [] }],
  ['high', 'gemini-2.0-flash', { dropped: ['reasoning_effort'] }],
  ['high', 'gemma-3-27b-it', { dropped: ['reasoning_effort'] }],
  ['much', 'gemini-3-flash', { dropped: ['reasoning_effort'] }],
])('the effort %s for %s', (reasoning_effort, model, sent) => {
  const { generationConfig, dropped } = send({ reasoning_effort }, model) as JsonObject;
  expect({ ...(generationConfig ? { generationConfig } : {}), dropped }).toEqual(sent);
});

test.each<[number, string, JsonObject | undefined, string[]]>([
  [2_000, 'gemini-2.5-flash', { thinkingBudget: 2_000, ...shown }, []],
  [2_000, 'gemini-3-flash', { thinkingBudget: 2_000, ...shown }, []],
  [-1, 'gemini-2.5-flash', { thinkingBudget: -1, ...shown }, []],
  [-1, 'gemini-3-flash', { thinkingBudget: -1, ...shown }, []],
  [0, 'gemini-2.5-flash', { thinkingBudget: 0 }, []],
  [0, 'gemini-2.5-pro', { thinkingBudget: 128 }, ['thinking']],
  [40_000, 'gemini-2.5-flash', { thinkingBudget: 24_576, ...shown }, ['thinking']],
  [100, 'gemini-2.5-flash-lite', { thinkingBudget: 512, ...shown }, ['thinking']],
  [0, 'gemini-3-pro', { thinkingLevel: 'LOW' }, ['thinking']],
  [9, 'gemini-2.0-flash', undefined, ['thinking']],
])('the bound %d for %s', (tokens, model, sent, dropped) => {
  const request = openaiChat.decodeRequest({ model: 'm', messages }, {});
  request.reasoningBudget = { tokens, path: 'thinking' };
  request.extras['thinking'] = {};
  const encoded = format.encodeRequest(request, { ...target, model });
  expect(encoded.body['generationConfig']).toEqual(sent && { thinkingConfig: sent });
  expect(encoded.dropped).toEqual(dropped);
});

const look = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };
const now = { type: 'function', function: { name: 'now' } };
const named = { type: 'function', function: { name: 'look' } };
const declared = [
  {
    functionDeclarations: [
      { name: 'look', parametersJsonSchema: { type: 'object' } },
      { name: 'now' },
    ],
  },
];
const allowed = (mode: string) => ({
  type: 'allowed_tools',
  allowed_tools: { mode, tools: [named] },
});

test.each<[unknown, JsonObject | undefined]>([
  [undefined, undefined],
  ['auto', { mode: 'AUTO' }],
  ['none', { mode: 'NONE' }],
  ['required', { mode: 'ANY' }],
  [named, { mode: 'ANY', allowedFunctionNames: ['look'] }],
  [allowed('required'), { mode: 'ANY', allowedFunctionNames: ['look'] }],
  [allowed('auto'), { mode: 'VALIDATED', allowedFunctionNames: ['look'] }],
])('the tool choice %j', (tool_choice, functionCallingConfig) => {
  expect(send({ tools: [look, now], tool_choice })).toEqual({
    tools: declared,
    ...(functionCallingConfig ? { toolConfig: { functionCallingConfig } } : {}),
    dropped: [],
  });
});

test('tools without a counterpart are reported as dropped', () => {
  const custom = { type: 'custom', custom: { name: 'free' } };
  const sent = send({
    tools: [look, custom, now],
    tool_choice: { type: 'custom', custom: { name: 'free' } },
    parallel_tool_calls: false,
  });
  expect(sent).toEqual({
    tools: declared,
    dropped: ['tools[1]', 'parallel_tool_calls', 'tool_choice'],
  });
  expect(send({ tools: [custom], tool_choice: 'required' })).toEqual({
    dropped: ['tools[0]', 'tool_choice'],
  });
});

test('a strict tool keeps its schema enforced where the vendor has a mode for it', () => {
  const strict = { type: 'function', function: { name: 'look', strict: true } };
  expect(send({ tools: [strict] })).toMatchObject({
    toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } },
    dropped: [],
  });
  expect(send({ tools: [strict], tool_choice: 'required' })).toMatchObject({
    toolConfig: { functionCallingConfig: { mode: 'ANY' } },
  });
  expect(send({ tools: [strict] }, 'gemini-2.0-flash')).toMatchObject({
    dropped: ['tools[0].strict'],
  });
});

test('the detail level of images is sent if all images have the same one', () => {
  const picture = (detail: string) => ({
    type: 'image_url',
    image_url: { url: 'data:image/png;base64,AAAA', detail },
  });
  const ask = (...details: string[]) =>
    send({ messages: [{ role: 'user', content: details.map(picture) }] });
  expect(ask('low', 'low')).toEqual(config({ mediaResolution: 'MEDIA_RESOLUTION_LOW' }));
  expect(ask('auto')).toEqual({ dropped: [] });
  expect(ask('low', 'high')).toEqual({ dropped: ['messages[0].image.detail'] });
});

test.each<[JsonObject, JsonObject]>([
  [
    { type: 'STRING', nullable: true, enum: ['a'] },
    { type: ['string', 'null'], enum: ['a', null] },
  ],
  [
    {
      type: 'OBJECT',
      properties: {
        type: { type: 'INTEGER', format: 'int32' },
        list: { type: 'ARRAY', items: { type: 'STRING' }, minItems: '2' },
      },
      required: ['type'],
      propertyOrdering: ['list', 'type'],
    },
    {
      type: 'object',
      properties: {
        type: { type: 'integer', format: 'int32' },
        list: { type: 'array', items: { type: 'string' }, minItems: 2 },
      },
      required: ['type'],
    },
  ],
  [
    { any_of: [{ type: 'NUMBER' }, { type: 'TYPE_UNSPECIFIED' }], nullable: true },
    { anyOf: [{ type: 'number' }, {}, { type: 'null' }] },
  ],
])('the older schema dialect is decoded: %j', (schema, read) => {
  const { tools, responseFormat } = format.decodeRequest(
    {
      contents: [{ parts: [{ text: 'Hi' }] }],
      tools: [{ functionDeclarations: [{ name: 'f', parameters: schema }] }],
      generationConfig: { responseMimeType: 'application/json', responseSchema: schema },
    },
    { model: 'm' },
  );
  expect(tools).toEqual([{ kind: 'function', name: 'f', parameters: read }]);
  expect(responseFormat).toEqual({ type: 'json_schema', name: 'answer', schema: read });
});
