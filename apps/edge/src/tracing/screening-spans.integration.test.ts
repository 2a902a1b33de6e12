// Screening in traces: the gateway's own rules, and each question to a service.

import { askRules, say } from '../screening/test-support/asking';
import {
  json,
  serviceAt,
  startFakeService,
  type FakeService,
} from '../screening/test-support/fake-service';
import { CANARY, screens } from '../screening/test-support/rules';
import { startHarness } from '../test-support/harness';
import { CLIENT, INTERNAL, named, printed, useReceiver } from '../test-support/traces';

const { traced } = useReceiver(startHarness);

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

test.each([
  ['OBSERVE', 'hit', 1, ['house/one']],
  ['BLOCK', 'block', 1, ['house/one']],
])('own rules that %s are one span: %s', async (action, outcome, hits, rules) => {
  const spans = await traced({}, async (h) => {
    screens(h, [{ action, where: ['INPUT'] }]);
    await (await say(h, `a ${CANARY}`)).text();
  });
  const own = named(spans, 'screen rules');
  expect(own).toMatchObject({
    kind: INTERNAL,
    parentSpanId: named(spans, 'screening').spanId,
    attributes: {
      'tollgate.guardrail.kinds': ['KEYWORDS'],
      'tollgate.guardrail.outcome': outcome,
      'tollgate.guardrail.hits': hits,
      'tollgate.guardrail.hit_rules': rules,
    },
  });
  expect(printed(spans)).not.toContain(CANARY);
});

test.each([
  ['a pass', { verdict: 'PASS' }, 200, 'pass', 0],
  ['a refusal', { verdict: 'BLOCK' }, 200, 'hit', 0],
  ['no verdict', {}, 500, 'no_verdict', 2],
])(
  'a question to a service is a span of its own: %s',
  async (_what, body, status, outcome, code) => {
    const spans = await traced({}, async (h) => {
      askRules(h, [{ action: 'BLOCK', where: ['INPUT'], onError: 'PASS' }], serviceAt(service.url));
      service.answer = (_, res) => json(res, body, status);
      await (await say(h, 'the secret question')).text();
    });
    const question = named(spans, 'screen house/one');
    expect(question).toMatchObject({
      kind: CLIENT,
      statusCode: code,
      parentSpanId: named(spans, 'screening').spanId,
      attributes: {
        'tollgate.guardrail.policy': 'house',
        'tollgate.guardrail.rule': 'one',
        'tollgate.guardrail.kind': 'EXTERNAL',
        'tollgate.guardrail.service': 'checker',
        'tollgate.guardrail.action': 'BLOCK',
        'tollgate.guardrail.place': 'INPUT',
        'tollgate.guardrail.outcome': outcome,
      },
    });
    expect(question.endNano).toBeGreaterThanOrEqual(question.startNano);
    expect(printed(spans)).not.toContain('secret');
  },
);

test('a question about the answer is a child of the request', async () => {
  const spans = await traced({}, async (h) => {
    askRules(h, [{ action: 'BLOCK', where: ['OUTPUT'] }], serviceAt(service.url));
    service.answer = (_, res) => json(res, { verdict: 'PASS' });
    await (await say(h, 'Hi')).text();
  });
  expect(named(spans, 'screen house/one')).toMatchObject({
    parentSpanId: named(spans, 'POST /v1/chat/completions').spanId,
    attributes: { 'tollgate.guardrail.place': 'OUTPUT', 'tollgate.guardrail.outcome': 'pass' },
  });
});
