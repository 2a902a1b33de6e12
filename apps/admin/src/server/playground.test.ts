import type { Logger } from '@tollgate/kit';

import { ApiError, createRestClient } from '../api/rest-client';
import { createPlayground } from './playground';
import { createPlaygroundKeys } from './playground-keys';

const ORGANISATION = '01a200b7-30ab-7031-b144-0a2f9f4d5a00';
const MINUTE_MS = 60_000;

const log: Logger = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  child: () => log,
  enabled: () => false,
  flush: () => Promise.resolve(),
};

/** What the catalog answers when it makes a key. */
function keyMade(key: string, nowMs: number) {
  const now = new Date(nowMs).toISOString();
  return {
    id: ORGANISATION,
    organisationId: ORGANISATION,
    name: 'Playground',
    type: 'USER',
    status: 'ACTIVE',
    preview: 'tg_…',
    teamId: null,
    userId: ORGANISATION,
    modelIds: [],
    modelGrants: [],
    mcpServerIds: [],
    passthroughProviderIds: [],
    mcpGrants: [],
    routingPolicyId: null,
    allowedRegions: [],
    trustedAttribution: 'NONE',
    responseCache: null,
    keepBodies: true,
    expiresAt: new Date(nowMs + 15 * MINUTE_MS).toISOString(),
    revokedAt: null,
    createdAt: now,
    updatedAt: now,
    key,
  };
}

function playgroundOver(
  edge: (key: string, call: number) => Response,
  mint: { status: number; data?: unknown } = { status: 201 },
) {
  let nowMs = 0;
  let minted = 0;
  const asked: { key: string; url: string; body: unknown; signal: AbortSignal | null }[] = [];
  const keys = createPlaygroundKeys({
    clock: { now: () => nowMs },
    clientFor: () =>
      createRestClient(() => {
        minted += 1;
        const { status, data = keyMade(`tg_${minted}`, nowMs) } = mint;
        return Promise.resolve({ status, data, header: () => undefined });
      }),
  });
  const playground = createPlayground({
    edgeUrl: 'http://edge.example/',
    refresh: () =>
      Promise.resolve({ access: 'new', accessSeconds: 900, refresh: 'r1', refreshSeconds: 1_000 }),
    keys,
    log,
    clock: { now: () => nowMs },
    fetch: (url, init) => {
      const key = new Headers(init?.headers).get('authorization')?.slice('Bearer '.length) ?? '';
      const body: unknown = JSON.parse(typeof init?.body === 'string' ? init.body : '');
      asked.push({
        key,
        url: typeof url === 'string' ? url : '',
        body,
        signal: init?.signal ?? null,
      });
      return Promise.resolve().then(() => edge(key, asked.length));
    },
  });
  const chat = (
    body: unknown = { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
    headers: Record<string, string> = {},
  ) =>
    playground(
      new Request('http://console.example/api/organisations/x/playground/chat', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          host: 'console.example',
          origin: 'http://console.example',
          cookie: 'tollgate_console_access=a; tollgate_console_refresh=r0',
          ...headers,
        },
      }),
      ORGANISATION,
    );
  return {
    asked,
    chat,
    minted: () => minted,
    wait: (ms: number) => {
      nowMs += ms;
    },
  };
}

const stream = (): Response =>
  new Response('data: [DONE]\n\n', {
    headers: {
      'content-type': 'text/event-stream',
      'x-request-id': 'r',
      'x-tollgate-model': 'm',
      'set-cookie': 'x=1',
      server: 'edge',
    },
  });
const refused = (status: number): Response =>
  Response.json({ error: { code: 'invalid_api_key', message: 'no' } }, { status });

test('a chat goes through the gateway as a stream, with a key that the answer does not show', async () => {
  const { asked, chat } = playgroundOver(stream);
  const answer = await chat();
  expect(asked).toMatchObject([
    {
      key: 'tg_1',
      url: 'http://edge.example/v1/llm/chat',
      body: { model: 'm', stream: true, include_usage: true },
    },
  ]);
  expect(await answer.text()).toBe('data: [DONE]\n\n');
  expect(answer.headers.get('x-tollgate-model')).toBe('m');
  expect(answer.headers.get('server')).toBeNull();
  expect(answer.headers.getSetCookie()).toEqual([]);
  expect(JSON.stringify([...answer.headers])).not.toContain('tg_1');
});

