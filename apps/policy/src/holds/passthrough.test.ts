import { passthroughAccess } from '../decide';
import { planOf } from '../directory';
import { context, passthroughAsk, passthroughProvider } from '../test-support/contexts';
import { ticketOf } from './offer';
import { passthroughOffer, passthroughTarget } from './passthrough';

function offerWith(changes: Parameters<typeof passthroughProvider>[0] = {}) {
  const request = passthroughAsk();
  const { passthrough: call } = request;
  if (call === null) throw new Error('the request names no provider');
  const plan = planOf(
    context({
      passthrough: [passthroughProvider(changes)],
      passthroughProviderIds: ['provider-1', 'provider-2'],
    }),
  );
  const access = passthroughAccess(plan, call, 0);
  if ('refusal' in access) throw new Error(access.refusal.code);
  const passthrough = passthroughOffer(call, plan, access);
  const { size } = passthrough;
  const base = { request, plan, size, clamped: false, limits: [], choice: undefined };
  return { passthrough, ticket: ticketOf({ ...base, attribution: null, passthrough }) };
}

test('a repeated request calls what it was held for', () => {
  const { passthrough, ticket } = offerWith();
  expect(passthroughTarget(passthrough, ticket)).toMatchObject({ providerId: 'provider-1' });
});

test.each([
  ['its price', { rules: passthroughProvider().rules.map((r) => ({ ...r, callNanoUsd: '1' })) }],
  ['its rule', { rules: passthroughProvider().rules.map((r) => ({ ...r, path: '/v1/**' })) }],
  ['its provider', { providerId: 'provider-2' }],
])('a repeated request is refused when %s has changed since', (_, changes) => {
  const { ticket } = offerWith();
  expect(() => passthroughTarget(offerWith(changes).passthrough, ticket)).toThrow('has changed');
});
