import { formatOf, importBody, isReady, mayApply, placeOf } from './price-list';

test('the format is that of the name', () => {
  expect(['a.csv', 'b.JSON', 'c'].map(formatOf)).toEqual(['csv', 'json', 'csv']);
});

test('only a list without faults that changes something can be applied', () => {
  const fault = { line: 2, column: 'input', message: 'no amount' };
  expect(mayApply({ faults: [], added: 1 })).toBe(true);
  expect(mayApply({ faults: [], added: 0 })).toBe(false);
  expect(mayApply({ faults: [fault], added: 1 })).toBe(false);
});

test('a fault says where it is, as far as that is known', () => {
  expect(placeOf({ line: 3, column: 'input' })).toBe('line 3, input');
  expect(placeOf({ line: null, column: '[2].steps' })).toBe('[2].steps');
  expect(placeOf({ line: null, column: null })).toBe('');
});

test('the known models need no file, and a file that was chosen before is not sent', () => {
  const file = { name: 'prices.json', content: '[]' };
  expect(isReady({ source: 'file', file: undefined, dryRun: true })).toBe(false);
  expect(isReady({ source: 'known', file: undefined, dryRun: true })).toBe(true);
  expect(importBody({ source: 'known', file, dryRun: true })).toEqual({
    format: 'known_models',
    dryRun: true,
  });
  expect(importBody({ source: 'file', file, dryRun: false })).toEqual({
    format: 'json',
    content: '[]',
    dryRun: false,
  });
});
