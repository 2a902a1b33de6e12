import { rest } from '@tollgate/contracts';

import { readPriceList } from './price-lists';

const HEADER =
  'model,effective_from,from_input_tokens,input,output,cache_read,per_request,unit:image';
const csv = (...lines: string[]) => readPriceList('csv', [HEADER, ...lines].join('\n'));

test('a line is a price, further lines of the same model and instant are its steps', () => {
  const { prices, faults } = csv(
    'gpt-x,2030-01-01T00:00:00Z,,2.50,10,,0.001,0.04',
    '"a, model",,,1,1,,,',
    'gpt-x,2030-01-01T00:00:00Z,200000,5,15,0.5,,',
  );
  expect(faults).toEqual([]);
  expect(prices).toMatchObject([
    {
      line: 2,
      model: 'gpt-x',
      price: {
        effectiveFrom: '2030-01-01T00:00:00Z',
        steps: [
          { fromInputTokens: 0, input: '2.50', output: '10' },
          { fromInputTokens: 200_000, input: '5', cacheRead: '0.5' },
        ],
        perRequestUsd: '0.001',
        perUnitUsd: { image: '0.04' },
      },
    },
    { line: 3, model: 'a, model', price: { steps: [{ input: '1' }], perRequestUsd: '0' } },
  ]);
  expect(prices[1]?.price.effectiveFrom).toBeUndefined();
});

test.each([
  ['an amount that is none', ['m,,,cheap,1,,,'], 2, 'input'],
  ['a cell that is missing', ['m,,,1'], 2, null],
  ['an amount that is not there', ['m,,,1,,,,'], 2, 'output'],
  ['no model', ['ok,,,1,1,,,', ',,,1,1,,,'], 3, 'model'],
  ['an instant that is none', ['m,tomorrow,,1,1,,,'], 2, 'effective_from'],
  ['a step that is none', ['m,,many,1,1,,,'], 2, 'from_input_tokens'],
  ['a first step above 0', ['m,,5,1,1,,,'], 2, 'from_input_tokens'],
  ['a unit price that is none', ['m,,,1,1,,,x'], 2, 'unit:image'],
  ['a second step that is wrong', ['m,,,1,1,,,', 'm,,9,1,-1,,,'], 3, 'output'],
  ['steps that disagree', ['m,,,1,1,,1,', 'm,,9,1,1,,2,'], 3, 'per_request'],
  ['a quote that is not closed', ['"m,,,1,1,,,'], 2, null],
])('%s is told with its line and column', (_what, lines, line, column) => {
  const { faults } = csv(...lines);
  expect(faults).toMatchObject([{ line, column }]);
});

test('a header is checked by its names', () => {
  const { faults } = readPriceList('csv', 'model,input,input,color,unit:wish\nm,1,1,red,1');
  expect(faults.map(({ line, column }) => [line, column])).toEqual([
    [1, 'output'],
    [1, 'input'],
    [1, 'color'],
    [1, 'unit:wish'],
  ]);
  expect(readPriceList('csv', '\n').faults).toHaveLength(1);
});

test('a JSON list is told by the path of the item', () => {
  const price = { steps: [{ input: '1', output: '2' }] };
  const list = [
    { model: 'a', ...price },
    { model: 'b', ...price, colour: 'red' },
    { model: 'c', steps: [{ input: 1, output: '2' }] },
  ];
  const { prices, faults } = readPriceList('json', JSON.stringify(list));
  expect(prices.map(({ model }) => model)).toEqual(['a']);
  expect(faults).toMatchObject([
    { column: '[1]', message: 'unknown field colour' },
    { column: '[2].steps[0].input' },
  ]);
  expect(readPriceList('json', '{"a": 1}').faults).toMatchObject([{ line: 1 }]);
  expect(readPriceList('json', '[\n1,\n 2 3]').faults).toMatchObject([{ line: 3 }]);
});

test('a list has bounds: rows, prices, and faults that are told', () => {
  const rows = (count: number, line: (n: number) => string) =>
    csv(...Array.from({ length: count }, (_, n) => line(n)));
  const long = rows(rest.PRICE_IMPORT_MAX_ROWS + 1, (n) => `m${n},,,1,1,,,`);
  expect(long).toMatchObject({ prices: [], faults: [{ line: null }] });
  const many = rows(rest.PRICE_IMPORT_MAX_PRICES + 1, (n) => `m${n},,,1,1,,,`);
  expect(many).toMatchObject({ prices: [], faults: [{ line: null }] });
  const json = (count: number) => readPriceList('json', JSON.stringify(Array(count).fill(1)));
  expect(json(rest.PRICE_IMPORT_MAX_PRICES + 1)).toEqual(many);
  expect(json(rest.PRICE_IMPORT_MAX_PRICES).faults).toHaveLength(rest.PRICE_IMPORT_MAX_FAULTS);
  const bad = rows(rest.PRICE_IMPORT_MAX_FAULTS + 9, (n) => `m${n},,,x,1,,,`);
  expect(bad.faults).toHaveLength(rest.PRICE_IMPORT_MAX_FAULTS);
});

test('faults quote nothing that cannot be kept, and no model has such a name', () => {
  const price = { steps: [{ input: '1', output: '2' }] };
  const list = JSON.stringify([
    { model: 'a\0b', ...price },
    { model: '\ud800', ...price },
    { model: 'c', ...price, 'x\0\ud800': 1 },
  ]);
  const { prices, faults } = readPriceList('json', list);
  expect(prices).toEqual([]);
  expect(faults).toMatchObject([
    { column: '[0].model', message: 'is not a model name' },
    { column: '[1].model', message: 'is not a model name' },
    { column: '[2]', message: 'unknown field x\ufffd\ufffd' },
  ]);
  // The parser's message may end within a surrogate pair.
  for (const text of ['\u{1F4A5}'.repeat(9), `x${'\u{1F4A5}'.repeat(9)}`]) {
    for (const { message } of readPriceList('json', text).faults) {
      expect(message.isWellFormed()).toBe(true);
    }
  }
});

test('a column of a tier is its percentage, in the list of a model', () => {
  const header = 'model,input,output,tier:priority,tier:flex';
  const { prices, faults } = readPriceList('csv', [header, 'm,1,1,200,62.5', 'n,1,1,,'].join('\n'));
  expect(faults).toEqual([]);
  expect(prices.map(({ price }) => price.tierPercent)).toEqual([{ priority: 200, flex: 62.5 }, {}]);
  const wrong = readPriceList('csv', [header, 'm,1,1,many,50'].join('\n'));
  expect(wrong.faults).toMatchObject([{ line: 2, column: 'tier:priority' }]);
  const unknown = readPriceList('csv', 'model,input,output,tier:hyper\nm,1,1,5');
  expect(unknown.faults).toMatchObject([{ line: 1, column: 'tier:hyper' }]);
});
