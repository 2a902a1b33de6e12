import type { Denial, RefusalReport__Output } from '@tollgate/contracts/node';
import { createLogger } from '@tollgate/kit';

import { modelsOf, type KeyPlan } from '../directory';
import { planOf } from '../directory/plan';
import { unavailable } from '../failure';
import { context } from '../test-support/contexts';
import { createEdgeRefusals } from './edge-refusals';

const KEY = Buffer.alloc(32, 1);
const report = (over: Partial<RefusalReport__Output> = {}): RefusalReport__Output => ({
  keySha256: KEY,
  requestId: '019aa000-0000-7000-8000-000000000000',
  code: 'unsupported_parameter',
  param: 'seed',
  model: 'chat',
  shadowExperimentId: '',
  ...over,
});

function bench(lookup: () => KeyPlan | undefined | Promise<KeyPlan | undefined>) {
  const noted: Denial[] = [];
  const models: string[] = [];
  const edge = createEdgeRefusals({
    directory: { lookup },
    refusals: {
      note: (asked, denial) => {
        noted.push(denial);
        models.push(asked.model);
      },
    },
    log: createLogger({ service: 'policy', level: 'error', write: () => {} }),
  });
  return { noted, models, edge };
}

test('what an edge refused is noted for the key, with the field and not with what was sent', async () => {
  const plan = planOf(context());
  const { noted, edge } = bench(() => plan);
  await edge.take(report());
  await edge.take(report({ code: 'invalid_request', param: '' }));
  expect(noted).toMatchObject([
    { code: 'unsupported_parameter', subject: plan.subject },
    { code: 'invalid_request', subject: plan.subject },
  ]);
  expect(noted[0]?.message).toMatch(/^seed: /);
  expect(noted[1]?.message).toMatch(/^The request is not valid/);
});

test('nothing is noted of a key that is unknown or cannot be looked up, or of a code that is none', async () => {
  const unknown = bench(() => undefined);
  await unknown.edge.take(report());
  const away = bench(() => Promise.reject(unavailable('catalog', 'away')));
  await away.edge.take(report());
  const known = bench(() => planOf(context()));
  await known.edge.take(report({ code: 'no_such_code' }));
  await known.edge.take(report({ keySha256: Buffer.alloc(3) }));
  await known.edge.take(report({ requestId: 'r1' }));
  expect([...unknown.noted, ...away.noted, ...known.noted]).toEqual([]);
});

test('a flood of keys that are not known yet asks for a bounded number of them at once', async () => {
  const waiting: (() => void)[] = [];
  const { edge } = bench(() => new Promise((resolve) => waiting.push(() => resolve(undefined))));
  const taken = Array.from({ length: 100 }, () => edge.take(report()));
  expect(waiting).toHaveLength(16);
  for (const answer of waiting) answer();
  await Promise.all(taken);
  const later = edge.take(report());
  expect(waiting).toHaveLength(17);
  waiting.at(-1)?.();
  await later;
});

test('of a key that is known all are noted, however many come in one frame', async () => {
  const plan = planOf(context());
  const { noted, edge } = bench(() => plan);
  await Promise.all(Array.from({ length: 100 }, () => edge.take(report())));
  expect(noted).toHaveLength(100);
});

test('a model is noted by a name that the key has for one, and not by what anybody can make up', async () => {
  const plan = planOf(context());
  const { name = '' } = modelsOf(plan)[0] ?? {};
  const { models, edge } = bench(() => plan);
  for (const model of [name, 'made-up', '']) await edge.take(report({ model }));
  expect(name).not.toBe('');
  expect(models).toEqual([name, '', '']);
});
