import type { Item } from './item';
import { place, type Ring } from './placing';
import type { Session } from './session';

function bench(viaTakes: boolean) {
  const done: string[] = [];
  const session = (name: string, takes = true) =>
    ({
      send: () => {
        done.push(`${name} ${takes ? 'takes' : 'refuses'}`);
        return takes;
      },
      process: () => '',
      filling: () => 1,
    }) as unknown as Session;
  const ring: Ring = { ring: [session('other')], turn: 0, current: undefined, frame: 0 };
  const via = session('via', viaTakes);
  const item = { via, strayed: () => done.push('strayed') } as unknown as Item;
  expect(place(ring, item)).toBe(true);
  return done;
}

test('an item goes over its own session', () => {
  expect(bench(true)).toEqual(['via takes']);
});

test('its owner learns of it before another session takes it', () => {
  expect(bench(false)).toEqual(['via refuses', 'strayed', 'other takes']);
});
