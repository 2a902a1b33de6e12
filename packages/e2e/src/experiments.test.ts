import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import type { rest } from '@tollgate/contracts';
import OpenAI from 'openai';

import {
  chat,
  checkBooks,
  eventually,
  expectStatus,
  newTenant,
  recordOf,
  requestIdOf,
  sharedGateway,
  type SharedGateway,
  type Tenant,
} from '.';

// An experiment, from the management interface over the vendors' SDKs to its comparison.

let gateway: SharedGateway;
let tenant: Tenant;
let key: string;
let next: string;
let experimentId: string;

const NAME = 'assistant';
const HEADER = 'x-tollgate-experiment';
const arms = (share: number) => [
  { name: 'control', modelId: tenant.modelId, share: 100 - share },
  { name: 'candidate', modelId: next, share },
];
/** Answers by arm, as clients saw them. */
const seen = new Map<string, number>();

beforeAll(async () => {
  gateway = await sharedGateway();
  tenant = await newTenant(gateway, { organisation: { openCompatRoutes: true } });
  next = await tenant.model('next', 'sim-next');
  await tenant.create('model-aliases', { name: NAME, targets: [{ modelId: tenant.modelId }] });
  experimentId = (
    await tenant.create('experiments', { name: 'trial', model: NAME, arms: arms(50) })
  ).id;
  key = (await tenant.key({ modelIds: [tenant.modelId, next] })).key;
  await eventually('the experiment runs', async () => {
    const { headers } = await chat(gateway.edgeUrl(), key, { model: NAME });
    if (headers[HEADER] === undefined) return false;
    note(String(headers[HEADER]));
    return true;
  });
});

function note(told: string | null): string {
  const [experiment, arm = ''] = (told ?? '').split('/');
  expect(experiment).toBe('trial');
  seen.set(arm, (seen.get(arm) ?? 0) + 1);
  return arm;
}

const openai = () => new OpenAI({ baseURL: `${gateway.edgeUrl()}/v1`, apiKey: key, maxRetries: 0 });
const anthropic = () => new Anthropic({ baseURL: gateway.edgeUrl(), apiKey: key, maxRetries: 0 });

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** The turns of a conversation, each with all that was said before; it outgrows 1,024 tokens. */
function turnsOf(first: string): Turn[][] {
  const more = (words: string, times: number): Turn[] => [
    { role: 'assistant', content: 'Yes.' },
    { role: 'user', content: words.repeat(times) },
  ];
  const one: Turn[] = [{ role: 'user', content: first }];
  const two = [...one, ...more('And what else? ', 3)];
  const three = [...two, ...more('Tell me all about it. ', 400)];
  return [one, two, three];
}

type Send = (messages: Turn[]) => Promise<string | null>;
const SDKS: readonly (readonly [string, Send])[] = [
  [
    'OpenAI, chat',
    async (messages) => {
      const request = { model: NAME, messages };
      const { response } = await openai().chat.completions.create(request).withResponse();
      return response.headers.get(HEADER);
    },
  ],
  [
    'OpenAI, streamed',
    async (messages) => {
      const request = { model: NAME, messages, stream: true as const };
      const { data, response } = await openai().chat.completions.create(request).withResponse();
      for await (const chunk of data) expect(chunk.model).toBe(NAME);
      return response.headers.get(HEADER);
    },
  ],
  [
    'OpenAI, responses',
    async (messages) => {
      const request = { model: NAME, input: messages };
      const { response } = await openai().responses.create(request).withResponse();
      return response.headers.get(HEADER);
    },
  ],
  [
    'Anthropic',
    async (messages) => {
      const request = { model: NAME, max_tokens: 50, messages };
      const { response } = await anthropic().messages.create(request).withResponse();
      return response.headers.get(HEADER);
    },
  ],
  [
    'Google',
    async (messages) => {
      const httpOptions = { baseUrl: gateway.edgeUrl(), fetch };
      const answer = await new GoogleGenAI({ apiKey: key, httpOptions }).models.generateContent({
        model: NAME,
        contents: messages.map(({ role, content }) => ({
          role: role === 'user' ? 'user' : 'model',
          parts: [{ text: content }],
        })),
      });
      return answer.sdkHttpResponse?.headers?.[HEADER] ?? null;
    },
  ],
];

