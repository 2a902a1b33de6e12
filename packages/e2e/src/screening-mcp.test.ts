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
import { connect, ERAS } from './mcp/client';
import { registerServer, type RegisteredServer } from './mcp/server';

// Screening beyond the texts of chats: a service that judges them, and messages to MCP servers by the
// official client.

let gateway: SharedGateway;
let tenant: Tenant;
beforeAll(async () => {
  gateway = await sharedGateway();
  tenant = await newTenant(gateway);
});

const EMAIL = 'ana@example.org';
const says = (content: string) => ({ messages: [{ role: 'user', content }] });

const policy = (identifier: string, attachedTo: object[], rules: object[]) =>
  tenant.create('screening-policies', { identifier, name: identifier, attachedTo, rules });

describe('a moderation service', () => {
  test('blocks what it flags, and is audited', async () => {
    const { id, key } = await tenant.key({ name: 'moderated' });
    await tenant.create('screening-services', {
      identifier: 'moderation',
      name: 'Moderation',
      url: `${gateway.simulatorUrl}/v1`,
      protocol: { type: 'OPENAI_MODERATION', thresholds: { violence: 0.5 } },
      secret: 'sk-sim-moderation',
    });
    await policy(
      'moderated',
      [{ scopeType: 'API_KEY', scopeId: id }],
      [
        {
          id: 'flagged',
          kind: 'EXTERNAL',
          service: 'moderation',
          timeoutMs: 20_000,
          where: ['INPUT', 'OUTPUT'],
          action: 'BLOCK',
          onError: 'BLOCK',
        },
      ],
    );
    const fine = await eventually('the rule applies', async () => {
      const answer = await chat(gateway.edgeUrl(), key, says('a quiet day'));
      const record = await recordOf(gateway, tenant, requestIdOf(answer));
      return answer.status === 200 && { answer, record };
    });
    expect(fine.answer.data).toMatchObject({
      choices: [{ message: { content: 'You said: a quiet day' } }],
    });
    const answer = await eventually('it blocks', async () => {
      const reply = await chat(gateway.edgeUrl(), key, says('a day of violence'));
      return reply.status === 403 && reply;
    });
    expect(await recordOf(gateway, tenant, requestIdOf(answer))).toMatchObject({
      costUsd: '0.00',
      screening: expect.stringMatching(
        /^moderated\/flagged;v=1;in=input;action=block;hits=1;ms=\d+$/,
      ) as string,
    });
    const { data } = expectStatus(
      await gateway.rest.get(`${tenant.base}/audit-events?action=screening-service.create`),
      200,
    );
    expect(JSON.stringify(data)).not.toContain('sk-sim-moderation');
    await checkBooks(gateway);
  });
});

test('a plugin that is code refuses chats and calls of tools, in the words of its author', async () => {
  const server = await registerServer(gateway, tenant, 'plugged', { simulated: 'plugged' });
  const { id, key } = await tenant.key({ name: 'plugged', mcpServerIds: [server.id] });
  await tenant.create('screening-services', {
    identifier: 'help-desk',
    name: 'Help desk',
    protocol: {
      type: 'JAVASCRIPT',
      code: `function check({ texts }) {
        const bad = texts.some(({ text }) => text.includes('refund'));
        return bad ? { verdict: 'BLOCK', message: 'Ask the help desk.' } : { verdict: 'PASS' };
      }`,
    },
  });
  const plugin = { id: 'desk', kind: 'PLUGIN', service: 'help-desk', timeoutMs: 20_000 };
  await policy(
    'desk',
    [{ scopeType: 'API_KEY', scopeId: id }],
    [{ ...plugin, where: ['INPUT', 'MCP_REQUEST'], action: 'BLOCK', onError: 'BLOCK' }],
  );
  const refused = await eventually('the plugin applies', async () => {
    const reply = await chat(gateway.edgeUrl(), key, says('I want a refund'));
    return reply.status === 403 && reply;
  });
  expect(refused.data).toMatchObject({
    error: { code: 'plugin_blocked', message: 'Ask the help desk.' },
  });
  expect(await recordOf(gateway, tenant, requestIdOf(refused))).toMatchObject({
    costUsd: '0.00',
    errorCode: 'plugin_blocked',
  });
  expect((await chat(gateway.edgeUrl(), key, says('hello'))).status).toBe(200);
  const [[, mode]] = ERAS;
  const client = await connect(`${gateway.edgeUrl()}${server.path}`, key, mode);
  const call = (text: string) => client.callTool({ name: 'sim_echo', arguments: { text } });
  await expect(call('a refund, please')).rejects.toThrow('Ask the help desk.');
  expect((await call('hello')).content).toMatchObject([{ text: '{"text":"hello"}' }]);
  await client.close();
  await checkBooks(gateway);
});

