import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

import { eventually, expectStatus, newTenant, startGateway, type Gateway, type Tenant } from '.';

// Whom requests are for, as the vendors' own SDKs say it, in both ways of deciding.

const SESSION = '123e4567-e89b-12d3-a456-426614174000';
const ACCOUNT = '0d9f6a53-6d9d-4d0f-93a0-5cf7f0b7a9c1';
const messages = [{ role: 'user' as const, content: 'Say something' }];

describe.each(['off', 'on'])('with FLOATS=%s', (FLOATS) => {
  let gateway: Gateway;
  let tenant: Tenant;
  let trusted: string;
  let own: { id: string; key: string };
  let stop: () => Promise<void> = async () => undefined;

  beforeAll(async () => {
    gateway = await startGateway({ env: { policy: { FLOATS } } });
    stop = gateway.stop;
    tenant = await newTenant(gateway);
    const settings = { tagKeys: ['project', 'team'] };
    expectStatus(await gateway.rest.patch(`${tenant.base}/settings`, settings), 200);
    trusted = (await tenant.key()).key;
    own = await tenant.key({ trustedAttribution: 'NONE' });
  });
  afterAll(() => stop());

  const openai = (key: string, headers: Record<string, string> = {}) =>
    new OpenAI({ baseURL: `${gateway.edgeUrl()}/v1`, apiKey: key, defaultHeaders: headers });
  const anthropic = (key: string, headers: Record<string, string> = {}) =>
    new Anthropic({ baseURL: gateway.edgeUrl(), apiKey: key, defaultHeaders: headers });
  /** The record that a filter finds. */
  const recorded = (filter: string) =>
    eventually(`the record with ${filter}`, async () => {
      const { data } = await gateway.rest.get(`${tenant.base}/usage/records?${filter}`);
      return (data as { data: Record<string, unknown>[] }).data[0] ?? false;
    });

  test('OpenAI: user, metadata and default headers', async () => {
    const client = openai(trusted, { 'x-tollgate-tags': 'project=blue,tier=gold' });
    const { response } = await client.chat.completions
      .create({ model: 'chat', messages, user: 'ada', metadata: { team: 'a', chat: '7' } })
      .withResponse();
    expect(response.headers.get('x-tollgate-tags-ignored')).toBe('tier');
    expect(await recorded('endUser=ada')).toMatchObject({ tags: 'project:blue, team:a' });
  });

  test('Anthropic: the user of Claude Code is its account, beside its session', async () => {
    const client = anthropic(trusted, {
      'x-claude-code-session-id': SESSION,
      'x-claude-code-agent-id': 'a1',
    });
    const user_id = `user_${'ab'.repeat(32)}_account_${ACCOUNT}_session_${SESSION}`;
    await client.messages.create({
      model: 'chat',
      max_tokens: 20,
      messages,
      metadata: { user_id },
    });
    expect(await recorded(`session=${SESSION}`)).toMatchObject({
      endUser: ACCOUNT,
      agentId: 'a1',
      agentClass: 'subagent',
    });
  });

  test('a key that is not trusted names only what is its own', async () => {
    const client = openai(own.key, { 'x-tollgate-tags': 'project=blue', 'session-id': SESSION });
    const { response } = await client.chat.completions
      .create({ model: 'chat', messages, user: 'ada' })
      .withResponse();
    expect(response.headers.get('x-tollgate-tags-ignored')).toBe('project');
    expect(await recorded(`endUser=${encodeURIComponent(`ada@key:${own.id}`)}`)).toMatchObject({
      session: `${SESSION}@key:${own.id}`,
      tags: null,
    });
  });

  test('both SDKs throw their error of a wrong tag, and of one that is refused', async () => {
    const wrong = { 'x-tollgate-tags': 'Project=blue' };
    await expect(
      openai(trusted, wrong).chat.completions.create({ model: 'chat', messages }),
    ).rejects.toThrow(/400 x-tollgate-tags: the tag "Project=blue"/);
    await expect(
      anthropic(trusted, wrong).messages.create({ model: 'chat', max_tokens: 20, messages }),
    ).rejects.toThrow(Anthropic.BadRequestError);
    const change = { refuseUnknownTags: true };
    expectStatus(await gateway.rest.patch(`${tenant.base}/settings`, change), 200);
    const unknown = openai(trusted, { 'x-tollgate-tags': 'tier=gold' });
    await eventually('the new setting', async () => {
      try {
        await unknown.chat.completions.create({ model: 'chat', messages });
        return false;
      } catch (error) {
        if (!(error instanceof OpenAI.BadRequestError)) throw error;
        expect(error.message).toContain('has no tag "tier". Its tags: "project", "team".');
        return true;
      }
    });
  });
});
