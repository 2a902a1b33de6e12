import fs from 'node:fs';

import { readProcesses } from './process-table';

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('the table has this process', () => {
  const own = readProcesses()?.find(({ pid }) => pid === process.pid);
  expect(own).toMatchObject({ uid: process.geteuid?.() });
  expect(own?.variable('PATH')).toBe(process.env['PATH']);
});

test('without file descriptors there is no table', () => {
  jest.spyOn(fs, 'readdirSync').mockImplementation(() => {
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  });
  expect(readProcesses()).toBeUndefined();
});
