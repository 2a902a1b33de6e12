import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@tollgate/kit';

import { createSharedFolders, existingFolders } from './shared-folders';

const range = { first: 61_000, last: 61_031 };
// Only root can give files to other users, so elsewhere these tests are skipped.
const asRoot = process.platform === 'linux' && process.geteuid?.() === 0;

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tollgate-shared-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

function fileOf(uid: number, name = `of-${uid}`): string {
  const path = join(folder, name);
  writeFileSync(path, '');
  chownSync(path, uid, uid);
  return path;
}

test('folders are resolved, and those that do not exist are named', () => {
  const lines: string[] = [];
  const log = createLogger({
    service: 'runner',
    level: 'info',
    write: (line) => void lines.push(line),
  });
  const [link, missing] = [join(folder, 'link'), join(folder, 'missing')];
  symlinkSync(folder, link);
  expect(existingFolders([folder, link, missing], log)).toEqual([folder]);
  expect(lines.join()).toContain(JSON.stringify({ missing: [missing] }).slice(1, -1));
});

(asRoot ? describe : describe.skip)('as root', () => {
  test('calls share a search, which begins after them', async () => {
    const { owned } = createSharedFolders([folder, join(folder, 'missing')], range);
    for (const uid of [0, range.first - 1, range.first, range.last + 1]) fileOf(uid);
    const first = owned();
    fileOf(range.last);
    const second = owned();
    expect(owned()).toBe(second);
    expect(second).not.toBe(first);
    expect([...(await first).keys()]).toContain(range.first);
    expect(new Set((await second).keys())).toEqual(new Set([range.first, range.last]));
    const third = owned();
    expect(third).not.toBe(second);
    expect(await third).toEqual(await second);
  });

  test('what is in a folder of the user is not named beside it', async () => {
    const own = join(folder, 'own');
    mkdirSync(join(own, 'deeper'), { recursive: true });
    for (const path of [own, join(own, 'deeper')]) chownSync(path, range.first, range.first);
    fileOf(range.first, 'own/deeper/one');
    const other = fileOf(range.last, 'own/deeper/two');
    const { owned } = createSharedFolders([folder], range);
    expect(await owned()).toEqual(
      new Map([
        [range.first, { paths: [own] }],
        [range.last, { paths: [other] }],
      ]),
    );
  });

  test.each(['more than 100 paths', 'a name that is not UTF-8'])('%s', async (what) => {
    if (what.startsWith('a name')) {
      const path = Buffer.concat([Buffer.from(`${folder}/`), Buffer.of(0xff)]);
      writeFileSync(path, '');
      chownSync(path, range.first, range.first);
    } else for (let n = 0; n < 101; n += 1) fileOf(range.first, `many-${n}`);
    const { owned } = createSharedFolders([folder], range);
    expect(await owned()).toEqual(new Map([[range.first, { paths: undefined }]]));
  });
});
