import { passthroughRules } from './passthrough-rules';

const rule = {
  method: 'POST',
  path: '/voices',
  callPriceUsd: '1',
  requestMegabytePriceUsd: '0',
  responseMegabytePriceUsd: '0',
};

function pathsOf(changes: object): string[] {
  const parsed = passthroughRules.safeParse([{ ...rule, ...changes }]);
  return (parsed.error?.issues ?? []).map(({ path }) => path.join('.'));
}

test('a rule has its sizes by default, and its prices never', () => {
  expect(passthroughRules.parse([rule])).toEqual([
    { ...rule, maxRequestBytes: 1_048_576, maxResponseBytes: 10_485_760 },
  ]);
  expect(pathsOf({ callPriceUsd: undefined })).toEqual(['0.callPriceUsd']);
});

test.each([
  [
    'a price beyond the largest amount',
    { responseMegabytePriceUsd: '9908533' },
    '0.responseMegabytePriceUsd',
  ],
  ['a size with a fraction', { maxResponseBytes: 1.5 }, '0.maxResponseBytes'],
  ['a negative size', { maxRequestBytes: -1 }, '0.maxRequestBytes'],
  ['no path', { path: '' }, '0.path'],
])('%s is reported, and nothing else fails for it', (_, changes, path) => {
  expect(pathsOf(changes)).toEqual([path]);
});

test('a call of the largest size costs at most what an amount can be', () => {
  const most = { responseMegabytePriceUsd: '9000000' };
  expect(pathsOf({ ...most, callPriceUsd: '0', maxResponseBytes: 1_000_000 })).toEqual([]);
  expect(pathsOf({ ...most, maxResponseBytes: 1_000_000 })).toEqual(['0.callPriceUsd']);
});
