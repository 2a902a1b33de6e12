import type { rest } from '@tollgate/contracts';

import { tagRows } from './tag-rows';

const NOTHING = { requests: 0, amountUsd: '0.00' };
const SUMS: rest.InvoiceTags = {
  key: 'project',
  data: [{ value: 'blue', requests: 2, amountUsd: '1.5' }],
  valueCount: 1,
  other: NOTHING,
  untagged: NOTHING,
  unattributed: NOTHING,
  totalUsd: '1.5',
};

test('values have a row each, and other sums only where they have something', () => {
  expect(tagRows(SUMS).map(({ name }) => name)).toEqual(['blue']);
  const whole = {
    ...SUMS,
    valueCount: 4,
    other: { requests: 3, amountUsd: '0.1' },
    untagged: { requests: 1, amountUsd: '0.00' },
    unattributed: { requests: 0, amountUsd: '-0.2' },
  };
  expect(tagRows(whole).map(({ amountUsd, name }) => [name, amountUsd])).toEqual([
    ['blue', '1.5'],
    ['3 other values', '0.1'],
    ['Without this tag', '0.00'],
    ['Without stored records', '-0.2'],
  ]);
});

test('a value that is called like another row has a row of its own', () => {
  const rows = tagRows({
    ...SUMS,
    data: [{ value: 'other', requests: 1, amountUsd: '1' }],
    other: { requests: 1, amountUsd: '1' },
  });
  expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
});
