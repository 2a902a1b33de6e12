import { passesBound } from './bound';

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
