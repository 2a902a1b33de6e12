// Answers with a web search, for clients of other formats: unary and streamed, with the search, the pages
// found and the citations. The next turn sends such an answer back to any provider.

import { FORMATS, type FormatName, type JsonObject, type ReplyContext } from '.';
import { createTranslation } from '../operations/passage';

const page = { url: 'https://a.test/', title: 'A' };
const more = { url: 'https://b.test/', title: 'B' };
const TEXT = 'It rains.';

const found = (each: typeof page) => ({
  type: 'web_search_result',
  ...each,
  encrypted_content: 'c2VhbA==',
  page_age: null,
});
const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search' };
const result = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [found(page), found(more)],
};
const cited = {
  type: 'web_search_result_location',
  ...page,
  cited_text: 'Rain.',
  encrypted_index: 'MQ==',
};
const CLAUDE_USAGE = {
  input_tokens: 9,
  output_tokens: 5,
  server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
};
const CLAUDE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [
    { ...use, input: { query: 'weather' } },
    result,
    { type: 'text', text: TEXT, citations: [cited] },
  ],
  stop_reason: 'end_turn',
  usage: CLAUDE_USAGE,
};

const call = {
  id: 'ws_1',
  type: 'web_search_call',
  status: 'completed',
  action: {
    type: 'search',
    query: 'weather',
    sources: [
      { type: 'url', url: page.url },
      { type: 'url', url: more.url },
    ],
  },
};
const annotated = (each: typeof page) => ({
  type: 'url_citation',
  ...each,
  start_index: 0,
  end_index: TEXT.length,
});
const annotation = annotated(page);
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: TEXT, annotations: [annotation] }],
};
const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt',
  status: 'completed',
  output: [call, message],
  usage: { input_tokens: 9, output_tokens: 5, total_tokens: 14 },
};

const grounding = {
  webSearchQueries: ['weather'],
  groundingChunks: [
    { web: { uri: page.url, title: page.title } },
    { web: { uri: more.url, title: more.title } },
  ],
  groundingSupports: [
    {
      segment: { startIndex: 0, endIndex: TEXT.length, text: TEXT },
      groundingChunkIndices: [0],
    },
  ],
};
const GEMINI = {
  candidates: [
    {
      content: { role: 'model', parts: [{ text: TEXT }] },
      finishReason: 'STOP',
      groundingMetadata: grounding,
      index: 0,
    },
  ],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
  modelVersion: 'gemini-3-flash',
  responseId: 'gen-1',
};

const UNARY: Partial<Record<FormatName, JsonObject>> = {
  'anthropic-messages': CLAUDE,
  'openai-responses': RESPONSE,
  'gemini-generate': GEMINI,
};

const named = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const delta = (index: number, fields: object) =>
  named('content_block_delta', { index, delta: fields });
const start = (index: number, block: object) =>
  named('content_block_start', { index, content_block: block });
const stop = (index: number) => named('content_block_stop', { index });

/** A stream up to the end of its search, before any text. */
const SEARCHED: Partial<Record<FormatName, string>> = {
  'anthropic-messages':
    named('message_start', {
      message: {
        ...CLAUDE,
        content: [],
        stop_reason: null,
        usage: { input_tokens: 9, output_tokens: 1 },
      },
    }) +
    start(0, { ...use, input: {} }) +
    delta(0, { type: 'input_json_delta', partial_json: '{"query":' }) +
    delta(0, { type: 'input_json_delta', partial_json: '"weather"}' }) +
    stop(0) +
    start(1, result) +
    stop(1),
  'openai-responses':
    named('response.created', { response: { ...RESPONSE, status: 'in_progress', output: [] } }) +
    named('response.output_item.added', {
      output_index: 0,
      item: { ...call, status: 'in_progress' },
    }) +
    named('response.web_search_call.completed', { output_index: 0, item_id: 'ws_1' }) +
    named('response.output_item.done', { output_index: 0, item: call }),
  'gemini-generate': `data: ${JSON.stringify({
    ...GEMINI,
    candidates: [{ ...GEMINI.candidates[0], content: { parts: [] }, finishReason: undefined }],
  })}\n\n`,
};

