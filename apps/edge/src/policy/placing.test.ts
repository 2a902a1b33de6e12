import type { Item } from './item';
import { place, type Ring } from './placing';
import type { Session } from './session';

/** An item of a session of process A, and the other sessions that there are. */
function bench(
  viaTakes: boolean,
  viaProcess: string,
  ...others: { process: string; takes: boolean }[]
) {
  const done: string[] = [];
  const session = (name: string, process: string, takes: boolean) =>
    ({
      send: () => {
        done.push(`${name} ${takes ? 'takes' : 'refuses'}`);
        return takes;
      },
      process: () => process,
      filling: () => 1,
    }) as unknown as Session;
  const sessions = others.map(({ process, takes }) =>
    session(`another of ${process}`, process, takes),
  );
  const ring: Ring = { ring: sessions, turn: 0, current: undefined, frame: 0 };
  const via = session('its own', viaProcess, viaTakes);
  const strayed = (): string => {
    done.push('strayed');
    return 'A';
  };
  const item = { via, strayed } as unknown as Item;
  expect(place(ring, item)).toBe(true);
  return done;
}

test('an item goes over its own session', () => {
  expect(bench(true, 'A', { process: 'A', takes: true })).toEqual(['its own takes']);
});

test('else over another one to the same process, which knows the hold', () => {
  const others = [
    { process: 'B', takes: true },
    { process: 'A', takes: true },
  ];
  expect(bench(false, 'A', ...others)).toEqual(['its own refuses', 'another of A takes']);
});

test('its owner learns of it before another process takes it', () => {
  const others = [
    { process: 'A', takes: false },
    { process: 'B', takes: true },
  ];
  const done = bench(false, 'A', ...others);
  const [strayed, taken] = [done.indexOf('strayed'), done.indexOf('another of B takes')];
  expect(done.slice(0, strayed)).toEqual(['its own refuses', 'another of A refuses']);
  expect(taken).toBe(done.length - 1);
});

test('the items of a closed session leave its process', () => {
  const others = [
    { process: 'A', takes: true },
    { process: 'B', takes: true },
  ];
  const done = bench(false, '', ...others);
  expect(done).toEqual(['its own refuses', 'strayed', 'another of B takes']);
});
