// A stream that its budget ends while a service has not judged it yet.

import type { ServerResponse } from 'node:http';

import { delta, openSse, role } from '../test-support/fake-upstream';
import { allow, candidate, chat, until, type Harness } from '../test-support/harness';
import { askRules, useService } from './test-support/asking';
import { json, serviceAt, type FakeService } from './test-support/fake-service';

let h: Harness;
let service: FakeService;
useService((parts) => {
  ({ h, service } = parts);
});

test('the provider is let go before the verdict, and the answer ends within the hold', async () => {
  const rules = [{ action: 'BLOCK', where: ['OUTPUT'] }];
  askRules(h, rules, serviceAt(service.url));
  const decided = h.policy.decide;
  const steps = { outputInSteps: true, heldOutputTokens: 1_024, maxOutputTokens: 100_000 };
  h.policy.decide = (request) => {
    const { allow: given } = decided(request);
    return {
      allow: { ...given, ...allow([candidate(steps)]).allow, screening: given?.screening ?? [] },
    };
  };
  h.policy.extend = () => ({ granted: false, denial: { code: 'budget_exceeded' } });
  let waiting: ServerResponse | undefined;
  service.answer = (_, res) => {
    waiting = res;
  };
  h.upstream.script = (res) => {
    openSse(res);
    res.write(role());
    const more = setInterval(() => res.write(delta('abc').repeat(100)), 1);
    res.on('close', () => clearInterval(more));
  };
  const asked = h.post('/v1/chat/completions', chat({ stream: true }));
  await until(() => waiting !== undefined, 'the service to be asked');
  await until(() => h.upstream.received[0]?.aborted === true, 'the upstream to be let go');
  if (waiting) json(waiting, { verdict: 'PASS' });
  const text = await (await asked).text();
  expect(text).toContain('"finish_reason":"length"');
  expect(await h.settled()).toMatchObject({ outcome: 'BUDGET_STOPPED' });
});