const REST: Partial<Record<FormatName, string>> = {
  'anthropic-messages':
    start(2, { type: 'text', text: '', citations: [] }) +
    delta(2, { type: 'text_delta', text: TEXT }) +
    delta(2, { type: 'citations_delta', citation: cited }) +
    stop(2) +
    named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: CLAUDE_USAGE }) +
    named('message_stop', {}),
  'openai-responses':
    named('response.output_item.added', { output_index: 1, item: { ...message, content: [] } }) +
    named('response.output_text.delta', { output_index: 1, content_index: 0, delta: TEXT }) +
    named('response.output_text.annotation.added', {
      output_index: 1,
      content_index: 0,
      annotation_index: 0,
      annotation,
    }) +
    named('response.output_item.done', { output_index: 1, item: message }) +
    named('response.completed', { response: RESPONSE }),
  'gemini-generate': `data: ${JSON.stringify({
    ...GEMINI,
    candidates: [
      {
        ...GEMINI.candidates[0],
        groundingMetadata: undefined,
        finishReason: undefined,
      },
    ],
  })}\n\ndata: ${JSON.stringify({
    ...GEMINI,
    candidates: [{ ...GEMINI.candidates[0], content: { parts: [{ text: '' }] } }],
  })}\n\n`,
};

const STREAM_WITHOUT_SEARCH_FIRST = `data: ${JSON.stringify(GEMINI)}\n\n`;

function streamOf(from: FormatName): string {
  if (from === 'gemini-generate') return STREAM_WITHOUT_SEARCH_FIRST;
  return `${SEARCHED[from]}${REST[from]}`;
}

function contextFor(client: FormatName): ReplyContext {
  const asked = {
    'openai-responses': {
      input: 'Hi',
      tools: [{ type: 'web_search' }],
      include: ['web_search_call.action.sources'],
    },
    'anthropic-messages': { max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
    'openai-chat': { messages: [{ role: 'user', content: 'Hi' }] },
    'gemini-generate': { contents: [{ parts: [{ text: 'Hi' }] }] },
  }[client as 'openai-chat'];
  return {
    requestId: 'req-1',
    provider: 'p',
    model: 'm',
    createdAtS: 1,
    includeUsage: true,
    request: FORMATS[client].decodeRequest({ model: 'm', ...asked }, { model: 'm' }),
  };
}

function unary(from: FormatName, client: FormatName): JsonObject {
  const response = FORMATS[from].decodeResponse(UNARY[from]);
  return FORMATS[client].encodeResponse(response, contextFor(client));
}

/** The client's stream, and the report of it. */
function streamed(from: FormatName, client: FormatName, bytes = streamOf(from)) {
  const passage = createTranslation(FORMATS[client], FORMATS[from], contextFor(client));
  const parts = [...passage.push(Buffer.from(bytes)), ...passage.finish()];
  return { text: Buffer.concat(parts).toString(), report: passage.report };
}

const events = (text: string): JsonObject[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as JsonObject);

const clients = [
  'anthropic-messages',
  'openai-responses',
  'openai-chat',
  'gemini-generate',
] as const;
type Client = (typeof clients)[number];
const pairs = (Object.keys(UNARY) as FormatName[]).flatMap((from) =>
  clients.filter((client) => client !== from).map((client) => [from, client] as const),
);

/** Responses searches have no titles. */
const titled = (from: FormatName, { url, title }: typeof page) =>
  from === 'openai-responses' ? url : title;

const searchBlocks = (from: FormatName) => [
  {
    type: 'server_tool_use',
    id: expect.stringMatching(/^srvtoolu_\w+$/),
    name: 'web_search',
    input: { query: 'weather' },
  },
  {
    type: 'web_search_tool_result',
    tool_use_id: expect.stringMatching(/^srvtoolu_\w+$/),
    content: [page, more].map((each) => ({
      type: 'web_search_result',
      url: each.url,
      title: titled(from, each),
    })),
  },
];

/** Gemini lists pages without a passage too; each becomes a citation. */
const citing = (from: FormatName, citation: (each: typeof page) => object): object[] =>
  (from === 'gemini-generate' ? [page, more] : [page]).map(citation);

const EXPECTED: Record<Client, (from: FormatName) => object> = {
  'anthropic-messages': (from) => ({
    content: [
      ...searchBlocks(from),
      {
        type: 'text',
        text: TEXT,
        citations: citing(from, (each) => ({ type: 'web_search_result_location', ...each })),
      },
    ],
    usage: { server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } },
  }),
  'openai-responses': (from) => ({
    output: [
      { type: 'web_search_call', status: 'completed', action: call.action },
      {
        type: 'message',
        content: [{ type: 'output_text', text: TEXT, annotations: citing(from, annotated) }],
      },
    ],
  }),
  'openai-chat': (from) => ({
    choices: [
      {
        message: {
          content: TEXT,
          annotations: citing(from, (each) => ({
            type: 'url_citation',
            url_citation: { ...each, start_index: 0, end_index: each === page ? TEXT.length : 0 },
          })),
        },
      },
    ],
  }),
  'gemini-generate': (from) => ({
    candidates: [
      {
        content: { parts: [{ text: TEXT }] },
        groundingMetadata: {
          webSearchQueries: ['weather'],
          groundingChunks: [
            { web: { uri: page.url, title: page.title } },
            {
              web: { uri: more.url, ...(from === 'openai-responses' ? {} : { title: more.title }) },
            },
          ],
          groundingSupports: grounding.groundingSupports,
        },
      },
    ],
  }),
};

