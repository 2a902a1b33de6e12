import { limit } from '../test-support/contexts';
import { startRig, type Rig } from '../test-support/rig';
import { candidateModel } from './test-support/policies';
import { routedKeys, tried } from './test-support/routed-keys';

// What a decision tells of the model that would have answered without routing.

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.stop());

const { key } = routedKeys(() => rig, 'first');
const models = [candidateModel(0), candidateModel(1)];

test('the first choice is the requested model, else the first of the policy', async () => {
  const { authorize } = key(models, {});
  const { allow } = await authorize();
  expect(allow?.routing).toMatchObject({ firstModelId: 'm0', firstPrice: null });
  const named = await authorize({ model: 'model-1' });
  expect(named.allow?.routing).toMatchObject({ firstModelId: 'm1', firstPrice: null });
});

test('one that is left out is named with its price, because its cost is compared all the same', async () => {
  const limits = [limit({ limitId: 'of-0', scopeType: 'MODEL', scopeId: 'm0', limit: '1' })];
  const reply = await key(models, {}, { limits }).authorize();
  expect(tried(reply)).toEqual(['m1']);
  expect(reply.allow?.routing).toMatchObject({
    firstModelId: 'm0',
    firstPrice: { priceId: 'price-0' },
  });
});

test('one without a price is named alone', async () => {
  const unpriced = [candidateModel(0, { prices: [] }), candidateModel(1)];
  const reply = await key(unpriced, {}, { limits: [limit({ limitId: 'paid' })] }).authorize();
  expect(tried(reply)).toEqual(['m1']);
  expect(reply.allow?.routing).toMatchObject({ firstModelId: 'm0', firstPrice: null });
});
