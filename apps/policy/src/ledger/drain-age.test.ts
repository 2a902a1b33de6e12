import { createDrainAge } from './drain-age';

function open() {
  const clock = { ms: 1_000 };
  return { clock, age: createDrainAge(() => clock.ms) };
}

test('an entry ages until it is booked', () => {
  const { clock, age } = open();
  age.see(1, { seq: 5, booked: 3 });
  clock.ms += 2_500;
  age.see(1, { seq: 9, booked: 4 });
  expect(age.oldestMs()).toBe(2_500);
  age.see(1, { seq: 9, booked: 5 });
  expect(age.oldestMs()).toBe(0);
  clock.ms += 100;
  expect(age.oldestMs()).toBe(100);
  age.see(1, { seq: 9, booked: 9 });
  expect(age.oldestMs()).toBe(0);
});

test('the oldest of all shards counts, without those of other policies', () => {
  const { clock, age } = open();
  age.see(1, { seq: 5, booked: 3 });
  clock.ms += 700;
  age.see(2, { seq: 5, booked: 3 });
  expect(age.oldestMs()).toBe(700);
  age.keep([2]);
  expect(age.oldestMs()).toBe(0);
});

test('a shard whose numbers fall begins anew', () => {
  const { clock, age } = open();
  age.see(1, { seq: 5, booked: 3 });
  clock.ms += 700;
  age.see(1, { seq: 2, booked: 1 });
  expect(age.oldestMs()).toBe(0);
});
