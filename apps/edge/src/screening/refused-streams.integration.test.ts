// A stream that a service refuses ends with an error, in every client's format and whatever the upstream speaks.

import { KEY, type Harness } from '../test-support/harness';
import { askRules, useService } from './test-support/asking';
import { json, serviceAt, type FakeService } from './test-support/fake-service';
import { CANARY } from './test-support/rules';
import { STREAMS } from './test-support/streams';

let h: Harness;
let service: FakeService;
useService((parts) => {
  ({ h, service } = parts);
});

test.each(STREAMS)('$name', async ({ path, request, script, upstream }) => {
  const rules = [{ action: 'BLOCK', where: ['OUTPUT'] }];
  askRules(h, rules, serviceAt(service.url), {}, upstream);
  service.answer = (_, res) => json(res, { verdict: 'BLOCK' });
  h.upstream.script = (res) => script(res, 'text', [CANARY]);
  const reply = await fetch(h.edge.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  const received = await reply.text();
  expect(received).toContain('content_blocked');
  expect(received).not.toContain('canary');
  expect(await h.settled()).toMatchObject({ errorCode: 'content_blocked', outcome: 'PARTIAL' });
});