test('one key serves until it is about to end', async () => {
  const { asked, chat, minted, wait } = playgroundOver(stream);
  await chat();
  wait(14 * MINUTE_MS - 1);
  await chat();
  expect(minted()).toBe(1);
  wait(1);
  await chat();
  expect(asked.map(({ key }) => key)).toEqual(['tg_1', 'tg_1', 'tg_2']);
});

test.each([401, 403])('a kept key that is refused with %s is replaced once', async (status) => {
  const { asked, chat } = playgroundOver((key) => (key === 'tg_1' ? refused(status) : stream()));

  const {
    chat: again,
    asked: twice,
    wait: later,
  } = playgroundOver((key, call) => (key === 'tg_1' && call > 1 ? refused(status) : stream()));
  // A new key was refused for good reason.
  expect((await chat()).status).toBe(status);
  expect(asked).toHaveLength(1);
  // One that has been kept for a while may be out of date.
  await again();
  later(MINUTE_MS);
  expect((await again()).status).toBe(200);
  expect(twice.map(({ key }) => key)).toEqual(['tg_1', 'tg_1', 'tg_2']);
});

test("the gateway's refusals come as they are", async () => {
  const { chat } = playgroundOver(() =>
    Response.json({ error: { code: 'budget_exceeded', message: 'm' } }, { status: 402 }),
  );
  const answer = await chat();
  expect([answer.status, await answer.json()]).toEqual([
    402,
    { error: { code: 'budget_exceeded', message: 'm' } },
  ]);
});

test('when the catalog gives no key, its own words are answered', async () => {
  const data = {
    error: { code: 'forbidden', message: 'Your role does not allow this.', details: [] },
  };
  const { asked, chat } = playgroundOver(stream, { status: 403, data });
  const answer = await chat();
  expect([answer.status, await answer.json(), asked]).toEqual([403, data, []]);
});

test('a gateway that is away is 503', async () => {
  const { chat } = playgroundOver(() => {
    throw new Error('ECONNREFUSED');
  });
  const answer = await chat();
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    { error: { code: 'dependency_unavailable' } },
  ]);
});

test('what is not a chat, not from here or not signed in reaches nobody', async () => {
  const { asked, minted, chat } = playgroundOver(stream);
  const message = [{ role: 'user', content: 'x' }];
  expect((await chat({ model: 'm', messages: message, base_url: 'http://evil' })).status).toBe(422);
  expect((await chat({ messages: message })).status).toBe(422);
  expect((await chat(undefined, { origin: 'https://evil.example' })).status).toBe(403);
  expect((await chat(undefined, { cookie: '' })).status).toBe(401);
  expect([asked, minted()]).toEqual([[], 0]);
});

test('tools and pictures go along; a picture that would have to be fetched does not', async () => {
  const { asked, chat } = playgroundOver(stream);
  const tools = [{ type: 'function', function: { name: 'weather' } }];
  const pictured = (url: string) => ({
    model: 'm',
    messages: [
      { role: 'user', content: 'x', content_blocks: [{ type: 'image_url', image_url: { url } }] },
    ],
    tools,
  });
  const sent = pictured('data:image/png;base64,AA==');
  expect((await chat(sent)).status).toBe(200);
  expect(asked).toMatchObject([{ body: sent }]);
  expect((await chat(pictured('http://169.254.169.254/'))).status).toBe(422);
  expect(asked).toHaveLength(1);
});

test('an expired session is renewed on the way', async () => {
  const { chat } = playgroundOver(stream);
  const answer = await chat(undefined, { cookie: 'tollgate_console_refresh=r0' });
  expect(answer.status).toBe(200);
  expect(answer.headers.getSetCookie().join()).toContain('tollgate_console_access=new');
});

test('keys of other sessions and organisations are not found', async () => {
  let made = 0;
  const keys = createPlaygroundKeys({
    clock: { now: () => 0 },
    clientFor: () =>
      createRestClient(() => {
        made += 1;
        return Promise.reject(new ApiError(500, 'x', 'not needed'));
      }),
  });
  await Promise.allSettled([
    keys.get('a', '1'),
    keys.get('a', '2'),
    keys.get('b', '1'),
    keys.get('a', '1'),
  ]);
  expect(made).toBe(3);
});
