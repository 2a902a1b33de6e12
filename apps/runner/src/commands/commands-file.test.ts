import { writeCommands } from '../test-support/rig';
import { environmentOf, readCommandsFile } from './commands-file';

test('without a file there are no commands', () => {
  expect(readCommandsFile('', '/bin').size).toBe(0);
});

test('every wrong field is named', () => {
  const file = writeCommands({
    'Bad Name': { command: 'a' },
    one: { args: [] },
    two: { command: './a', env: ['A=B'], memoryMb: -1, shell: true },
  });
  expect(() => readCommandsFile(file, '/bin')).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(
        /Bad Name[^]*one\.command[^]*two\.command[^]*two\.env\.0[^]*two\.memoryMb[^]*shell/,
      ),
    }),
  );
});

test('a file that is not there is named', () => {
  expect(() => readCommandsFile('/nowhere.json', '/bin')).toThrow(
    'RUNNER_COMMANDS_FILE (/nowhere.json)',
  );
});

test('a secret takes the place of a variable of the same name', () => {
  const file = writeCommands({ one: { command: 'sh', env: ['KEY', 'GONE'], secretEnv: 'KEY' } });
  const command = readCommandsFile(file, '/bin').get('one');
  if (command === undefined) throw new Error('no command');
  const own = { PATH: '/bin', KEY: 'old', OTHER: 'x' };
  expect(environmentOf(command, own, 'new')).toEqual({ PATH: '/bin', KEY: 'new' });
  expect(environmentOf(command, own, undefined)).toEqual({ PATH: '/bin', KEY: 'old' });
});

test('a name is looked up in PATH once, and only in absolute folders', () => {
  const file = writeCommands({ one: { command: 'sh' }, two: { command: '/bin/sh' } });
  const commands = readCommandsFile(file, '.:relative:/nowhere:/bin');
  expect([...commands.values()].map(({ command }) => command)).toEqual(['/bin/sh', '/bin/sh']);
});

test('programs and folders that are not there are named', () => {
  const file = writeCommands({
    one: { command: 'no-such-program' },
    two: { command: '/etc/passwd' },
    three: { command: 'sh', cwd: '/nowhere' },
  });
  expect(() => readCommandsFile(file, '/bin')).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(
        /one\.command: there is no program no-such-program[^]*two\.command[^]*three\.cwd: there is no \/nowhere/,
      ),
    }),
  );
});
