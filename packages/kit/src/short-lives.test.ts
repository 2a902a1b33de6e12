import { execFileSync } from 'node:child_process';
import { SHORT_LIVES, expectShortLives } from './short-lives';

// In a running process V8 passes over what it does not know; of a command line it refuses it.
test('V8 knows every flag that it is told', () => {
  expect(execFileSync(process.execPath, [...SHORT_LIVES, '-p', '1'], { encoding: 'utf8' })).toBe(
    '1\n',
  );
  expect(() =>
    execFileSync(process.execPath, ['--no-such-flag', '-p', '1'], { stdio: 'ignore' }),
  ).toThrow();
});

test('a running process takes them', () => {
  expect(expectShortLives).not.toThrow();
});
