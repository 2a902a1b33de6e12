import { readProcesses, unlessExhausted } from './process-table';

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('the table has this process', () => {
  const own = readProcesses().find(({ pid }) => pid === process.pid);
  expect(own).toMatchObject({ uid: process.geteuid?.() });
  expect(own?.variable('PATH')).toBe(process.env['PATH']);
});

test.each([
  ['EMFILE', undefined],
  ['ENFILE', undefined],
  ['EIO', 'EIO'],
])('%s', (code, thrown) => {
  const look = (): never => {
    throw Object.assign(new Error(code), { code });
  };
  if (thrown === undefined) expect(unlessExhausted(look)).toBeUndefined();
  else expect(() => unlessExhausted(look)).toThrow(thrown);
});
