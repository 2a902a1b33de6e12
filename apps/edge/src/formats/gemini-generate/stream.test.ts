import { emptyUsage } from '@tollgate/contracts';

import { geminiGenerateArray as arrayFormat, geminiGenerate as format } from '.';
import type { ReplyContext } from '../format';
import type { JsonObject, StreamEvent } from '../normalised';

const piece = (fields: JsonObject): string =>
  `data: ${JSON.stringify({ ...fields, modelVersion: 'm', responseId: 'r1' })}\r\n\r\n`;
const candidate = (parts: JsonObject[], finishReason?: string, index?: number): JsonObject => ({
  content: { parts, role: 'model' },
  ...(finishReason ? { finishReason } : {}),
  ...(index === undefined ? {} : { index }),
});
const said = (...candidates: JsonObject[]): string => piece({ candidates });

function decode(text: string): StreamEvent[] {
  const decoder = format.createStreamDecoder();
  return [...decoder.push(Buffer.from(text)), ...decoder.finish()];
}

const context: ReplyContext = {
  requestId: 'req-1',
  provider: 'provider_a',
  model: 'chat',
  createdAtS: 5,
  includeUsage: true,
};

function encode(events: StreamEvent[], written = format, over: Partial<ReplyContext> = {}): string {
  const encoder = written.createStreamEncoder({ ...context, ...over });
  return events.map((event) => encoder.encode(event)).join('');
}

const framesOf = (text: string): JsonObject[] =>
  text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as JsonObject);

const end: StreamEvent[] = [
  { type: 'stop', choice: 0, reason: 'stop', rawReason: 'stop' },
  { type: 'end' },
];

