// A dry run is screened by the rules that run in the gateway; services are not asked.

import { chat, type Harness } from '../test-support/harness';
import { askRules, useService } from './test-support/asking';
import { serviceAt, type FakeService } from './test-support/fake-service';
import { CANARY, screens } from './test-support/rules';

let h: Harness;
let service: FakeService;
useService((parts) => {
  ({ h, service } = parts);
});

const tried = async (content: string): Promise<unknown> => {
  const body = chat({ messages: [{ role: 'user', content }] });
  const response = await h.post('/v1/chat/completions', body, { 'x-tollgate-dry-run': 'true' });
  expect(response.status).toBe(200);
  return response.json();
};

test('a text that a rule blocks is denied, and has no record', async () => {
  screens(h, [{ action: 'BLOCK', where: ['INPUT'] }]);
  expect(await tried(`before ${CANARY}`)).toMatchObject({
    decision: 'deny',
    error: { code: 'content_blocked', status: 403 },
    checks: [{ check: 'screening', passed: false }],
    screening: { evidence: expect.stringContaining('action=block'), servicesNotAsked: 0 },
  });
  expect(await tried('nothing')).toMatchObject({
    decision: 'allow',
    checks: [
      { check: 'screening', passed: true },
      { check: 'translation', passed: true },
    ],
  });
  expect([h.upstream.received.length, h.policy.settled.length]).toEqual([0, 0]);
});

test('what only a service can judge is told as not asked', async () => {
  askRules(h, [{ action: 'BLOCK', where: ['INPUT'] }], serviceAt(service.url));
  expect(await tried('anything')).toMatchObject({
    decision: 'allow',
    screening: { evidence: '', servicesNotAsked: 1 },
  });
  expect(service.asked).toHaveLength(0);
});
