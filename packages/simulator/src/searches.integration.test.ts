import { startSimulator, type Simulator } from './simulator';

// Web searches in each format: as many as the model's directive and the request allow, each on the
// bill.

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({});
});
afterAll(() => simulator.stop());

const MODEL = 'sim-searches-7';
const HEADERS = {
  'content-type': 'application/json',
  authorization: 'Bearer k',
  'x-api-key': 'k',
  'x-goog-api-key': 'k',
  'anthropic-version': '2023-06-01',
};
const said = [{ role: 'user', content: 'Hello' }];
const web = { type: 'web_search_20250305', name: 'web_search' };
const added = (definition: object) => ({
  type: 'tool_addition',
  tool: { type: 'tool_definition', definition },
});

test.each([
  [
    'messages, bounded',
    '/v1/messages',
    { messages: said, max_tokens: 9, tools: [{ ...web, max_uses: 3 }] },
    3,
  ],
  ['messages', '/v1/messages', { messages: said, max_tokens: 9, tools: [web] }, 7],
  [
    'responses, bounded',
    '/v1/responses',
    { input: 'Hi', tools: [{ type: 'web_search' }], max_tool_calls: 2 },
    2,
  ],
  ['responses', '/v1/responses', { input: 'Hi', tools: [{ type: 'web_search' }] }, 7],
  ['chat', '/v1/chat/completions', { messages: said, web_search_options: {} }, 7],
  [
    'generate',
    `/v1beta/models/${MODEL}:generateContent`,
    { contents: [{ parts: [{ text: 'Hi' }] }], tools: [{ googleSearch: {} }] },
    7,
  ],
  [
    'messages, in a turn of the conversation',
    '/v1/messages',
    {
      max_tokens: 9,
      messages: [...said, { role: 'system', content: [added({ ...web, max_uses: 3 })] }],
    },
    3,
  ],
  [
    'messages, in a compacted turn',
    '/v1/messages',
    {
      max_tokens: 9,
      messages: [
        {
          role: 'assistant',
          content: [{ type: 'compaction', content: 'Hello.', tool_changes: [added(web)] }],
        },
        ...said,
      ],
    },
    7,
  ],
  [
    'responses, in an item of the conversation',
    '/v1/responses',
    {
      input: [
        { type: 'additional_tools', role: 'developer', tools: [{ type: 'web_search' }] },
        ...said,
      ],
    },
    7,
  ],
  ['without a tool', '/v1/responses', { input: 'Hi' }, 0],
])('%s', async (_, path, body, searches) => {
  await fetch(`${simulator.url}/_sim/bill`, { method: 'DELETE' });
  const answer = await fetch(simulator.url + path, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ model: MODEL, ...body }),
  });
  expect(answer.status).toBe(200);
  await answer.text();
  const bill = (await (await fetch(`${simulator.url}/_sim/bill`)).json()) as {
    total: { webSearches: number; input: number };
  };
  expect(bill.total.webSearches).toBe(searches);
  expect(bill.total.input >= searches * 500).toBe(true);
});

test.each([
  [
    'messages',
    '/v1/messages',
    { messages: said, max_tokens: 9, tools: [{ type: 'code_execution_20250825', name: 'code' }] },
  ],
  ['responses', '/v1/responses', { input: 'Hi', tools: [{ type: 'code_interpreter' }] }],
])('%s: runs of code share one container', async (_, path, body) => {
  await fetch(`${simulator.url}/_sim/bill`, { method: 'DELETE' });
  const answer = await fetch(simulator.url + path, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ model: 'sim-runs-3', ...body }),
  });
  expect(answer.status).toBe(200);
  expect((await answer.text()).match(/"(code_interpreter_call|server_tool_use)","?/g)).toHaveLength(
    3,
  );
  const bill = (await (await fetch(`${simulator.url}/_sim/bill`)).json()) as {
    total: { codeContainers: number };
  };
  expect(bill.total.codeContainers).toBe(1);
});

const found = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [{ type: 'web_search_result', url: 'https://a.test', encrypted_content: '' }],
};
const used = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
const functions = [{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: {} }];

test.each([
  [
    'messages: results without a valid seal',
    '/v1/messages',
    {
      max_tokens: 9,
      messages: [...said, { role: 'assistant', content: [used, found] }, ...said],
    },
    'encrypted_content',
  ],
  [
    'messages: two tools with one name',
    '/v1/messages',
    { max_tokens: 9, messages: said, tools: [web, { name: 'web_search', input_schema: {} }] },
    'unique',
  ],
  [
    'messages: both lists of domains',
    '/v1/messages',
    {
      max_tokens: 9,
      messages: said,
      tools: [{ ...web, allowed_domains: ['a.test'], blocked_domains: ['b.test'] }],
    },
    'allowed_domains',
  ],
  [
    'generate: a search beside functions',
    `/v1beta/models/${MODEL}:generateContent`,
    { contents: [{ parts: [{ text: 'Hi' }] }], tools: functions },
    'function calling is unsupported',
  ],
])('%s are refused', async (_, path, body, why) => {
  const answer = await fetch(simulator.url + path, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ model: MODEL, ...body }),
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain(why);
});

test.each([
  [['web_search_call.action.sources'], true],
  [[], false],
])('responses: with include %j the found pages are listed: %s', async (include, told) => {
  const body = { model: 'sim-searches-1', input: 'Hi', tools: [{ type: 'web_search' }], include };
  const answer = await fetch(`${simulator.url}/v1/responses`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify(body),
  });
  expect((await answer.text()).includes('"sources":[')).toBe(told);
});
