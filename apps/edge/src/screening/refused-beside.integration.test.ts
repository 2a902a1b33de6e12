// Requests that a rule refuses while a provider works on them.

import type { ServerResponse } from 'node:http';
import type { Routing } from '@tollgate/contracts/node';

import { answerJson, delta, errorAnswer, openSse, role } from '../test-support/fake-upstream';
import { candidate, errorOf, MODEL, routed, until, type Harness } from '../test-support/harness';
import { askRules, say as sayTo, useService } from './test-support/asking';
import { json, serviceAt, type FakeService } from './test-support/fake-service';

let h: Harness;
let service: FakeService;
useService(
  (parts) => {
    ({ h, service } = parts);
  },
  { BACKGROUND_POLL_MS: 10 },
);

/** The calls of services that wait for their verdict, by rule. */
const waiting = new Map<string, ServerResponse>();

/** Rules that judge the request beside the call, and read the answer too, so that its stream is screened. */
function judgeBeside(rules: readonly Record<string, unknown>[], routing?: Routing): void {
  const beside = { action: 'BLOCK', where: ['INPUT', 'OUTPUT'], wait: 'BESIDE' };
  const given = rules.map((rule) => (rule['kind'] === 'KEYWORDS' ? rule : { ...beside, ...rule }));
  askRules(h, given, serviceAt(service.url));
  waiting.clear();
  service.answer = ({ body }, res) => void waiting.set((body['rule'] as { id: string }).id, res);
  if (!routing) return;
  const decided = h.policy.decide;
  h.policy.decide = (request) => {
    const screening = decided(request).allow?.screening ?? [];
    const two = [candidate(), candidate({ modelId: 'model-2', upstreamModel: 'up-2' })];
    return { allow: { ...routed(two, routing).allow, screening } };
  };
}

const say = (over: object = {}) => sayTo(h, 'bad', { stream: true, ...over });

async function decide(rule: string, verdict: object, status = 200): Promise<void> {
  await until(() => waiting.has(rule), `the rule ${rule} to ask`);
  const res = waiting.get(rule);
  if (res) json(res, verdict, status);
}

const upstreamCalled = () => until(() => h.upstream.received.length > 0, 'the upstream call');
const upstreamLetGo = () =>
  until(() => h.upstream.received[0]?.aborted === true, 'the upstream to be let go');

