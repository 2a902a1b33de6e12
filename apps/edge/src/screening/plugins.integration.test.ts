// Plugins: services of the gateway's own protocols, or code in a sandbox, that refuse and change parameters.

import { ROUTES } from '../routes';
import { bodyFor, pathFor } from '../test-support/bodies';
import { answerJson, streamed, USAGE } from '../test-support/fake-upstream';
import { errorOf, type Harness } from '../test-support/harness';
import { askRules, say as sayTo, sentTo, useService } from './test-support/asking';
import {
  json,
  serviceAt,
  startFakeGrpcService,
  type FakeService,
} from './test-support/fake-service';
import { CANARY, withText } from './test-support/rules';

let h: Harness;
let service: FakeService;
useService((parts) => {
  ({ h, service } = parts);
});

const PLUGIN = { kind: 'PLUGIN', service: 'checker', timeoutMs: 10_000, action: 'BLOCK' };
const plugs = (rule: object, given = serviceAt(service.url)) =>
  askRules(h, [{ ...PLUGIN, where: ['INPUT'], ...rule }], given);
const code = (text: string) => serviceAt('', { type: 'JAVASCRIPT', code: text });
const say = (content: string, over?: object) => sayTo(h, content, over);

test('a refusal is 403 with the words of the plugin, costs nothing, and has a record', async () => {
  plugs({});
  service.answer = (_, res) => json(res, { verdict: 'BLOCK', message: 'Ask the help desk.' });
  const reply = await say('bad');
  expect(reply.status).toBe(403);
  expect(reply.headers.get('x-should-retry')).toBe('false');
  expect(await errorOf(reply)).toMatchObject({
    code: 'plugin_blocked',
    message: 'Ask the help desk.',
    details: { plugin: 'house/one', place: 'input' },
  });
  expect(h.upstream.received).toHaveLength(0);
  expect(await h.settled()).toMatchObject({ costNanoUsd: '0', errorCode: 'plugin_blocked' });
});

test('it reads and changes the parameters that the rule names, and no others', async () => {
  plugs({ mayChange: ['temperature', 'seed', 'stop'] });
  service.answer = (_, res) =>
    json(res, { verdict: 'PASS', parameters: { temperature: 0.2, stop: null } });
  const reply = await say('fine', { temperature: 1.5, top_p: 0.9, stop: ['x'] });
  expect(reply.status).toBe(200);
  expect(service.asked[0]?.body['parameters']).toEqual({ temperature: 1.5, stop: ['x'] });
  const sent = h.upstream.received[0]?.body;
  expect(sent).toMatchObject({ temperature: 0.2, top_p: 0.9 });
  expect(sent).not.toHaveProperty('stop');
  expect(await h.settled()).toMatchObject({ screening: expect.stringContaining('changed=2') });
});

test.each([
  ['one that the rule does not name', { top_p: 1 }],
  ['one that would cost more', { max_tokens: 1_000_000 }],
])('a change of %s is no verdict', async (_, parameters) => {
  plugs({ mayChange: ['temperature'] });
  service.answer = (_asked, res) => json(res, { verdict: 'PASS', parameters });
  expect((await say('fine')).status).toBe(503);
  plugs({ mayChange: ['temperature'], onError: 'PASS' });
  expect((await say('fine')).status).toBe(200);
  expect(sentTo(h)).not.toContain('1000000');
});

describe('tags', () => {
  const TAGS = { project: 'blue', tier: 'gold' };
  const tagging = (tags: unknown) => {
    service.answer = (_, res) => json(res, { verdict: 'PASS', tags });
  };

  test.each([
    ['a rule that blocks', {}],
    ['a rule that observes', { action: 'OBSERVE' }],
    ['a rule about the answer', { where: ['OUTPUT'] }],
  ])('of %s are in the record, sorted', async (_, over) => {
    plugs({ mayTag: ['tier', 'project'], ...over });
    tagging(TAGS);
    expect((await say('hi')).status).toBe(200);
    expect(await h.settled()).toMatchObject({ tags: 'project:blue, tier:gold', screening: '' });
  });

  test('of a refused request are in its record', async () => {
    plugs({ mayTag: ['project'] });
    service.answer = (_, res) => json(res, { verdict: 'BLOCK', tags: { project: 'red' } });
    expect((await say('hi')).status).toBe(403);
    expect(await h.settled()).toMatchObject({ tags: 'project:red' });
  });

  test('over gRPC are the same', async () => {
    const fake = await startFakeGrpcService(() => ({ verdict: 'PASS', tags: TAGS }));
    plugs({ mayTag: ['tier', 'project'] }, serviceAt(fake.url, { type: 'TOLLGATE_GRPC' }));
    expect((await say('hi')).status).toBe(200);
    expect(await h.settled()).toMatchObject({ tags: 'project:blue, tier:gold' });
    fake.stop();
  });

  test('that two rules set have the value of the first', async () => {
    const second = { ...PLUGIN, id: 'two', where: ['INPUT'], mayTag: ['project', 'more'] };
    askRules(
      h,
      [{ ...PLUGIN, where: ['INPUT'], mayTag: ['project'] }, second],
      serviceAt(service.url),
    );
    service.answer = ({ body }, res) => {
      const { id } = body['rule'] as { id: string };
      const tags = id === 'one' ? { project: 'first' } : { project: 'second', more: 'yes' };
      json(res, { verdict: 'PASS', tags });
    };
    expect((await say('hi')).status).toBe(200);
    expect(await h.settled()).toMatchObject({ tags: 'more:yes, project:first' });
  });

  test.each([
    ['a key that the rule does not name', { other: 'x' }],
    ['a value with a comma', { project: 'a, b:c' }],
    ['a value that is too long', { project: 'v'.repeat(121) }],
    ['something else', ['project']],
  ])('with %s are no verdict', async (_, tags) => {
    plugs({ mayTag: ['project'] });
    tagging(tags);
    expect((await say('hi')).status).toBe(503);
    expect(await h.settled()).toMatchObject({ tags: '' });
  });

  test('of a rule that may not tag are not read', async () => {
    plugs({});
    tagging(['anything']);
    expect((await say('hi')).status).toBe(200);
    expect(await h.settled()).toMatchObject({ tags: '' });
  });
});

