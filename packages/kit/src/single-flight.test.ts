import { singleFlight } from './single-flight';

test('askers of one key share one call and its answer', async () => {
  const flight = singleFlight<string>();
  const answer = Promise.withResolvers<string>();
  let calls = 0;
  const call = () => {
    calls += 1;
    return answer.promise;
  };
  const asked = [flight('a', call), flight('a', call), flight('a', call)];
  answer.resolve('yes');
  expect(await Promise.all(asked)).toEqual(['yes', 'yes', 'yes']);
  expect(calls).toBe(1);
});

test('different keys do not wait for each other', async () => {
  const flight = singleFlight<string>();
  const never = flight('a', () => new Promise(() => {}));
  expect(await flight('b', () => Promise.resolve('b'))).toBe('b');
  expect(never).toBeInstanceOf(Promise);
});

test('a failure reaches every asker and is not kept', async () => {
  const flight = singleFlight<string>();
  const fails = () => Promise.reject(new Error('away'));
  const asked = await Promise.allSettled([flight('a', fails), flight('a', fails)]);
  expect(asked.map((one) => one.status)).toEqual(['rejected', 'rejected']);
  expect(await flight('a', () => Promise.resolve('back'))).toBe('back');
});

test('a call that throws at once fails its flight', async () => {
  const flight = singleFlight<string>();
  const throws = () => {
    throw new Error('at once');
  };
  await expect(flight('a', throws)).rejects.toThrow('at once');
});