describe('decoded', () => {
  test('a stream is complete if every candidate has stopped when it closes', () => {
    const text = said(candidate([{ text: 'a' }])) + said(candidate([{ text: 'b' }], 'STOP'));
    expect(decode(text)).toEqual([
      { type: 'start', id: 'r1', model: 'm' },
      { type: 'text', choice: 0, text: 'a' },
      { type: 'text', choice: 0, text: 'b' },
      { type: 'stop', choice: 0, reason: 'stop', rawReason: 'STOP' },
      { type: 'end' },
    ]);
  });

  test.each([
    ['', 'EARLY_END'],
    [said(candidate([{ text: 'a' }])), 'EARLY_END'],
    [said(candidate([{ text: 'a' }], 'FINISH_REASON_UNSPECIFIED')), 'EARLY_END'],
    [
      said(candidate([{ text: 'a' }], 'STOP', 0), candidate([{ text: 'b' }], undefined, 1)),
      'EARLY_END',
    ],
    [piece({ usageMetadata: { promptTokenCount: 5 } }), 'EARLY_END'],
    ['data: {"candidates"\n\n', 'INVALID_RESPONSE'],
    ['data: "message"\n\n', 'INVALID_RESPONSE'],
  ])('%j is not complete', (text, fault) => {
    expect(decode(text).at(-1)).toMatchObject({ type: 'error', fault });
  });

  test.each([
    [
      'a frame',
      'data: {"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}\n\n',
      'upstream_error',
    ],
    [
      'a frame of a list',
      'data: [{"error":{"code":503,"message":"Overloaded"}}]\n\n',
      'upstream_error',
    ],
    [
      'a bare object',
      '{\n "error": {\n  "code": 429,\n  "message": "Overloaded"\n }\n}\n\n',
      'upstream_rate_limited',
    ],
    [
      'a named event',
      'event: error\ndata: {"error":{"code":400,"message":"Overloaded"}}\n\n',
      'upstream_rejected',
    ],
  ])('an error as %s is decoded', (_, failure, code) => {
    const events = decode(said(candidate([{ text: 'a' }], 'STOP')) + failure);
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      fault: 'UPSTREAM_ERROR',
      error: { code, message: 'Overloaded' },
    });
    expect(events.filter(({ type }) => type === 'end')).toEqual([]);
  });

  test('a blocked prompt is an empty answer with the stop reason content_filter', () => {
    expect(decode(piece({ promptFeedback: { blockReason: 'SAFETY' } }))).toEqual([
      { type: 'start', id: 'r1', model: 'm' },
      { type: 'stop', choice: 0, reason: 'content_filter', rawReason: 'SAFETY' },
      { type: 'end' },
    ]);
  });

  test('a blocked prompt reports its usage', () => {
    const usageMetadata = { promptTokenCount: 5, totalTokenCount: 5 };
    const events = decode(piece({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata }));
    expect(events.at(-2)).toMatchObject({
      type: 'usage',
      usage: { tokens: { input: 5, output: 0 } },
    });
  });

  test('calls come whole, after their seals, and get an id where they have none', () => {
    const text = said(
      candidate(
        [
          { text: 'Hm', thought: true },
          { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2VhbA==' },
          { functionCall: { id: 'own', name: 'g' } },
        ],
        'STOP',
      ),
    );
    expect(decode(text).slice(1, -1)).toEqual([
      { type: 'thinking', choice: 0, text: 'Hm' },
      {
        type: 'thinking',
        choice: 0,
        signature: 'c2VhbA==',
        sealedBy: 'gemini-generate',
        sealOn: 'call:call_r1_0_0',
      },
      { type: 'tool_start', choice: 0, tool: 0, kind: 'function', id: 'call_r1_0_0', name: 'f' },
      { type: 'tool_delta', choice: 0, tool: 0, arguments: '{"a":1}' },
      { type: 'tool_start', choice: 0, tool: 1, kind: 'function', id: 'own', name: 'g' },
      { type: 'tool_delta', choice: 0, tool: 1, arguments: '{}' },
      { type: 'stop', choice: 0, reason: 'tool_calls', rawReason: 'STOP' },
    ]);
  });

  test('citations span characters, also across pieces', () => {
    const groundingMetadata = {
      groundingChunks: [
        { web: { uri: 'https://a.example', title: 'A' } },
        { web: { uri: 'https://b.example' } },
      ],
      groundingSupports: [{ segment: { startIndex: 7, endIndex: 12 }, groundingChunkIndices: [0] }],
    };
    const text =
      said(candidate([{ text: 'Grü' }])) +
      said(candidate([{ text: 'ße 🦊' }])) +
      said({ ...candidate([], 'STOP'), groundingMetadata });
    expect(decode(text).filter(({ type }) => type === 'citation')).toEqual([
      {
        type: 'citation',
        choice: 0,
        citation: { url: 'https://a.example', title: 'A', startIndex: 5, endIndex: 8 },
      },
      { type: 'citation', choice: 0, citation: { url: 'https://b.example' } },
    ]);
  });

  test('counts are running totals, and input without output is reported at the start', () => {
    const usage = (fields: object) => ({ usageMetadata: { promptTokenCount: 5, ...fields } });
    const text =
      piece({ candidates: [candidate([{ text: 'a' }])], ...usage({}) }) +
      piece({ candidates: [candidate([{ text: 'b' }])], ...usage({ candidatesTokenCount: 1 }) }) +
      piece({ candidates: [candidate([], 'STOP')], ...usage({ candidatesTokenCount: 2 }) });
    const events = decode(text);
    expect(events[0]).toMatchObject({ type: 'start', inputUsage: { input: 5, output: 0 } });
    const counted = events.flatMap((event) =>
      event.type === 'usage' ? event.usage.outputTokens : [],
    );
    expect(counted).toEqual([1, 2]);
  });

  test('state per stream is bounded', () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      candidate([{ text: 'x' }], 'STOP', index),
    );
    const calls = Array.from({ length: 3_000 }, () => ({ functionCall: { name: 'f' } }));
    const events = decode(said(...many) + said(candidate(calls, 'STOP')));
    expect(events.filter(({ type }) => type === 'tool_start').length).toBeLessThanOrEqual(1_024);
    expect(events.filter(({ type }) => type === 'stop').length).toBeLessThanOrEqual(128);
  });
});