describe('messages to MCP servers', () => {
  let server: RegisteredServer;
  let other: RegisteredServer;
  let key = '';
  beforeAll(async () => {
    server = await registerServer(gateway, tenant, 'screened', { simulated: 'screened' });
    other = await registerServer(gateway, tenant, 'unscreened', { simulated: 'unscreened' });
    ({ key } = await tenant.key({ name: 'tools', mcpServerIds: [server.id, other.id] }));
    const where = ['MCP_REQUEST', 'MCP_RESULT'];
    const common = { where, onError: 'BLOCK' };
    await policy(
      'tools',
      [{ scopeType: 'MCP_SERVER', scopeId: server.id }],
      [
        { ...common, id: 'mail', kind: 'PERSONAL_DATA', where: ['MCP_REQUEST'], action: 'MASK' },
        { ...common, id: 'words', kind: 'KEYWORDS', keywords: ['project x'], action: 'BLOCK' },
      ],
    );
  });

  const echo = { name: 'sim_echo', arguments: { name: EMAIL, deep: { id: 'Project X' } } };

  test.each(ERAS)('%s: a call is masked and restored, or blocked', async (_, mode) => {
    const client = await connect(`${gateway.edgeUrl()}${server.path}`, key, mode);
    const args = { name: EMAIL };
    const answer = await eventually('the rules apply', async () => {
      const result = await client.callTool({ name: 'sim_echo', arguments: args });
      const blocked = await client.callTool(echo).then(
        () => undefined,
        (error: Error) => error,
      );
      return blocked && { result, blocked };
    });
    expect(answer.result.content).toMatchObject([{ text: JSON.stringify(args) }]);
    expect(answer.blocked.message).toContain('tools/words');
    const region = await client.callTool({
      name: 'test_x_mcp_header',
      arguments: { region: EMAIL },
    });
    expect(region.content).toMatchObject([{ text: `region=${EMAIL}` }]);
    await client.close();
  });

  test('a policy of one server leaves the others alone', async () => {
    const [[, mode]] = ERAS;
    const client = await connect(`${gateway.edgeUrl()}${other.path}`, key, mode);
    const { content } = await client.callTool(echo);
    expect(content).toMatchObject([{ text: JSON.stringify(echo.arguments) }]);
    await client.close();
  });

  test('a blocked call costs nothing, and its record names the rule', async () => {
    const record = await eventually('the record', async () => {
      const path = `${tenant.base}/usage/records?errorCode=content_blocked&limit=100`;
      const { data } = expectStatus(await gateway.rest.get(path), 200);
      const rows = (data as { data: Record<string, string>[] }).data;
      return rows.find(({ screening = '' }) => screening.includes('tools/words'));
    });
    expect(record).toMatchObject({
      costUsd: '0.00',
      httpStatus: 403,
      screening: expect.stringMatching(
        /tools\/words;v=1;in=mcp_request;action=block;hits=1$/,
      ) as string,
    });
    await checkBooks(gateway);
  });
});
