import { HELP, readArguments } from './arguments';

test('the default is two million records of one year', () => {
  expect(readArguments([])).toEqual({
    records: 2_000_000,
    seed: 1,
    months: 12,
    dir: undefined,
    skipLoad: false,
    edge: false,
    console: false,
    only: undefined,
  });
});

test('the help text has every option', () => {
  expect(readArguments(['--records', 'x', '--help'])).toBeNull();
  for (const name of [
    'records',
    'seed',
    'months',
    'dir',
    'skip-load',
    'only',
    'edge',
    'console',
    'help',
  ]) {
    expect(HELP).toContain(`--${name} `);
  }
});

test.each([
  [['--records', '0'], '--records'],
  [['--records', '1e3'], '--records'],
  [['--seed', ''], '--seed'],
  [['--months', '-1'], '--months'],
  [['--skip-load'], '--skip-load'],
  [['--dir', ''], '--dir'],
  [['--edge', '--console'], '--console'],
  [['--nothing'], '--nothing'],
])('%j is refused with the name of the argument', (args, name) => {
  expect(() => readArguments(args)).toThrow(name);
});
