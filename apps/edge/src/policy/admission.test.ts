import fc from 'fast-check';

import { createAdmission, type AdmissionRefusal } from './admission';

// The test controls the timers and the clock.
beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** The test decides each request once. */
function start(over: { queueMost?: number; inFlightMost?: number } = {}) {
  const clock = { nowMs: 0 };
  const counted: AdmissionRefusal[] = [];
  const waits: number[] = [];
  const admission = createAdmission({
    queueMost: 100,
    queueMs: 1_000,
    inFlightMost: 2,
    deadlineMs: 500,
    nowMs: () => clock.nowMs,
    onWaited: (ms) => waits.push(ms),
    onRefused: (reason) => counted.push(reason),
    ...over,
  });
  const running: string[] = [];
  const refused: [string, AdmissionRefusal][] = [];
  const ask = (name: string, key = 'a', client = { clientGone: false }): void => {
    const proceed = (): void => {
      running.push(name);
    };
    const refuse = (reason: AdmissionRefusal): void => {
      refused.push([name, reason]);
    };
    if (admission.enter()) proceed();
    else admission.wait({ key, client, proceed, refuse });
  };
  const decide = (name = running[0]): void => {
    running.splice(running.indexOf(name ?? ''), 1);
    admission.leave(10);
  };
  const pass = (ms: number): void => {
    clock.nowMs += ms;
    jest.advanceTimersByTime(ms);
  };
  return { admission, ask, clock, counted, decide, pass, refused, running, waits };
}

test('below the limit a request proceeds at once, without a timer', () => {
  const { admission, ask, running } = start();
  ask('1');
  ask('2');
  expect(running).toEqual(['1', '2']);
  expect(jest.getTimerCount()).toBe(0);
  expect(admission.status()).toEqual({ inFlight: 2, inFlightLimit: 2, waiting: 0 });
});

test('above the limit a request waits', () => {
  const { admission, ask, decide, pass, refused, running, waits } = start();
  for (const name of ['1', '2', '3', '4']) ask(name);
  expect(running).toEqual(['1', '2']);
  pass(300);
  decide();
  decide();
  expect(running).toEqual(['3', '4']);
  expect([refused, waits]).toEqual([[], [300, 300]]);
  expect(admission.status().waiting).toBe(0);
  expect(jest.getTimerCount()).toBe(0);
});

test('a key that floods the queue does not delay another key', () => {
  const { ask, decide, running } = start({ inFlightMost: 1 });
  for (let n = 0; n < 40; n += 1) ask(`a${n}`, 'a');
  ask('b', 'b');
  decide();
  decide();
  expect(running).toEqual(['b']);
});

test('a request that waits too long is refused, and not decided later', () => {
  const { ask, counted, decide, pass, refused, running } = start();
  for (const name of ['1', '2', '3']) ask(name);
  pass(500);
  ask('4');
  pass(525);
  expect(refused).toEqual([['3', 'waited']]);
  decide();
  expect(running).toEqual(['2', '4']);
  expect(counted).toEqual(['waited']);
});

test('places freed while the process was busy are used before any refusal', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const { ask, decide, pass, refused, running } = start();
  for (const name of ['1', '2', '3']) ask(name);
  pass(1_500);
  decide();
  await new Promise((resolve) => setImmediate(resolve));
  expect(running).toEqual(['2', '3']);
  expect(refused).toEqual([]);
});

test('a request is refused at once if the queue is full', () => {
  const { ask, counted, refused } = start({ queueMost: 4 });
  for (let n = 1; n <= 5; n += 1) ask(String(n));
  expect(refused).toEqual([['5', 'full']]);
  expect(counted).toEqual(['full']);
});

test('a request whose client disconnected gives its turn to the next', () => {
  const { ask, decide, refused, running } = start();
  const client = { clientGone: false };
  for (const name of ['1', '2']) ask(name);
  ask('3', 'a', client);
  ask('4');
  client.clientGone = true;
  decide();
  expect(running).toEqual(['2', '4']);
  expect(refused).toEqual([['3', 'gone']]);
});

test('requests that are decided synchronously let all others proceed', () => {
  const { admission } = start();
  let proceeded = 0;
  const proceed = (): void => {
    proceeded += 1;
    admission.leave(undefined);
  };
  admission.enter();
  admission.enter();
  for (let n = 0; n < 50; n += 1) {
    admission.wait({ key: 'a', client: { clientGone: false }, proceed, refuse: () => undefined });
  }
  admission.leave(undefined);
  expect(proceeded).toBe(50);
  expect(admission.status()).toMatchObject({ inFlight: 1, waiting: 0 });
});

test('every request is decided or refused exactly once, within the limit', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ ask: fc.constantFrom('a', 'b', 'c') }) },
    { weight: 3, arbitrary: fc.constant('decide' as const) },
    { weight: 1, arbitrary: fc.constant('late' as const) },
    { weight: 1, arbitrary: fc.record({ pass: fc.nat(600) }) },
  );
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 300 }),
      fc.integer({ min: 1, max: 5 }),
      (steps, most) => {
        const { admission, ask, decide, pass, refused, running } = start({
          inFlightMost: most,
          queueMost: 10,
        });
        let decided = 0;
        let asked = 0;
        const end = (late: boolean): void => {
          if (running.length === 0) return;
          decided += 1;
          if (!late) return decide();
          running.shift();
          admission.leaveLate();
        };
        for (const action of steps) {
          if (action === 'decide' || action === 'late') end(action === 'late');
          else if ('pass' in action) pass(action.pass);
          else ask(String((asked += 1)), action.ask);
          const { inFlight, inFlightLimit, waiting } = admission.status();
          expect(inFlight).toBe(running.length);
          expect(inFlight).toBeLessThanOrEqual(most);
          expect(waiting).toBeLessThanOrEqual(10);
          if (waiting > 0) expect(inFlight).toBeGreaterThanOrEqual(inFlightLimit);
          expect(decided + refused.length + running.length + waiting).toBe(asked);
        }
        while (running.length > 0) end(false);
        expect(decided + refused.length).toBe(asked);
        expect(jest.getTimerCount()).toBe(0);
      },
    ),
  );
});