test.each(SDKS)(
  '%s: all turns of a conversation have one arm, and both arms occur',
  async (sdk, send) => {
    const both = new Set<string>();
    // Each arm is as likely as the other, so that this many conversations are never needed.
    for (let at = 0; both.size < 2 && at < 100; at += 1) {
      const found = new Set<string>();
      for (const turn of turnsOf(`Question ${String(at)} by ${sdk}`))
        found.add(note(await send(turn)));
      expect(found.size).toBe(1);
      for (const arm of found) both.add(arm);
    }
    expect(both).toEqual(new Set(['control', 'candidate']));
  },
);

test('a session that the client names has one arm, whatever is said', async () => {
  const found = new Set<string>();
  for (const content of ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight']) {
    const body = { model: NAME, messages: [{ role: 'user', content }], prompt_cache_key: 'thread' };
    const { headers } = await chat(gateway.edgeUrl(), key, body);
    found.add(note(String(headers[HEADER])));
  }
  expect(found.size).toBe(1);
});

test('the record has the arm, its model, and the name that was asked for', async () => {
  const answer = await chat(gateway.edgeUrl(), key, { model: NAME });
  const arm = note(String(answer.headers[HEADER]));
  expect(answer.data).toMatchObject({ model: NAME });
  expect(answer.headers['x-tollgate-model']).toBe(arm === 'control' ? 'chat' : 'next');
  expect(await recordOf(gateway, tenant, requestIdOf(answer))).toMatchObject({
    experimentId,
    experimentArm: arm,
    requestedModel: NAME,
    modelId: arm === 'control' ? tenant.modelId : next,
  });
});

test('a key without a grant of one arm takes no part', async () => {
  const { key: poor } = await tenant.key();
  const answer = await chat(gateway.edgeUrl(), poor, { model: NAME });
  expect(answer.status).toBe(200);
  expect(answer.headers[HEADER]).toBeUndefined();
  expect(answer.headers['x-tollgate-model']).toBe('chat');
});

test('the comparison counts what clients saw, costs are those of records, and the books are right', async () => {
  const total = [...seen.values()].reduce((sum, count) => sum + count, 0);
  const compared = await eventually('all records are compared', async () => {
    const found = await gateway.rest.get(`${tenant.base}/experiments/${experimentId}/comparison`);
    const { arms: rows, records } = expectStatus(found, 200).data as rest.ExperimentComparison;
    return records === total ? rows : undefined;
  });
  expect(compared.map(({ arm, requests }) => [arm, requests])).toEqual([
    ['control', seen.get('control')],
    ['candidate', seen.get('candidate')],
  ]);
  for (const { arm, costUsd, errors, latencyMs, tokensOut } of compared) {
    expect(errors).toBe(0);
    expect(tokensOut).toBeGreaterThan(0);
    expect(latencyMs.p95).toBeGreaterThanOrEqual(latencyMs.p50 ?? Infinity);
    const query = `groupBy=experiment-arm&experimentArm=${arm}`;
    const { groups } = expectStatus(
      await gateway.rest.get(`${tenant.base}/usage/explore?${query}`),
      200,
    ).data as rest.UsageExploration;
    expect(groups).toMatchObject([{ group: { id: arm }, totals: { costUsd } }]);
  }
  expect(await checkBooks(gateway)).toMatchObject({ ok: true, breaches: [] });
});

test('a response is continued by its arm after all shares went to the other one', async () => {
  const create = async (more: object) => {
    const request = { model: NAME, input: 'Remember this', ...more };
    const { data, response } = await openai().responses.create(request).withResponse();
    return { id: data.id, arm: note(response.headers.get(HEADER)) };
  };
  const first = await create({});
  const other = first.arm === 'control' ? 'candidate' : 'control';
  const share = other === 'candidate' ? 100 : 0;
  const url = `${tenant.base}/experiments/${experimentId}`;
  expectStatus(await gateway.rest.patch(url, { arms: arms(share) }), 200);
  await eventually('new conversations go to the other arm', async () => {
    const { headers } = await chat(gateway.edgeUrl(), key, {
      model: NAME,
      prompt_cache_key: first.arm,
    });
    const moved = await create({});
    return headers[HEADER] === `trial/${other}` && moved.arm === other;
  });
  expect((await create({ previous_response_id: first.id })).arm).toBe(first.arm);
});

test('while it is paused, requests get what the name stands for', async () => {
  const url = `${tenant.base}/experiments/${experimentId}`;
  expectStatus(await gateway.rest.patch(url, { status: 'PAUSED' }), 200);
  const answer = await eventually('nobody takes part', async () => {
    const one = await chat(gateway.edgeUrl(), key, { model: NAME });
    return one.headers[HEADER] === undefined && one;
  });
  expect([answer.status, answer.headers['x-tollgate-model']]).toEqual([200, 'chat']);
});