test.each(pairs)('%s to a client of %s', (from, client) => {
  expect(unary(from, client)).toMatchObject(EXPECTED[client](from));
});

test.each(pairs)('%s streamed to a client of %s, and billed', (from, client) => {
  const { report, text } = streamed(from, client);
  expect(report).toMatchObject({ terminal: true, units: { web_search: 1 } });
  const sent = events(text);
  if (client === 'openai-responses') {
    const completed = sent.find(({ type }) => type === 'response.completed');
    const { output } = { output: [], ...(completed?.['response'] as { output?: JsonObject[] }) };
    const kinds = new Set(output.map(({ type }) => type));
    expect(kinds).toEqual(new Set(['message', 'web_search_call']));
    expect(output.find(({ type }) => type === 'web_search_call')).toMatchObject({
      action: call.action,
    });
    const steps = sent.filter(({ type }) => String(type).startsWith('response.web_search_call'));
    expect(steps.map(({ type }) => String(type).split('.').at(-1))).toEqual([
      'in_progress',
      'searching',
      'completed',
    ]);
    return;
  }
  if (client === 'anthropic-messages') {
    const begun = sent.flatMap(({ content_block: block }): JsonObject[] =>
      block ? [block as JsonObject] : [],
    );
    const [used, gave] = searchBlocks(from);
    expect(begun).toContainEqual(expect.objectContaining({ ...used, input: {} }));
    expect(begun.find(({ type }) => type === 'web_search_tool_result')).toMatchObject(gave ?? {});
    expect(text).toContain(String.raw`"partial_json":"{\"query\":\"weather\"}"`);
    expect(text).toContain('"server_tool_use":{"web_search_requests":1,"web_fetch_requests":0}');
    return;
  }
  expect(text).toContain(page.url);
  if (client === 'gemini-generate') expect(text).toContain('"webSearchQueries":["weather"]');
});

test.each(Object.keys(SEARCHED) as FormatName[])(
  'a stream of %s that breaks after its search is billed for it',
  (from) => {
    const client = from === 'openai-responses' ? 'anthropic-messages' : 'openai-responses';
    const { report } = streamed(from, client, SEARCHED[from]);
    expect(report).toMatchObject({ fault: 'EARLY_END', units: { web_search: 1 } });
  },
);

test('a search is billed where the last event of a Responses stream holds no output', () => {
  const { output: _, ...response } = RESPONSE;
  const stream = `${SEARCHED['openai-responses']}${named('response.completed', { response })}`;
  const { report } = streamed('openai-responses', 'anthropic-messages', stream);
  expect(report).toMatchObject({ terminal: true, units: { web_search: 1 } });
});

test('chunks that repeat the grounding count as one search', () => {
  const stream = `${SEARCHED['gemini-generate']}${REST['gemini-generate']}`;
  const { report, text } = streamed('gemini-generate', 'openai-responses', stream);
  expect(report).toMatchObject({ terminal: true, units: { web_search: 1 } });
  expect(text.match(/"type":"response.web_search_call.completed"/g)).toHaveLength(1);
});

