import type { KeptDecision__Output } from '@tollgate/contracts/node';
import { callUnary } from '@tollgate/kit';

import { candidateModel } from '../routing/test-support/policies';
import { routedKeys } from '../routing/test-support/routed-keys';
import { ask, context, limit, model, settled, sha256, SUBJECT } from '../test-support/contexts';
import { eventually, startRig, type Rig } from '../test-support/rig';

// The decisions of organisations that keep them are reported with the figures that the script saw.

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(async () => {
  await rig.stop();
});
const { key: routedKey } = routedKeys(() => rig, 'kept');

type Limits = Parameters<typeof limit>[0][];

/** A key of an organisation of its own. */
function newKey(at: Rig, name: string, keepDecisions: string, limits: Limits) {
  const subject = { ...SUBJECT, organisationId: `kept-${name}`, apiKeyId: `key-${name}` };
  const rows = limits.map((row, i) =>
    limit({ limitId: `${name}-limit${String(i)}`, scopeId: subject.organisationId, ...row }),
  );
  const models = [model({ modelId: `model-${name}` })];
  const keySha256 = sha256(`kept ${name}`);
  at.catalog.putKey(keySha256, context({ subject, models, limits: rows, keepDecisions }));
  return { keySha256 };
}

const keptOf = (at: Rig, requestId: string): Promise<KeptDecision__Output> =>
  eventually('the decision is reported', () => {
    const found = at.catalog.decisions.find((one) => one.requestId === requestId);
    if (found === undefined) throw new Error('not yet');
    return found;
  });

/** What a limit had before, what was taken, and whether the rest of it adds up. */
function figuresOf({ decision }: KeptDecision__Output, kind: string) {
  const found = decision?.limits.find(({ before }) => before?.kind === kind);
  if (!found?.before) throw new Error(`no limit ${kind}`);
  const { before, requested, source } = found;
  const { settled: spent, held, remaining, limit: most } = before;
  expect(BigInt(spent) + BigInt(held) + BigInt(remaining)).toBe(BigInt(most));
  return { used: BigInt(spent) + BigInt(held), requested: BigInt(requested), source };
}

test('of requests at the same moment, what one leaves is what the next one finds', async () => {
  const own = newKey(rig, 'many', 'ALL', [
    { limit: '1000000000' },
    { kind: 'RATE_REQUESTS', metric: '', period: '', limit: '1000' },
    { kind: 'RATE_CONCURRENT', metric: '', period: '', limit: '1000' },
    { kind: 'QUOTA', metric: 'TOKENS', limit: '1000000' },
  ]);
  const requests = Array.from({ length: 24 }, (_, i) => ask({ ...own, maxOutputTokens: 10 + i }));
  // Through two policies, in one script and in several.
  const { client } = await rig.another();
  const replies = await Promise.all(
    requests.map((request, i) =>
      i % 2 === 0
        ? rig.authorize(request)
        : callUnary(client, 'authorize', request, { deadlineMs: 15_000 }),
    ),
  );
  expect(replies.every(({ allow }) => allow)).toBe(true);
  const kept = await Promise.all(requests.map(({ requestId }) => keptOf(rig, requestId)));
  for (const kind of ['BUDGET', 'RATE_REQUESTS', 'RATE_CONCURRENT', 'QUOTA']) {
    const figures = kept.map((one) => figuresOf(one, kind));
    figures.sort((a, b) => Number(a.used - b.used));
    let used = 0n;
    for (const one of figures) {
      expect(one).toMatchObject({ used, source: '' });
      used += one.requested;
    }
  }
  expect(kept[0]?.decision).toMatchObject({
    checks: expect.arrayContaining([{ name: 'limits', passed: true }]),
    hold: { inputTokens: 100, outputTokens: 10 },
    candidates: [{ modelName: 'small' }],
  });
  // Neither the token nor whom it belongs to is reported.
  expect(kept[0]?.decision?.allow?.holdToken).toHaveLength(0);
  expect(kept[0]?.decision?.allow?.subject).toBeNull();
});

test('what is spent and what is held are told apart', async () => {
  const own = newKey(rig, 'spent', 'ALL', [{ limit: '1000000' }]);
  const [first, second, third] = [ask(own), ask(own), ask(own)];
  const { allow } = await rig.authorize(first);
  const holdToken = allow?.holdToken ?? Buffer.alloc(0);
  await rig.settle(settled(first.requestId, holdToken, { costNanoUsd: '70000' }));
  await rig.authorize(second);
  await rig.authorize(third);
  expect((await keptOf(rig, third.requestId)).decision?.limits).toMatchObject([
    { before: { settled: '70000', held: '200000', remaining: '730000' }, requested: '200000' },
  ]);
});

