import fc from 'fast-check';

import { mayPass, passesBound } from './bound';

test.each([
  ['two counts agree', { counted: 21, pieces: 21, estimate: 30 }, true],
  ['exactly the bound', { counted: 20, pieces: 20, estimate: 30 }, false],
  ['pieces smaller than tokens', { counted: 20, pieces: 80, estimate: 80 }, false],
  ['another tokeniser, pieces of several tokens', { counted: 30, pieces: 4, estimate: 40 }, false],
  ['more than tokenisers differ', { counted: 97, pieces: 4, estimate: 120 }, true],
  [
    'not counted, an estimate within its tolerance',
    { counted: undefined, pieces: 9, estimate: 200 },
    false,
  ],
  [
    'not counted, an estimate beyond its tolerance',
    { counted: undefined, pieces: 9, estimate: 230 },
    true,
  ],
])('%s, with a bound of 20', (_, measured, passed) => {
  expect(passesBound(measured, 20)).toBe(passed);
});

test('no count passes the bound where it could not pass', () => {
  const small = fc.integer({ min: 0, max: 2_000 });
  fc.assert(
    fc.property(
      small,
      small,
      fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      small,
      (...all) => {
        const [estimate, pieces, share, bound] = all;
        const counted = share === null ? undefined : Math.floor(share * estimate);
        if (passesBound({ counted, pieces, estimate }, bound))
          expect(mayPass({ pieces, estimate }, bound)).toBe(true);
      },
    ),
  );
});

test('a text in large pieces is not counted before it could pass the bound', () => {
  expect(mayPass({ pieces: 100, estimate: 200 }, 100)).toBe(false);
  expect(mayPass({ pieces: 101, estimate: 101 }, 100)).toBe(true);
  expect(mayPass({ pieces: 10, estimate: 225 }, 100)).toBe(true);
});
