import { GatewayError } from '@tollgate/contracts';

import {
  decodeTokenCount,
  decodeTokenCountRequest,
  encodeTokenCount,
  encodeTokenCountRequest,
  geminiGenerate as format,
} from '.';
import type { TargetContext } from '../format';
import type { JsonObject } from '../normalised';
import { openaiChat } from '../openai-chat';

const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
const context = { model: 'chat', stream: false };
const target: TargetContext = {
  providerType: 'PROVIDER_C',
  model: 'gemini-3-flash',
  strict: false,
};
const decode = (body: JsonObject) => format.decodeRequest(body, context);

function refusal(run: () => unknown): GatewayError {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

const part = (value: unknown) => ({ contents: [{ parts: [value] }] });
const config = (generationConfig: unknown) => ({ contents, generationConfig });

test.each([
  [{}, 'contents'],
  [{ contents: [] }, 'contents'],
  [{ contents: 'Hi' }, 'contents'],
  [{ contents: ['Hi'] }, 'contents[0]'],
  [{ contents: [{ role: 'assistant', parts: [] }] }, 'contents[0].role'],
  [part({ text: 5 }), 'contents[0].parts[0].text'],
  [part({ inlineData: { data: 'AA==' } }), 'contents[0].parts[0].inlineData.mimeType'],
  [part({ inline_data: { mime_type: 'image/png' } }), 'contents[0].parts[0].inlineData.data'],
  [part({ functionCall: { args: {} } }), 'contents[0].parts[0].functionCall.name'],
  [part({ functionCall: { name: 'f', args: [] } }), 'contents[0].parts[0].functionCall.args'],
  [part({ fileData: {} }), 'contents[0].parts[0].fileData.fileUri'],
  [{ contents, systemInstruction: 'Be brief.' }, 'systemInstruction'],
  [{ contents, tools: [{ functionDeclarations: [{}] }] }, 'tools[0].functionDeclarations[0].name'],
  [
    { contents, toolConfig: { functionCallingConfig: { mode: 'MAYBE' } } },
    'toolConfig.functionCallingConfig.mode',
  ],
  [config({ temperature: 'hot' }), 'generationConfig.temperature'],
  [config({ maxOutputTokens: 0 }), 'generationConfig.maxOutputTokens'],
  [config({ max_output_tokens: 1.5 }), 'generationConfig.maxOutputTokens'],
  [config({ candidateCount: 0 }), 'generationConfig.candidateCount'],
  [config({ stopSequences: 'END' }), 'generationConfig.stopSequences'],
  [
    config({ thinkingConfig: { thinkingBudget: 'x' } }),
    'generationConfig.thinkingConfig.thinkingBudget',
  ],
])('%j is refused for %s', (body, param) => {
  const error = refusal(() => decode(body));
  expect(error).toMatchObject({ code: 'invalid_request', status: 400, param });
});

test('the path sets the model and streaming; without a path the body may', () => {
  expect(format.decodeRequest({ contents }, { model: 'a/b:c', stream: true })).toMatchObject({
    model: 'a/b:c',
    stream: true,
    includeUsage: true,
  });
  expect(format.decodeRequest({ contents, model: 'models/m' }, {}).model).toBe('m');
  expect(refusal(() => format.decodeRequest({ contents }, {})).param).toBe('model');
});

test.each([
  [
    { generation_config: { maxOutputTokens: 50 }, generationConfig: { maxOutputTokens: 5 } },
    'generation_config',
  ],
  [{ generationConfig: { candidate_count: 4, candidateCount: 1 } }, 'candidate_count'],
])('a field in both spellings at once is refused: %j', (fields, param) => {
  const error = refusal(() => decode({ contents, ...fields }));
  expect(error).toMatchObject({ code: 'invalid_request', param });
});

test('both spellings of a field, a single value for a list, and null for absent are equivalent', () => {
  const camel = {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }],
    generationConfig: {
      maxOutputTokens: 5,
      topK: 3,
      thinkingConfig: { thinkingBudget: 0 },
      responseMimeType: 'application/json',
    },
    tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { some_key: 1 } }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
  };
  const snake = {
    system_instruction: { parts: { text: 'Be brief.' } },
    contents: {
      role: 'user',
      parts: { inline_data: { mime_type: 'image/png', data: 'AAAA' }, thought: null },
    },
    generation_config: {
      max_output_tokens: '5',
      top_k: 3,
      thinking_config: { thinking_budget: 0 },
      response_mime_type: 'application/json',
      seed: null,
    },
    tools: { function_declarations: { name: 'f', parameters_json_schema: { some_key: 1 } } },
    tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } },
    safety_settings: null,
  };
  expect({ ...decode(snake), raw: undefined }).toEqual({ ...decode(camel), raw: undefined });
});