test('only refusals are kept where that is asked for, with all counters; else nothing is', async () => {
  const limits = [{ limit: '300000' }, { kind: 'RATE_REQUESTS', metric: '', limit: '10' }];
  const refused = newKey(rig, 'refused', 'REFUSED', limits);
  const off = newKey(rig, 'off', '', limits);
  const [allowed, denied] = [ask(refused), ask(refused)];
  await rig.authorize(allowed);
  for (const request of [ask(off), ask(off)]) await rig.authorize(request);
  expect((await rig.authorize(denied)).denial?.code).toBe('budget_exceeded');
  const { decision } = await keptOf(rig, denied.requestId);
  expect(decision?.denial).toMatchObject({ code: 'budget_exceeded', subject: null, limits: [] });
  expect(decision?.limits).toMatchObject([
    { before: { kind: 'BUDGET', held: '200000' }, requested: '200000', exceeded: true },
    { before: { kind: 'RATE_REQUESTS', settled: '1' }, requested: '1', exceeded: false },
  ]);
  const organisations = rig.catalog.decisions.map(({ organisationId }) => organisationId);
  expect(organisations.filter((id) => id === 'kept-refused')).toHaveLength(1);
  expect(organisations).not.toContain('kept-off');
});

test('a refusal before the limits is kept with the check that refused', async () => {
  const own = newKey(rig, 'checks', 'REFUSED', []);
  const request = ask({ ...own, model: 'nobody’s' });
  await rig.authorize(request);
  const { apiKeyId, decision, model: named } = await keptOf(rig, request.requestId);
  expect({ apiKeyId, named }).toEqual({ apiKeyId: 'key-checks', named: 'nobody’s' });
  expect(decision?.checks).toEqual([
    { name: 'key', passed: true },
    { name: 'model', passed: false },
  ]);
});

test('a routed request names the candidates that were left out', async () => {
  const dear = candidateModel(1, { prices: [] });
  const changes = { keepDecisions: 'ALL', limits: [limit({ limitId: 'kept-routed' })] };
  const { request } = routedKey([candidateModel(0), dear], {}, changes);
  const asked = request();
  await rig.authorize(asked);
  const { decision } = await keptOf(rig, asked.requestId);
  expect(decision?.candidates).toMatchObject([{ modelId: 'm0' }]);
  expect(decision?.routing?.leftOut).toMatchObject([{ modelId: 'm1', reason: 'no_price' }]);
});

test('a request that was asked for twice is kept once, as it was decided', async () => {
  const own = newKey(rig, 'twice', 'ALL', [{ limit: '1000000' }]);
  const request = ask(own);
  await Promise.all([rig.authorize(request), rig.authorize(request)]);
  expect((await keptOf(rig, request.requestId)).decision?.limits).toMatchObject([
    { before: { held: '0' }, requested: '200000', source: '' },
  ]);
  const reported = () =>
    rig.catalog.decisions.filter(({ requestId }) => requestId === request.requestId);
  // What was reported later than another request of the same policy would have been there by now.
  const later = ask(own);
  await rig.authorize(later);
  await keptOf(rig, later.requestId);
  expect(reported()).toHaveLength(1);
  const { client } = await rig.another();
  await callUnary(client, 'authorize', request, { deadlineMs: 15_000 });
  await eventually('the second look is reported as such', () => {
    // Read later: the other request is in it.
    expect(reported().at(-1)?.decision?.limits).toMatchObject([
      { before: { held: '200000' }, source: 'REPEATED' },
    ]);
  });
});

test('figures that come from memory say so', async () => {
  const floating = await startRig({ FLOATS: 'on' });
  try {
    const own = newKey(floating, 'float', 'ALL', [{ limit: '1000000000' }]);
    const request = await eventually('a request is decided from memory', async () => {
      const one = ask(own);
      const { allow } = await floating.authorize(one);
      if (allow?.floatId) return one;
      const holdToken = allow?.holdToken ?? Buffer.alloc(0);
      await floating.settle(settled(one.requestId, holdToken));
      throw new Error('not yet');
    });
    const figures = figuresOf(await keptOf(floating, request.requestId), 'BUDGET');
    expect(figures).toMatchObject({ requested: 200_000n, source: 'MEMORY' });
    const exact = ask({ ...own, resent: true });
    await floating.authorize(exact);
    expect(figuresOf(await keptOf(floating, exact.requestId), 'BUDGET').source).toBe('');
  } finally {
    await floating.stop();
  }
});
