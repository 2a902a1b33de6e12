import { planOf } from '../directory';
import { candidateModel } from '../routing/test-support/policies';
import { ask, context } from '../test-support/contexts';
import { TICKET } from '../test-support/tickets';
import { pendingIn } from './pending';

// Whoever looks at a background response settles its request: at the price of the candidate that accepted it.

const candidate = (place: number) => ({
  modelId: `m${String(place)}`,
  modelName: `model-${String(place)}`,
  providerId: `p${String(place)}`,
  connectionVersion: 3,
  priceId: `price-${String(place)}`,
  outputBound: 10,
  heldOutputTokens: 10,
  inSteps: false,
  probeUntilMs: 0,
});

const plan = planOf(context({ models: [candidateModel(0), candidateModel(1)] }));
const holdTokens = {
  read: () => ({ ticket: { ...TICKET, candidates: [candidate(0), candidate(1)] } }),
} as unknown as Parameters<typeof pendingIn>[0]['holdTokens'];
const counted = { addedTokens: 0, readTokens: 0, assumedTokens: 0 };
const turn = { conversationId: '', ...counted, earlierNanoUsd: '' };
const accepted = (modelId: string) =>
  pendingIn({ holdTokens }, plan, ask({ storedId: 'resp_1' }), {
    providerId: '',
    connectionVersion: 3,
    modelId,
    readTokens: 0,
    pending: { requestId: 'r', holdToken: Buffer.alloc(1), turn },
  });

test.each([0, 1])('a response that candidate %d accepted is charged at its price', (place) => {
  expect(accepted(`m${String(place)}`)).toMatchObject({
    modelId: `m${String(place)}`,
    providerId: `p${String(place)}`,
    price: { priceId: `price-${String(place)}` },
  });
});

test('one of a model that is no candidate keeps the charge of its hold', () => {
  expect(accepted('m2')).toBeNull();
});
