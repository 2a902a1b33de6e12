// Whole exchanges between this format and the others, in both directions, as the gateway does them.
import { geminiGenerate, geminiGenerateArray } from '.';
import { createTranslation } from '../../operations/passage';
import { anthropicMessages } from '../anthropic-messages';
import type { Format, ReplyContext, TargetContext } from '../format';
import type { JsonObject } from '../normalised';
import { openaiChat } from '../openai-chat';

const context: ReplyContext = {
  requestId: 'r1',
  provider: 'provider_c',
  model: 'asked',
  createdAtS: 5,
  includeUsage: true,
};

function send(from: Format, to: Format, body: JsonObject, target: Partial<TargetContext> = {}) {
  const whole: TargetContext = {
    providerType: to === geminiGenerate ? 'PROVIDER_C' : 'PROVIDER_A',
    model: to === geminiGenerate ? 'gemini-3-flash' : 'up',
    strict: false,
    ...target,
  };
  return to.encodeRequest(from.decodeRequest(body, { model: 'asked' }), whole);
}

function reply(from: Format, to: Format, body: JsonObject): JsonObject {
  const written = to.encodeResponse(from.decodeResponse(body), context);
  return JSON.parse(JSON.stringify(written)) as JsonObject;
}

function pass(from: Format, to: Format, text: string) {
  const passage = createTranslation(to, from, context);
  const parts = [...passage.push(Buffer.from(text)), ...passage.finish()];
  return { text: Buffer.concat(parts).toString(), report: passage.report };
}

const dataIn = (text: string): JsonObject[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as JsonObject);

const weather = { type: 'object', properties: { city: { type: 'string' } } };