test('a failed search is shown as failed, and is not billed', () => {
  const error = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' };
  const response = FORMATS['anthropic-messages'].decodeResponse({
    ...CLAUDE,
    content: [
      { ...use, input: { query: 'weather' } },
      { ...result, content: error },
    ],
    usage: { ...CLAUDE_USAGE, server_tool_use: { web_search_requests: 0 } },
  });
  expect(response.usage?.units).toBeUndefined();
  const given = FORMATS['openai-responses'].encodeResponse(
    response,
    contextFor('openai-responses'),
  );
  expect(given).toMatchObject({ output: [{ type: 'web_search_call', status: 'failed' }] });
});

test('an opened page is not shown as a search', () => {
  const opened = { ...call, action: { type: 'open_page', url: page.url } };
  const response = FORMATS['openai-responses'].decodeResponse({
    ...RESPONSE,
    output: [opened, message],
  });
  const given = FORMATS['anthropic-messages'].encodeResponse(
    response,
    contextFor('anthropic-messages'),
  );
  expect((given['content'] as JsonObject[]).map(({ type }) => type)).toEqual(['text']);
});

const TARGETS = {
  'anthropic-messages': { providerType: 'PROVIDER_B', model: 'claude-opus-4-6', strict: false },
  'openai-responses': { providerType: 'PROVIDER_A', model: 'gpt-4o', strict: false },
  'openai-chat': { providerType: 'PROVIDER_A', model: 'gpt-4o', strict: false },
  'gemini-generate': { providerType: 'PROVIDER_C', model: 'gemini-3-flash', strict: false },
} as const;

/** The next turn of a client that sends the answer back unchanged. */
function nextTurn(client: FormatName, given: JsonObject): JsonObject {
  const again = { role: 'user', content: 'And tomorrow?' };
  switch (client) {
    case 'openai-responses':
      return {
        model: 'm',
        input: [{ role: 'user', content: 'Weather?' }, ...(given['output'] as JsonObject[]), again],
        tools: [{ type: 'web_search' }],
      };
    case 'anthropic-messages':
      return {
        model: 'm',
        max_tokens: 9,
        messages: [
          { role: 'user', content: 'Weather?' },
          { role: 'assistant', content: given['content'] },
          again,
        ],
        tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      };
    case 'gemini-generate': {
      const [candidate] = given['candidates'] as JsonObject[];
      return {
        contents: [
          { role: 'user', parts: [{ text: 'Weather?' }] },
          candidate?.['content'],
          { role: 'user', parts: [{ text: 'And tomorrow?' }] },
        ],
        tools: [{ googleSearch: {} }],
      };
    }
    default: {
      const [choice] = given['choices'] as JsonObject[];
      return {
        model: 'm',
        messages: [{ role: 'user', content: 'Weather?' }, choice?.['message'], again],
        web_search_options: {},
      };
    }
  }
}

test.each(pairs)(
  'an answer of %s to a client of %s can be sent back to any provider',
  (from, client) => {
    const turn = nextTurn(client, unary(from, client));
    for (const [to, target] of Object.entries(TARGETS) as [keyof typeof TARGETS, never][]) {
      const request = FORMATS[client].decodeRequest(turn, { model: 'm' });
      const { body } = FORMATS[to].encodeRequest(request, target);
      const sent = JSON.stringify(body);
      expect([to, sent]).toEqual([to, expect.stringContaining(TEXT)]);
      expect([to, sent]).toEqual([to, expect.not.stringMatching(/srvtoolu_|ws_other/)]);
      expect([to, sent]).toEqual([to, expect.not.stringContaining('encrypted_')]);
    }
  },
);

test('a provider gets its own searches back', () => {
  const messages = nextTurn('anthropic-messages', CLAUDE);
  const claude = FORMATS['anthropic-messages'];
  const again = claude.encodeRequest(
    claude.decodeRequest(messages, {}),
    TARGETS['anthropic-messages'],
  );
  expect(again).toMatchObject({ body: { messages: messages['messages'] }, dropped: [] });
  const turn = nextTurn('openai-responses', RESPONSE);
  const openai = FORMATS['openai-responses'];
  const more = openai.encodeRequest(openai.decodeRequest(turn, {}), TARGETS['openai-responses']);
  expect(more).toMatchObject({ body: { input: turn['input'] }, dropped: [] });
});