test('an answer is refused, whole or streamed', async () => {
  plugs({ where: ['OUTPUT'] });
  service.answer = (_, res) => json(res, { verdict: 'BLOCK', message: 'No.' });
  expect((await say('hi')).status).toBe(403);
  h.upstream.script = (res) => streamed(res, ['hello']);
  const text = await (await say('hi', { stream: true })).text();
  expect(text).toContain('plugin_blocked');
  expect(text).not.toContain('hello');
});

test('a plugin over gRPC has the same fields', async () => {
  const fake = await startFakeGrpcService(({ parametersJson, texts }) =>
    texts[0]?.text === 'bad'
      ? { verdict: 'BLOCK', message: 'No.' }
      : { verdict: 'PASS', parametersJson: parametersJson.replace('1.5', '0.5') },
  );
  plugs({ mayChange: ['temperature'] }, serviceAt(fake.url, { type: 'TOLLGATE_GRPC' }));
  expect((await say('fine', { temperature: 1.5 })).status).toBe(200);
  expect(h.upstream.received[0]?.body).toMatchObject({ temperature: 0.5 });
  expect(await errorOf(await say('bad'))).toMatchObject({ code: 'plugin_blocked', message: 'No.' });
  fake.stop();
});

describe('code in the sandbox', () => {
  test('refuses, masks and changes parameters', async () => {
    const text = `function check({ parameters, texts }) {
      const [{ id, text }] = texts;
      if (text.includes('bad')) return { verdict: 'BLOCK', message: 'Not that.' };
      const start = text.indexOf('Bob');
      return {
        verdict: 'PASS',
        findings: start < 0 ? [] : [{ textId: id, start, end: start + 3, label: 'NAME' }],
        parameters: { temperature: Math.min(parameters.temperature ?? 1, 0.7) },
      };
    }`;
    plugs({ action: 'MASK', mayChange: ['temperature'] }, code(text));
    h.upstream.script = (res, { body }) => {
      const [message] = body['messages'] as { content: string }[];
      const echoed = { role: 'assistant', content: `to ${message?.content}` };
      answerJson(res, {
        choices: [{ index: 0, message: echoed, finish_reason: 'stop' }],
        usage: USAGE,
      });
    };
    const reply = await say('I am Bob', { temperature: 2 });
    expect(sentTo(h)).toContain('I am <NAME_1>');
    expect(h.upstream.received[0]?.body).toMatchObject({ temperature: 0.7 });
    expect(await reply.text()).toContain('to I am Bob');
    expect(await errorOf(await say('bad'))).toMatchObject({ message: 'Not that.' });
  });

  test.each([
    ['that does not end', 'function check() { for (;;); }'],
    ['that fails', 'function check({ texts }) { throw new Error(texts[0].text); }'],
    ['that answers something else', 'function check() { return 1; }'],
  ])('code %s gives no verdict', async (_, text) => {
    plugs({}, code(text));
    expect((await say('fine: secret words')).status).toBe(503);
    expect(h.log.join('\n')).not.toContain('secret words');
    plugs({ onError: 'PASS' }, code(text));
    expect((await say('fine')).status).toBe(200);
  });
});

const TEXTS = ROUTES.filter((route) => printed(withText(bodyFor(route), CANARY)).includes(CANARY));

describe('a refusal is an error of every format', () => {
  test.each(TEXTS.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s',
    async (_, route) => {
      plugs({ where: ['INPUT', 'TOOL_RESULTS'], roles: ['system', 'user', 'assistant'] });
      service.answer = (_asked, res) => json(res, { verdict: 'BLOCK', message: 'No.' });
      const reply = await h.send(pathFor(route), bodyFor(route), {}, route.method);
      expect(reply.status).toBe(403);
      expect(reply.headers.get('x-tollgate-error-code')).toBe('plugin_blocked');
      expect(await reply.text()).toContain('No.');
    },
  );
});

function printed(body: object | FormData): string {
  return JSON.stringify(body instanceof FormData ? [...body.values()] : body);
}