describe('a chat client of this upstream', () => {
  test('the request keeps every field that the formats share', () => {
    const { body, dropped } = send(openaiChat, geminiGenerate, {
      model: 'chat',
      messages: [
        { role: 'system', content: 'Be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { type: 'image_url', image_url: { url: 'https://example.com/a.webp' } },
            { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
            {
              type: 'file',
              file: { file_data: 'data:application/pdf;base64,AA', filename: 'a.pdf' },
            },
          ],
        },
        { role: 'assistant', content: null, refusal: 'I will not.' },
        { role: 'user', content: 'Please' },
      ],
      tools: [
        { type: 'function', function: { name: 'weather', parameters: weather, strict: true } },
      ],
      tool_choice: 'auto',
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: weather } },
      reasoning_effort: 'high',
      stop: 'END',
      temperature: 1,
      max_completion_tokens: 100,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(dropped).toEqual(['messages[1].file.filename']);
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief' }] },
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'Look' },
            { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
            { fileData: { mimeType: 'image/webp', fileUri: 'https://example.com/a.webp' } },
            { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } },
            { inlineData: { mimeType: 'application/pdf', data: 'AA' } },
          ],
        },
        { role: 'model', parts: [{ text: 'I will not.' }] },
        { role: 'user', parts: [{ text: 'Please' }] },
      ],
      tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: weather }] }],
      toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } },
      generationConfig: {
        temperature: 1,
        stopSequences: ['END'],
        responseMimeType: 'application/json',
        responseJsonSchema: weather,
        maxOutputTokens: 100,
        thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true },
      },
    });
  });

  const parts = [
    { text: 'Where? "é" 🦊', thought: true },
    { text: 'Let me see.' },
    {
      functionCall: { id: 'fc1', name: 'weather', args: { city: 'Köln' } },
      thoughtSignature: 'c2VhbA==',
    },
    { functionCall: { id: 'fc2', name: 'weather', args: { city: 'Bonn' } } },
  ];
  const usageMetadata = {
    promptTokenCount: 20,
    cachedContentTokenCount: 5,
    candidatesTokenCount: 6,
    thoughtsTokenCount: 10,
    totalTokenCount: 36,
  };

  test('the client gets an answer, calls a tool and returns everything, byte for byte', () => {
    const said = reply(geminiGenerate, openaiChat, {
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
      usageMetadata,
      responseId: 'r1',
      modelVersion: 'gemini-3-flash',
    });
    expect(said).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: { content: 'Let me see.', reasoning_content: 'Where? "é" 🦊' },
        },
      ],
      usage: {
        prompt_tokens: 20,
        completion_tokens: 16,
        prompt_tokens_details: { cached_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 10 },
      },
    });
    const [choice] = said['choices'] as { message: JsonObject }[];
    const { body } = send(openaiChat, geminiGenerate, {
      model: 'chat',
      messages: [
        { role: 'user', content: 'Weather?' },
        choice?.message,
        { role: 'tool', tool_call_id: 'fc1', content: '{"degrees":7}' },
        { role: 'tool', tool_call_id: 'fc2', content: 'rain' },
      ],
    });
    expect(body['contents']).toEqual([
      { role: 'user', parts: [{ text: 'Weather?' }] },
      { role: 'model', parts },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'fc1', name: 'weather', response: { degrees: 7 } } },
          { functionResponse: { id: 'fc2', name: 'weather', response: { output: 'rain' } } },
        ],
      },
    ]);
  });

  test('a stream says the same as the unary answer', () => {
    const frames = parts.map((part, at) => ({
      candidates: [
        {
          content: { role: 'model', parts: [part] },
          index: 0,
          ...(at === parts.length - 1 ? { finishReason: 'STOP' } : {}),
        },
      ],
      usageMetadata,
      responseId: 'r1',
    }));
    const bytes = frames.map((frame) => `data: ${JSON.stringify(frame)}\r\n\r\n`).join('');
    const { text, report } = pass(geminiGenerate, openaiChat, bytes);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(report).toMatchObject({
      terminal: true,
      stopReason: 'tool_calls',
      usage: { input: 15, cacheRead: 5, output: 16, reasoning: 10 },
    });
    const chunks = dataIn(text).flatMap(
      ({ choices }) => choices as { delta: JsonObject; finish_reason: unknown }[],
    );
    expect(chunks.flatMap(({ delta }) => delta['content'] || [])).toEqual(['Let me see.']);
    expect(chunks.flatMap(({ delta }) => delta['thinking_blocks'] ?? [])).toEqual([
      {
        type: 'thinking',
        thinking: 'Where? "é" 🦊',
        signature: expect.stringMatching(/^tollgate/) as string,
        index: 0,
      },
    ]);
    expect(chunks.at(-1)?.finish_reason).toBe('tool_calls');
  });

  test('the client gets the code that the vendor ran, and its result', () => {
    const ran = [
      { executableCode: { language: 'PYTHON', code: 'print("```")' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '```\n' } },
      { text: 'Done.' },
      { codeExecutionResult: { outcome: 'OUTCOME_FAILED' } },
    ];
    const wanted =
      '\n````python\nprint("```")\n````\n\n````\n```\n````\nDone.\n```\nOUTCOME_FAILED\n```\n';
    const answer = (parts: JsonObject[]) => ({
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
    });
    expect(reply(geminiGenerate, openaiChat, answer(ran))).toMatchObject({
      choices: [{ message: { content: wanted } }],
    });
    const bytes = ran.map((part) => `data: ${JSON.stringify(answer([part]))}\r\n\r\n`).join('');
    const deltas = dataIn(pass(geminiGenerate, openaiChat, bytes).text).flatMap(
      ({ choices }) => choices as { delta: { content?: string } }[],
    );
    expect(deltas.map(({ delta }) => delta.content ?? '').join('')).toBe(wanted);
  });

  test('the client gets an error for a truncated stream', () => {
    const piece = { candidates: [{ content: { parts: [{ text: 'Hel' }] } }] };
    const { text, report } = pass(geminiGenerate, openaiChat, `data: ${JSON.stringify(piece)}\n\n`);
    expect(text).not.toContain('[DONE]');
    expect(report).toMatchObject({ terminal: false, fault: 'EARLY_END' });
  });
});

