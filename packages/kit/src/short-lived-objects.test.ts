import { execFileSync } from 'node:child_process';

import { SHORT_LIVED_OBJECTS_FLAGS, tuneForShortLivedObjects } from './short-lived-objects';

// In a running process V8 passes over what it does not know; of a command line it refuses it.
test('V8 knows every flag that it is told', () => {
  expect(
    execFileSync(process.execPath, [...SHORT_LIVED_OBJECTS_FLAGS, '-p', '1'], { encoding: 'utf8' }),
  ).toBe('1\n');
  expect(() =>
    execFileSync(process.execPath, ['--no-such-flag', '-p', '1'], { stdio: 'ignore' }),
  ).toThrow();
});

test('a running process takes them', () => {
  expect(tuneForShortLivedObjects).not.toThrow();
});