/** Waits until the edge has a verdict more than now. */
async function nextVerdict(): Promise<() => Promise<void>> {
  const count = async (): Promise<string | undefined> => {
    const text = await (await h.ops('/metrics')).text();
    return /^tollgate_screening_check_seconds_count\{.*$/m.exec(text)?.[0];
  };
  const before = await count();
  return () => until(async () => (await count()) !== before, 'the verdict');
}

/** At one dollar and two dollars per million tokens. */
const costOf = ({ input = 0, output = 0 }: { input?: number; output?: number }): string =>
  String(input * 1_000 + output * 2_000);

test('a silent stream is aborted, and refused before it ends', async () => {
  judgeBeside([{}]);
  h.upstream.script = openSse;
  const asked = say();
  await upstreamCalled();
  await decide('one', { verdict: 'BLOCK' });
  const reply = await asked;
  expect(reply.status).toBe(403);
  expect(await errorOf(reply)).toMatchObject({ code: 'content_blocked' });
  await upstreamLetGo();
  const settled = await h.settled();
  expect(settled).toMatchObject({
    outcome: 'FAILED',
    errorCode: 'content_blocked',
    usageQuality: 'ESTIMATED',
    usage: { output: 0 },
    costNanoUsd: costOf({ input: settled.usage?.input ?? -1 }),
    modelId: 'model-1',
    attempts: [{ outcome: 'ABORTED' }],
  });
  expect(settled.usage?.input).toBeGreaterThan(0);
});

const ANY = { strategy: 'failover', triggers: ['any'], retries: 2 };

test('a stream whose output is withheld is charged with that output, and no other candidate is called', async () => {
  // The keyword may still follow, so nothing of the stream goes on.
  judgeBeside(
    [{ id: 'word', kind: 'KEYWORDS', where: ['OUTPUT'], keywords: ['hello you'] }, {}],
    ANY,
  );
  h.upstream.script = (res) => {
    openSse(res);
    res.write(delta('hello '));
  };
  const asked = say();
  await upstreamCalled();
  await decide('one', { verdict: 'BLOCK' });
  expect((await asked).status).toBe(403);
  await upstreamLetGo();
  const settled = await h.settled();
  const { input = 0, output = 0 } = settled.usage ?? {};
  expect(output).toBeGreaterThan(0);
  expect(settled).toMatchObject({ costNanoUsd: costOf({ input, output }), attempts: [{}] });
  expect(h.upstream.received).toHaveLength(1);
});

test('a stream that waits for its first output is refused, and no other candidate is called', async () => {
  judgeBeside([{}], ANY);
  h.upstream.script = (res) => {
    openSse(res);
    res.write(role());
  };
  const asked = say();
  await upstreamCalled();
  await decide('one', { verdict: 'BLOCK' });
  expect((await asked).status).toBe(403);
  await upstreamLetGo();
  await h.settled();
  expect(h.upstream.received).toHaveLength(1);
});

test.each([
  ['plugin_blocked', { kind: 'PLUGIN', service: 'checker' }, 200, 403],
  ['dependency_unavailable', { onError: 'BLOCK' }, 500, 503],
])('a refusal as %s is told at once too', async (code, rule, answered, status) => {
  judgeBeside([rule], ANY);
  h.upstream.script = openSse;
  const asked = say();
  await upstreamCalled();
  await decide('one', { verdict: 'BLOCK' }, answered);
  const reply = await asked;
  expect(reply.status).toBe(status);
  expect(await errorOf(reply)).toMatchObject({ code });
  await upstreamLetGo();
  expect(h.upstream.received).toHaveLength(1);
});

test('the first refusal is enough, and the record has the verdicts of the other rules', async () => {
  judgeBeside([{}, { id: 'two' }]);
  h.upstream.script = openSse;
  const asked = say();
  await upstreamCalled();
  await decide('one', { verdict: 'BLOCK' });
  expect((await asked).status).toBe(403);
  await upstreamLetGo();
  expect(h.policy.settled).toHaveLength(0);
  await decide('two', { verdict: 'BLOCK' });
  const { screening } = await h.settled();
  expect(screening).toContain('house/one');
  expect(screening).toContain('house/two');
});

test('a whole answer is awaited, because its end says what it costs; no other candidate is called', async () => {
  judgeBeside([{}], ANY);
  const verdictTaken = await nextVerdict();
  let fail = (): void => undefined;
  h.upstream.script = (res) => {
    fail = () => errorAnswer(res, 500);
  };
  const asked = say({ stream: false });
  await upstreamCalled();
  await decide('one', { verdict: 'BLOCK' });
  await verdictTaken();
  fail();
  const reply = await asked;
  expect(reply.status).toBe(403);
  expect(await errorOf(reply)).toMatchObject({ code: 'content_blocked' });
  await h.settled();
  expect(h.upstream.received).toHaveLength(1);
});

test('a response in the background is refused, and charged when its provider ends it', async () => {
  judgeBeside([{}]);
  const verdictTaken = await nextVerdict();
  const usage = { input_tokens: 1_000, output_tokens: 500, total_tokens: 1_500 };
  const response = { id: 'resp_1', object: 'response', background: true, output: [] };
  let create = (): void => undefined;
  h.upstream.script = (res, { method }) => {
    if (method === 'GET') return answerJson(res, { ...response, status: 'completed', usage });
    openSse(res);
    const created = { type: 'response.created', response: { ...response, status: 'queued' } };
    create = () => void res.write(`event: response.created\ndata: ${JSON.stringify(created)}\n\n`);
  };
  const body = { model: MODEL, input: 'bad', background: true, stream: true };
  const asked = h.post('/v1/responses', body);
  await upstreamCalled();
  await decide('one', { verdict: 'BLOCK' });
  await verdictTaken();
  create();
  expect((await asked).status).toBe(403);
  expect(h.policy.extended).toMatchObject([{ responseId: 'resp_1' }]);
  expect(await h.settled()).toMatchObject({ costNanoUsd: costOf({ input: 1_000, output: 500 }) });
});
