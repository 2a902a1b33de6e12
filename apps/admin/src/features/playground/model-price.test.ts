import type { rest } from '@tollgate/contracts';

import { cheapest, priceWords } from './model-price';

type Model = Parameters<typeof priceWords>[0];

function model(name: string, input?: string, output?: string, type = 'chat'): Model {
  const price = input === undefined ? null : { steps: [{ input, output }] };
  return { id: name, name, type, currentPrice: price } as unknown as rest.Model;
}

test('the cheapest is by input and output together', () => {
  const models = [model('a', '1', '4'), model('b', '3', '1.5'), model('c', '0.5', '10')];
  expect(cheapest(models)?.name).toBe('b');
});

test('models without a price come last, and equal ones are in the order of their names', () => {
  expect(cheapest([model('a'), model('z', '90', '90')])?.name).toBe('z');
  expect(cheapest([model('b'), model('a')])?.name).toBe('a');
  expect(cheapest([model('b', '1', '1'), model('a', '1', '1')])?.name).toBe('a');
});

test('amounts are compared exactly', () => {
  const models = [model('a', '0.1', '0.2'), model('b', '0.3', '0.000000001')];
  expect(cheapest(models)?.name).toBe('a');
});

test('models that do not chat are not offered', () => {
  expect(cheapest([model('embed', '0.01', '0', 'embedding')])).toBeUndefined();
  expect(cheapest([model('o', '1', '1', 'reasoning')])?.name).toBe('o');
});

test('a price that rises with the input says so', () => {
  expect(priceWords(model('a', '0.15', '0.6'))).toBe('$0.15 in, $0.60 out');
  const steps = [
    { input: '1', output: '2' },
    { input: '2', output: '4' },
  ];
  const rising = { ...model('a'), currentPrice: { steps } } as unknown as Model;
  expect(priceWords(rising)).toBe('$1.00 in, $2.00 out and up');
  expect(priceWords(model('a'))).toBe('no price');
});
