// Whom a request is for: what policy is told, what a record has, and what the client hears.

import type { Attribution, AuthorizeReply } from '@tollgate/contracts/node';

import { CALL, startMcpHarness, type McpHarness } from '../mcp/test-support/mcp-harness';
import { allow, chat, KEY, startHarness, type Harness } from '../test-support/harness';

const SESSION = '123e4567-e89b-12d3-a456-426614174000';
const AGENT = {
  'x-claude-code-session-id': SESSION,
  'x-claude-code-agent-id': 'agent-1',
  'x-claude-code-request-class': 'subagent',
  'x-claude-code-agent-type': 'Explore',
};
const TAGS = { 'x-tollgate-tags': 'project=blue,tier=gold' };

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
afterAll(() => h.stop());
beforeEach(() => h.reset());

const counting = (attribution: Attribution) => {
  h.policy.decide = () => withAttribution(allow(), attribution);
};
const withAttribution = (reply: AuthorizeReply, attribution: Attribution): AuthorizeReply => ({
  allow: { ...reply.allow, attribution },
});

test('policy is told before the hold, the record has what policy answers, and no upstream sees it', async () => {
  counting({ endUser: 'ada', session: SESSION, tags: 'project:blue', ignoredTags: ['tier'] });
  const body = chat({ user: 'ada', metadata: { project: 'red', Chat: 'x' } });
  const response = await h.post('/v1/chat/completions', body, { ...AGENT, ...TAGS });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-tollgate-tags-ignored')).toBe('tier');
  await response.text();
  expect(h.policy.authorized[0]?.claimed).toEqual({
    endUser: 'ada',
    session: SESSION,
    tags: 'project:blue, tier:gold',
    metadata: 'project:red',
  });
  expect(await h.settled()).toMatchObject({
    endUser: 'ada',
    session: SESSION,
    tags: 'project:blue',
    agentId: 'agent-1',
    parentAgentId: '',
    agentClass: 'subagent',
    agentType: 'Explore',
  });
  const sent = Object.keys(h.upstream.received[0]?.headers ?? {});
  expect(sent.filter((name) => /tollgate|claude-code/.test(name))).toEqual([]);
});

test('a failed request has them too, and a policy that answers nothing of it records nobody', async () => {
  h.upstream.script = (res) => {
    res.writeHead(400).end('{"error":{"message":"no"}}');
  };
  counting({ endUser: 'ada', session: '', tags: '', ignoredTags: [] });
  await h.post('/v1/chat/completions', chat({ user: 'ada' }));
  expect(await h.settled()).toMatchObject({ endUser: 'ada' });
  await h.reset();
  await h.post('/v1/chat/completions', chat({ user: 'ada' }), TAGS);
  expect(await h.settled()).toMatchObject({ endUser: '', session: '', tags: '' });
});

test('a request that names nobody tells policy nothing', async () => {
  await h.post('/v1/chat/completions', chat({}));
  expect(h.policy.authorized[0]?.claimed).toBeNull();
});

test('the user of a relayed operation is read as well', async () => {
  const body = { model: 'house-model', input: 'x', user: 'ada' };
  await (await h.post('/v1/embeddings', body)).text();
  expect(h.policy.authorized[0]?.claimed).toMatchObject({ endUser: 'ada' });
});

test.each([
  ['/v1/embeddings', { model: 'house-model', input: 'x' }],
  ['/v1/chat/completions', chat({})],
  ['/v1/responses', { model: 'house-model', input: 'x' }],
])('without a user, the safety identifier of %s names the end user', async (path, body) => {
  await (await h.post(path, { ...body, safety_identifier: 'ada' })).text();
  expect(h.policy.authorized[0]?.claimed).toMatchObject({ endUser: 'ada' });
});

test('the user of a form is read as well', async () => {
  const form = new FormData();
  for (const [name, value] of [
    ['model', 'house-model'],
    ['prompt', 'a cat'],
    ['user', 'ada'],
  ] as const) {
    form.append(name, value);
  }
  form.append('image', new Blob(['x'], { type: 'image/png' }), 'cat.png');
  await fetch(`${h.edge.url}/v1/images/edits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}` },
    body: form,
  });
  expect(h.policy.authorized[0]?.claimed).toMatchObject({ endUser: 'ada' });
});

test.each([
  ['/v1/chat/completions', chat({})],
  ['/v1/messages', { ...chat({}), max_tokens: 5 }],
  [
    '/v1beta/models/house-model:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  ],
])('a wrong tag is a 400 of %s, without a hold', async (path, body) => {
  const response = await h.post(path, body, { 'x-tollgate-tags': 'project=blue,Tier=gold' });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { message: expect.stringMatching(/^x-tollgate-tags: the tag "Tier=gold" has a key/) },
  });
  expect(h.policy.authorized).toEqual([]);
  expect(h.upstream.received).toEqual([]);
});

test('a dry run is asked the same', async () => {
  await h.post('/v1/chat/completions', chat({ user: 'ada' }), {
    ...TAGS,
    'x-tollgate-dry-run': 'true',
  });
  expect(h.policy.dryRuns[0]?.claimed).toMatchObject({
    endUser: 'ada',
    tags: 'project:blue, tier:gold',
  });
});

describe('MCP', () => {
  let edge: McpHarness;
  beforeAll(async () => {
    edge = await startMcpHarness();
  });
  afterAll(() => edge.stop());
  beforeEach(() => edge.reset());

  test('calls have session, agent and tags, which the server does not see', async () => {
    const { decide } = edge.policy;
    const counts = { endUser: '', session: SESSION, tags: 'project:blue', ignoredTags: ['tier'] };
    edge.policy.decide = (request) => withAttribution(decide(request), counts);
    const response = await edge.rpc(CALL, { ...AGENT, ...TAGS });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-tollgate-tags-ignored')).toBe('tier');
    await response.text();
    expect(edge.policy.authorized[0]?.claimed).toMatchObject({
      session: SESSION,
      tags: 'project:blue, tier:gold',
    });
    expect(await edge.settled()).toMatchObject({
      session: SESSION,
      tags: 'project:blue',
      agentClass: 'subagent',
    });
    const sent = Object.keys(edge.upstream.received[0]?.headers ?? {});
    expect(sent.filter((name) => /tollgate|claude-code/.test(name))).toEqual([]);
  });

  test('a wrong tag is a 400 without a hold', async () => {
    const response = await edge.rpc(CALL, { 'x-tollgate-tags': 'project' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('x-tollgate-tags: the tag');
    expect(edge.policy.authorized).toEqual([]);
  });
});
