import Anthropic from '@anthropic-ai/sdk';
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

// Screening policies, from the management interface to the answers that vendors' SDKs read. The simulator
// says what it was told, so a text of the request comes back in the answer.

let gateway: SharedGateway;
beforeAll(async () => {
  gateway = await sharedGateway();
});

const CARD = '4111 1111 1111 1111';
const EMAIL = 'ana@example.org';

const rule = (over: object): object => ({
  id: 'personal',
  kind: 'PERSONAL_DATA',
  where: ['INPUT', 'TOOL_RESULTS', 'OUTPUT', 'TOOL_ARGUMENTS'],
  onError: 'BLOCK',
  ...over,
});

async function screened(tenant: Tenant, rules: object[], over: object = {}): Promise<string> {
  const attachedTo = [{ scopeType: 'ORGANISATION', scopeId: tenant.id }];
  const policy = { identifier: 'house', name: 'House rules', attachedTo, rules, ...over };
  return (await tenant.create('screening-policies', policy)).id;
}

const says = (content: string) => ({ messages: [{ role: 'user', content }] });

test('a request that is blocked costs nothing, and its record names the rule', async () => {
  const tenant = await newTenant(gateway);
  await screened(tenant, [rule({ action: 'BLOCK', message: 'No personal data, please.' })]);
  const { key } = await tenant.key();
  const answer = await chat(gateway.edgeUrl(), key, says(`my card is ${CARD}`));
  expect(answer.status).toBe(403);
  expect(answer.data).toMatchObject({
    error: {
      code: 'content_blocked',
      message: 'No personal data, please.',
      details: { rule: 'house/personal', place: 'input' },
    },
  });
  expect(await recordOf(gateway, tenant, requestIdOf(answer))).toMatchObject({
    costUsd: '0.00',
    errorCode: 'content_blocked',
    httpStatus: 403,
    screening: 'house/personal;v=1;in=input;action=block;hits=1',
  });
  expect((await chat(gateway.edgeUrl(), key, says('my card is lost'))).status).toBe(200);
  await checkBooks(gateway);
});

test('masked texts stay here, and come back in the answer of every format, streamed or not', async () => {
  const tenant = await newTenant(gateway);
  await screened(tenant, [rule({ action: 'MASK' })]);
  const { key } = await tenant.key();
  const text = `write to ${EMAIL}, then to ${EMAIL}`;
  const whole = await chat(gateway.edgeUrl(), key, says(text));
  expect(whole.data).toMatchObject({ choices: [{ message: { content: `You said: ${text}` } }] });
  expect(whole.headers['x-tollgate-screening']).toBe(
    'house/personal;v=1;in=input;action=mask;hits=2',
  );
  const openai = new OpenAI({ apiKey: key, baseURL: `${gateway.edgeUrl()}/v1` });
  const stream = await openai.chat.completions.create({
    model: 'chat',
    messages: [{ role: 'user', content: text }],
    stream: true,
  });
  let said = '';
  for await (const { choices } of stream) said += choices[0]?.delta.content ?? '';
  expect(said).toBe(`You said: ${text}`);
  const anthropic = new Anthropic({ apiKey: key, baseURL: gateway.edgeUrl() });
  const message = await anthropic.messages
    .stream({ model: 'chat', max_tokens: 100, messages: [{ role: 'user', content: text }] })
    .finalMessage();
  expect(message.content).toMatchObject([{ type: 'text', text: `You said: ${text}` }]);
});

test('SDKs get an error when a streamed answer is blocked, and pay for what was produced', async () => {
  const tenant = await newTenant(gateway);
  const keywords = { id: 'words', kind: 'KEYWORDS', keywords: ['project x'], where: ['OUTPUT'] };
  await screened(tenant, [{ ...keywords, action: 'BLOCK', onError: 'BLOCK' }]);
  const { key } = await tenant.key();
  const openai = new OpenAI({ apiKey: key, baseURL: `${gateway.edgeUrl()}/v1`, maxRetries: 2 });
  const stream = await openai.chat.completions.create({
    model: 'chat',
    messages: [{ role: 'user', content: 'we start Project X today' }],
    stream: true,
  });
  let said = '';
  const read = async (): Promise<void> => {
    for await (const { choices } of stream) said += choices[0]?.delta.content ?? '';
  };
  await expect(read()).rejects.toThrow('house/words');
  expect('You said: we start ').toContain(said);
  expect(said).toContain('You said');
  const { data } = await eventually('its record', async () => {
    const reply = await gateway.rest.get(`${tenant.base}/usage/records?errorCode=content_blocked`);
    const rows = (expectStatus(reply, 200).data as { data: Record<string, string>[] }).data;
    return rows.length > 0 && { data: rows };
  });
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({
    outcome: 'PARTIAL',
    screening: expect.stringContaining('words'),
  });
  expect(Number(data[0]?.['costUsd'])).toBeGreaterThan(0);
  await checkBooks(gateway);
});

test('a change of a policy reaches running edges, and other organisations never have it', async () => {
  const [tenant, other] = [await newTenant(gateway), await newTenant(gateway)];
  const id = await screened(tenant, [rule({ action: 'BLOCK' })]);
  const [{ key }, { key: others }] = [await tenant.key(), await other.key()];
  const statusOf = async (who: string): Promise<number> =>
    (await chat(gateway.edgeUrl(), who, says(EMAIL))).status;
  expect(await statusOf(key)).toBe(403);
  expect(await statusOf(others)).toBe(200);
  const path = `${tenant.base}/screening-policies/${id}`;
  const observed = { rules: [rule({ action: 'OBSERVE' })] };
  expectStatus(await gateway.rest.patch(path, observed), 200);
  await eventually('it only observes', async () => (await statusOf(key)) === 200);
  expectStatus(await gateway.rest.patch(path, { rules: [rule({ action: 'BLOCK' })] }), 200);
  await eventually('it blocks again', async () => (await statusOf(key)) === 403);
  expectStatus(await gateway.rest.delete(path), 204);
  await eventually('it is gone', async () => (await statusOf(key)) === 200);
});

test('a policy of a model applies to whoever may be the model that answers', async () => {
  const tenant = await newTenant(gateway);
  const second = await tenant.model('second', 'sim');
  const attachedTo = [{ scopeType: 'MODEL', scopeId: second }];
  await screened(tenant, [rule({ action: 'BLOCK' })], { attachedTo });
  const { key } = await tenant.key({ modelIds: [tenant.modelId, second] });
  const ask = (model: string) => chat(gateway.edgeUrl(), key, { model, ...says(EMAIL) });
  expect((await ask('chat')).status).toBe(200);
  expect((await ask('second')).status).toBe(403);
});