describe('encoded', () => {
  test('a piece is one data line, and the last one has the finish reason and the usage', () => {
    const tokens = { ...emptyUsage(), input: 5, output: 2 };
    const text = encode([
      { type: 'start', id: 'r1', model: 'm' },
      { type: 'text', choice: 0, text: 'a\u2028\u0085b' },
      { type: 'usage', usage: { tokens, inputTokens: 5, outputTokens: 2 } },
      ...end,
    ]);
    expect(text).toMatch(/^(data: [^\r\n\u0085\u2028\u2029]+\n\n){2}$/);
    const shared = {
      modelVersion: 'chat',
      createTime: '1970-01-01T00:00:05.000Z',
      responseId: 'r1',
    };
    expect(framesOf(text)).toEqual([
      {
        candidates: [{ content: { parts: [{ text: 'a\u2028\u0085b' }], role: 'model' }, index: 0 }],
        ...shared,
      },
      {
        candidates: [
          { content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'STOP', index: 0 },
        ],
        usageMetadata: {
          promptTokenCount: 5,
          candidatesTokenCount: 2,
          totalTokenCount: 7,
          promptTokensDetails: [{ modality: 'TEXT', tokenCount: 5 }],
        },
        ...shared,
      },
    ]);
  });

  const start = (tool: number, name: string): StreamEvent => ({
    type: 'tool_start',
    choice: 0,
    tool,
    kind: 'function',
    id: `c${tool}`,
    name,
  });
  const delta = (tool: number, text: string): StreamEvent => ({
    type: 'tool_delta',
    choice: 0,
    tool,
    arguments: text,
  });

  test('a call is written when it is complete, also if its arguments are interleaved', () => {
    const text = encode([start(0, 'f'), delta(0, '{"a"'), start(1, 'g'), delta(0, ':1}'), ...end]);
    expect(framesOf(text)[0]).toMatchObject({
      candidates: [
        {
          content: {
            parts: [
              { functionCall: { id: 'c0', name: 'f', args: { a: 1 } } },
              { functionCall: { id: 'c1', name: 'g', args: {} } },
            ],
          },
        },
      ],
    });
  });

  test('text after a call stays after it', () => {
    const text = encode([
      start(0, 'f'),
      delta(0, '{}'),
      { type: 'text', choice: 0, text: 'so' },
      ...end,
    ]);
    expect(text.indexOf('functionCall')).toBeLessThan(text.indexOf('"so"'));
  });

  test.each(['{"a"', '[]', 'x'])('broken arguments %s are reported, never a call', (broken) => {
    const text = encode([start(0, 'f'), delta(0, broken), ...end]);
    expect(text).not.toContain('functionCall"');
    expect(framesOf(text)).toMatchObject([
      {
        candidates: [
          {
            finishReason: 'MALFORMED_FUNCTION_CALL',
            finishMessage: expect.stringContaining('f') as string,
          },
        ],
      },
    ]);
  });

  test.each([
    ['length', 'MAX_TOKENS'],
    ['content_filter', 'SAFETY'],
    ['refusal', 'SAFETY'],
    ['tool_calls', 'STOP'],
    ['pause', 'OTHER'],
    ['error', 'OTHER'],
  ] as const)('the stop reason %s is encoded as %s', (reason, word) => {
    const text = encode([{ type: 'stop', choice: 0, reason, rawReason: '' }, { type: 'end' }]);
    expect(text).toContain(`"finishReason":"${word}"`);
  });

  test('a refusal is text with the finish reason SAFETY', () => {
    const text = encode([{ type: 'refusal', choice: 0, text: 'No.' }, ...end]);
    expect(text).toContain('{"text":"No."}');
    expect(text).toContain('"finishReason":"SAFETY"');
  });

  test('media, log probabilities and sources survive', () => {
    const logprobs = { content: [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }] };
    const events: StreamEvent[] = [
      { type: 'text', choice: 0, text: 'ä', logprobs },
      {
        type: 'citation',
        choice: 0,
        citation: { url: 'https://a.example', startIndex: 0, endIndex: 1 },
      },
      { type: 'image', choice: 0, url: 'data:image/png;base64,AAAA' },
      { type: 'audio', choice: 0, data: 'AAAA', transcript: 'Ah' },
      ...end,
    ];
    const kept = decode(encode(events));
    expect(kept).toContainEqual(events[0]);
    expect(kept).toContainEqual(events[1]);
    expect(kept).toContainEqual(events[2]);
    expect(kept).toContainEqual({ type: 'text', choice: 0, text: 'Ah' });
    expect(kept).toContainEqual({ type: 'audio', choice: 0, data: 'AAAA' });
  });

  test('a client that does not ask for events gets one array, valid across two encoders', () => {
    const events: StreamEvent[] = [
      { type: 'start', id: 'r1', model: 'm' },
      { type: 'text', choice: 0, text: 'a' },
      ...end,
    ];
    const whole = encode(events, arrayFormat);
    expect(JSON.parse(whole)).toEqual(framesOf(encode(events)));
    expect(decode(whole)).toEqual(decode(encode(events)));

    // Another encoder may continue a stream that the client already receives.
    const begun = encode(events.slice(0, 2), arrayFormat);
    const second = arrayFormat.createStreamEncoder(context);
    second.encode({ type: 'start', id: '', model: '' });
    const rest = end.map((event) => second.encode(event)).join('');
    expect(JSON.parse(begun + rest)).toHaveLength(2);
  });
});

test('a call cut off at the output bound is left out, and not reported as malformed', () => {
  const encoder = format.createStreamEncoder(context);
  const text = (
    [
      { type: 'start', id: 'r', model: 'm' },
      { type: 'tool_start', choice: 0, tool: 0, kind: 'function', id: 'c', name: 'f' },
      { type: 'tool_delta', choice: 0, tool: 0, arguments: '{"a' },
      { type: 'stop', choice: 0, reason: 'length', rawReason: 'length' },
      { type: 'end' },
    ] satisfies StreamEvent[]
  )
    .map((event) => encoder.encode(event))
    .join('');
  expect(text).toContain('"finishReason":"MAX_TOKENS"');
  expect(text).not.toContain('functionCall');
  expect(text).not.toContain('finishMessage');
});
