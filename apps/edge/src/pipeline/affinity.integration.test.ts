// All turns of a conversation tell policy the same key, and use the same key of the provider.

import { connection, PROVIDER_SECRET, secretOf } from '../test-support/fake-catalog';
import { chat, startHarness, type Harness } from '../test-support/harness';

const KEYS = ['a', 'b', 'c'].map((name) => `${PROVIDER_SECRET}-${name}`);

const harnesses: Harness[] = [];
async function started(affinity: boolean): Promise<Harness> {
  let draw = 0;
  // Each draw is another key.
  const random = (): number => (draw++ % KEYS.length) / KEYS.length;
  const h = await startHarness({ CONVERSATION_AFFINITY: affinity }, { random });
  const secrets = KEYS.map((value, n) => secretOf('provider-1', `key-${String(n)}`, value));
  const material = connection({ baseUrl: h.upstream.url });
  h.catalog.connections.set('provider-1:1', { ...material, secrets });
  harnesses.push(h);
  return h;
}
afterAll(async () => {
  for (const h of harnesses) await h.stop();
});

const INSTRUCTIONS = { role: 'system', content: 'You are a careful reviewer. '.repeat(300) };
interface Message {
  role: string;
  content: string;
}

/** The messages of each turn of a conversation. */
function turnsOf(question: string): Message[][] {
  const turns: Message[][] = [[INSTRUCTIONS, { role: 'user', content: question }]];
  for (let turn = 1; turn < 5; turn += 1) {
    const answer = { role: 'assistant', content: `answer ${String(turn)}` };
    const next = { role: 'user', content: `and then ${String(turn)}?` };
    turns.push([...(turns.at(-1) ?? []), answer, next]);
  }
  return turns;
}

async function run(h: Harness, question: string, headers: Record<string, string> = {}) {
  await h.reset();
  for (const messages of turnsOf(question)) {
    const response = await h.post('/v1/chat/completions', chat({ messages }), headers);
    expect(response.status).toBe(200);
    await response.text();
  }
  return {
    affinities: new Set(h.policy.authorized.map(({ affinity }) => affinity.toString('hex'))),
    keys: new Set(h.upstream.received.map((received) => received.headers.authorization)),
  };
}

test('every turn, from the first on, and conversations are spread over the keys', async () => {
  const h = await started(true);
  const used = new Set<string | undefined>();
  const named = new Set<string>();
  for (let n = 0; n < 8; n += 1) {
    const { affinities, keys } = await run(h, `question ${String(n)}`);
    expect([affinities.size, keys.size]).toEqual([1, 1]);
    for (const key of keys) used.add(key);
    for (const affinity of affinities) named.add(affinity);
  }
  expect(named.size).toBe(8);
  expect(used.size).toBeGreaterThan(1);
});

test('the session of an agent stays one conversation, whatever it asks', async () => {
  const h = await started(true);
  const session = { 'x-claude-code-session-id': 'session 1' };
  const one = await run(h, 'first task', session);
  const other = await run(h, 'second task', session);
  expect(other).toEqual(one);
});

test('policy is told when the client has replaced the context of a conversation', async () => {
  const h = await started(true);
  const session = { 'x-claude-code-session-id': 'session 1' };
  await run(h, 'task', session);
  expect(h.policy.authorized.map(({ contextCompacted }) => contextCompacted)).not.toContain(true);
  const [first, ...later] = h.policy.authorized.map((asked) => asked.conversationContinues);
  expect([first, new Set(later)]).toEqual([false, new Set([true])]);
  await run(h, 'task', { ...session, 'x-claude-code-context-compacted': 'auto' });
  expect(h.policy.authorized.map(({ contextCompacted }) => contextCompacted)).not.toContain(false);
});

test('a key that is refused is left, and the others serve in the conversation’s order', async () => {
  const h = await started(true);
  const { keys } = await run(h, 'question');
  const [first] = keys;
  h.upstream.script = (res, { headers }) => {
    if (headers.authorization === first) res.writeHead(401).end('{}');
    else res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ANSWER));
  };
  const response = await h.post('/v1/chat/completions', chat({ messages: turnsOf('question')[1] }));
  expect(response.status).toBe(200);
  const later = new Set<string | undefined>();
  for (const messages of turnsOf('question').slice(2)) {
    h.upstream.received.length = 0;
    await (await h.post('/v1/chat/completions', chat({ messages }))).text();
    for (const { headers } of h.upstream.received) later.add(headers.authorization);
  }
  expect(later.size).toBe(1);
  expect(later).not.toContain(first);
});

test('switched off, policy is told nothing and keys are drawn', async () => {
  const h = await started(false);
  const { affinities, keys } = await run(h, 'question');
  expect([...affinities]).toEqual(['']);
  expect(keys.size).toBe(KEYS.length);
});

test('short requests without a name take turns', async () => {
  const h = await started(true);
  await h.reset();
  for (let n = 0; n < 6; n += 1) await (await h.post('/v1/chat/completions', chat())).text();
  expect(new Set(h.upstream.received.map(({ headers }) => headers.authorization)).size).toBe(3);
});

const ANSWER = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-upstream',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
};