describe('a client of this format', () => {
  const tools = [
    {
      functionDeclarations: [
        {
          name: 'weather',
          parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } } },
        },
      ],
    },
  ];
  const asked = { role: 'user', parts: [{ text: 'Weather?' }] };

  test('the request to a chat upstream keeps every field that the formats share', () => {
    const { body, dropped } = send(geminiGenerate, openaiChat, {
      systemInstruction: { parts: [{ text: 'Brief JSON' }] },
      contents: [
        {
          role: 'user',
          parts: [{ text: 'Look' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
        },
        { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Köln' } } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'weather', response: { output: 'rain' } } }],
        },
      ],
      tools,
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      generationConfig: {
        maxOutputTokens: 10,
        responseMimeType: 'application/json',
        thinkingConfig: { thinkingLevel: 'LOW' },
      },
    });
    expect(dropped).toEqual([]);
    expect(body).toEqual({
      model: 'up',
      messages: [
        { role: 'system', content: 'Brief JSON' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'call_1_0',
              type: 'function',
              function: { name: 'weather', arguments: '{"city":"Köln"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1_0', content: 'rain' },
      ],
      tools: [{ type: 'function', function: { name: 'weather', parameters: weather } }],
      tool_choice: 'required',
      response_format: { type: 'json_object' },
      reasoning_effort: 'low',
      max_completion_tokens: 10,
    });
  });

  const delta = (fields: JsonObject, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c1', model: 'm', choices: [{ index: 0, delta: fields, finish_reason: finish }] })}\n\n`;
  const chat =
    delta({ role: 'assistant', content: '' }) +
    delta({ content: 'So' }) +
    delta({
      tool_calls: [
        { index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a"' } },
      ],
    }) +
    delta({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }) +
    delta({}, 'tool_calls') +
    'data: {"id":"c1","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\ndata: [DONE]\n\n';

  test.each([geminiGenerate, geminiGenerateArray])(
    '$name: is streamed an answer of a chat upstream',
    (format) => {
      const { text, report } = pass(openaiChat, format, chat);
      const pieces = format === geminiGenerate ? dataIn(text) : (JSON.parse(text) as JsonObject[]);
      const parts = pieces.flatMap(
        ({ candidates }) =>
          (candidates as { content: { parts: JsonObject[] } }[])[0]?.content.parts ?? [],
      );
      expect(parts).toEqual([
        { text: 'So' },
        { functionCall: { id: 'c1', name: 'f', args: { a: 1 } } },
        { text: '' },
      ]);
      expect(pieces.at(-1)).toMatchObject({
        candidates: [{ finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 },
      });
      expect(report).toMatchObject({ terminal: true, stopReason: 'tool_calls' });
    },
  );

  test('sealed thinking returns to the provider that sealed it, byte for byte', () => {
    const content = [
      { type: 'thinking', thinking: 'Where? "é" 🦊', signature: 'c2VhbA==' },
      { type: 'redacted_thinking', data: 'c2VjcmV0' },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Köln' } },
    ];
    const said = reply(anthropicMessages, geminiGenerate, {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content,
      stop_reason: 'tool_use',
      usage: { input_tokens: 3, output_tokens: 4 },
    });
    const [candidate] = said['candidates'] as JsonObject[];
    const { body } = send(
      geminiGenerate,
      anthropicMessages,
      {
        contents: [
          asked,
          candidate?.['content'],
          {
            role: 'user',
            parts: [
              {
                functionResponse: { id: 'toolu_1', name: 'weather', response: { output: 'rain' } },
              },
            ],
          },
        ],
        tools,
      },
      { providerType: 'PROVIDER_B', model: 'claude-opus-4-5' },
    );
    expect(body['messages']).toEqual([
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'rain' }] },
    ]);
  });
});
