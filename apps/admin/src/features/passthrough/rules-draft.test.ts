import { rest } from '@tollgate/contracts';

import { moved, NEW_RULE, ruleDraftOf, rulesOfDraft } from './rules-draft';

const rule: rest.PassthroughRule = {
  method: 'GET',
  path: '/voices/*',
  callPriceUsd: '0.01',
  requestMegabytePriceUsd: '0.00',
  responseMegabytePriceUsd: '1.50',
  maxRequestBytes: 0,
  maxResponseBytes: 1_000,
};

const schema = rest.providerPatch;

test('a rule that is not touched is sent as it was read', () => {
  const passthroughRules = rulesOfDraft([ruleDraftOf(rule)]);
  expect(passthroughRules).toEqual([rule]);
  expect(schema.parse({ passthroughRules })).toEqual({ passthroughRules });
});

test('a new rule cannot be saved without prices, and 0 is a price', () => {
  const issues = schema.safeParse({ passthroughRules: rulesOfDraft([NEW_RULE]) }).error?.issues;
  expect(issues?.map(({ path }) => path.join('.'))).toEqual([
    'passthroughRules.0.callPriceUsd',
    'passthroughRules.0.requestMegabytePriceUsd',
    'passthroughRules.0.responseMegabytePriceUsd',
  ]);
  const free = {
    ...NEW_RULE,
    callPriceUsd: ' 0 ',
    requestMegabytePriceUsd: '0',
    responseMegabytePriceUsd: '0',
  };
  expect(schema.safeParse({ passthroughRules: rulesOfDraft([free]) }).success).toBe(true);
});

test('a rule moves up and down, and not beyond the ends', () => {
  const [a, b] = [NEW_RULE, { ...NEW_RULE, path: '/b' }];
  expect(moved([a, b], 1, -1)).toEqual([b, a]);
  expect(moved([a, b], 0, 1)).toEqual([b, a]);
  expect(moved([a, b], 0, -1)).toEqual([a, b]);
});