describe('passed on in its own format', () => {
  const relay = (body: JsonObject, over: Partial<TargetContext> = {}) =>
    format.encodeRequest(decode(body), { ...target, ...over });

  test('every field except the pin stays unchanged', () => {
    const body = {
      provider: 'provider_c',
      contents: [{ parts: [{ text: 'x', thoughtSignature: 'c2VhbA==', tomorrow: { a: [1] } }] }],
      safetySettings: [{ category: 'HARM', threshold: 'NONE' }],
      cachedContent: 'cachedContents/1',
      tools: [{ googleSearch: {} }],
    };
    const { provider: _, ...rest } = body;
    expect(relay(body, { strict: true })).toEqual({ body: rest, dropped: [] });
  });

  test.each([
    [{ contents }, { contents, generationConfig: { maxOutputTokens: 9 } }],
    [
      { contents, generation_config: { max_output_tokens: 5, top_k: 1 } },
      { contents, generation_config: { max_output_tokens: 9, top_k: 1 } },
    ],
    [
      { contents, model: 'models/chat', generationConfig: { maxOutputTokens: 20 } },
      { contents, model: 'models/up', generationConfig: { maxOutputTokens: 9 } },
    ],
  ])('the held bound is sent in the client’s spelling: %j', (body, sent) => {
    expect(relay(body, { model: 'up', maxOutputTokens: 9 }).body).toEqual(sent);
  });
});

describe('dropped fields are reported in the client’s spelling', () => {
  const body = {
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'Hi', partMetadata: { a: 1 } },
          { fileData: { fileUri: 'gs://bucket/film.mp4', mimeType: 'video/mp4' } },
        ],
      },
      { role: 'model', parts: [{ executableCode: { language: 'PYTHON', code: '1' } }] },
    ],
    tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'f', behavior: 'BLOCKING' }] }],
    toolConfig: { retrievalConfig: {} },
    generationConfig: {
      topK: 5,
      thinkingConfig: { thinkingBudget: 64 },
      audioTimestamp: true,
      responseModalities: ['TEXT'],
    },
    safety_settings: [{ category: 'HARM' }],
    cachedContent: 'cachedContents/1',
    serviceTier: 'flex',
  };
  const dropped = [
    'contents[0].parts[0].partMetadata',
    'tools[0].googleSearch',
    'tools[1].functionDeclarations[0].behavior',
    'toolConfig.retrievalConfig',
    'generationConfig.thinkingConfig.thinkingBudget',
    'generationConfig.audioTimestamp',
    'safety_settings',
    'cachedContent',
  ];

  test('a field among the extras is reported', () => {
    expect(Object.keys(decode(body).extras).sort()).toEqual([...dropped].sort());
  });

  test('a strict request is refused for the first of them', () => {
    const { cachedContent: _, ...rest } = body;
    const strict = { ...target, providerType: 'PROVIDER_A' as const, strict: true };
    const error = refusal(() => openaiChat.encodeRequest(decode(rest), strict));
    expect(error).toMatchObject({ code: 'unsupported_parameter', param: 'safety_settings' });
  });

  test.each(['cachedContent', 'cached_content'])(
    'without %s the request would mean something else, so it is refused, strict or not',
    (param) => {
      const kept = { contents, [param]: 'cachedContents/1' };
      const error = refusal(() => openaiChat.encodeRequest(decode(kept), target));
      expect(error).toMatchObject({ code: 'unsupported_parameter', param });
    },
  );
});

describe('counting', () => {
  test('the request may be nested in the body', () => {
    const whole = { model: 'models/chat', contents, systemInstruction: { parts: [{ text: 'S' }] } };
    const body = { generateContentRequest: whole };
    const request = decodeTokenCountRequest(body, context);
    expect(request.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(encodeTokenCountRequest(request, target).body).toEqual({
      generateContentRequest: { ...whole, model: 'models/gemini-3-flash' },
    });
  });

  test('a request of another format is counted as a whole', () => {
    const request = openaiChat.decodeRequest(
      { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
      {},
    );
    expect(encodeTokenCountRequest(request, { ...target, maxOutputTokens: 5 }).body).toEqual({
      generateContentRequest: { model: 'models/gemini-3-flash', contents },
    });
  });

  test('the count is decoded and encoded', () => {
    expect(decodeTokenCount(encodeTokenCount(7))).toBe(7);
    expect(decodeTokenCount({})).toBe(0);
    expect(refusal(() => decodeTokenCount([])).code).toBe('upstream_error');
    expect(refusal(() => decodeTokenCount({ totalTokens: 'x' })).code).toBe('upstream_error');
  });
});
