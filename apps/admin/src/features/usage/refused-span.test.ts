import { spanOfRange } from './range';
import { keptOf } from './refused-span';

const at = (text: string): number => Date.parse(text);
const NOW = at('2026-12-02T10:20:00Z');

test('a period that ends with the current month has the last 30 days until now', () => {
  expect(keptOf(spanOfRange('12m', NOW, 'UTC'), NOW)).toEqual({
    startMs: at('2026-11-02T10:20:00Z'),
    endMs: at('2026-12-02T11:00:00Z'),
  });
});

test('a shorter period stays as it is', () => {
  const span = { startMs: at('2026-11-20T00:00:00Z'), endMs: at('2026-11-25T00:00:00Z') };
  expect(keptOf(span, NOW)).toEqual(span);
});

test('a period that begins before the kept days begins with them', () => {
  expect(
    keptOf({ startMs: at('2026-10-01T00:00:00Z'), endMs: at('2026-11-10T00:00:00Z') }, NOW),
  ).toEqual({ startMs: at('2026-11-02T10:20:00Z'), endMs: at('2026-11-10T00:00:00Z') });
});

test.each([
  ['is older', '2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z'],
  ['has not begun', '2026-12-03T00:00:00Z', '2026-12-04T00:00:00Z'],
])('of a period that %s nothing is kept', (_, from, to) => {
  expect(keptOf({ startMs: at(from), endMs: at(to) }, NOW)).toBeUndefined();
});
