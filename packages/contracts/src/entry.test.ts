import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';

/** Every file that the entry makes a bundler load, with the packages and globals it asks for. */
function loadedFrom(entry: string, seen = new Map<string, string>()): Map<string, string> {
  if (seen.has(entry)) return seen;
  const source = readFileSync(entry, 'utf8');
  seen.set(entry, source);
  for (const name of importsOf(source).filter((name) => name.startsWith('.'))) {
    const path = join(dirname(entry), name);
    const file = [`${path}.ts`, join(path, 'index.ts')].find((candidate) => existsSync(candidate));
    if (file === undefined) throw new Error(`${entry} imports ${name}, which is not there`);
    loadedFrom(file, seen);
  }
  return seen;
}

/** What a file imports or exports from, types apart: those are gone before anything is bundled. */
function importsOf(source: string): string[] {
  const from = /^(?:import|export)\s(?!type\s)[^;]*?from\s+'([^']+)'/gm;
  const bare = /(?:^import\s+|\bimport\(|\brequire\()'([^']+)'/gm;
  return [...source.matchAll(from), ...source.matchAll(bare)].map((match) => match[1] ?? '');
}

test('the import scan sees what it must', () => {
  const source = `import { a } from './a';\nimport type { B } from 'node:b';\nexport * as c from './c';
import {\n  d,\n} from 'd';\nimport 'e';\nconst f = require('f');\nexport type * from './g';`;
  expect(importsOf(source).sort()).toEqual(['./a', './c', 'd', 'e', 'f']);
});

test('the entry for browsers loads nothing of Node and no package but zod', () => {
  const files = loadedFrom(join(__dirname, 'index.ts'));
  expect(files.size).toBeGreaterThan(10);
  for (const [file, source] of files) {
    const packages = importsOf(source).filter((name) => !name.startsWith('.'));
    expect(packages.filter((name) => name !== 'zod' && !name.startsWith('zod/'))).toEqual([]);
    expect(packages.filter((name) => builtinModules.includes(name))).toEqual([]);
    const code = source.replace(/\/\*[^]*?\*\/|\/\/.*/g, '');
    const ofNode = /\b(?:Buffer|process|__dirname|__filename|setImmediate)\b(?!['"\w])[.([]/.exec(
      code,
    );
    expect({ file: relative(__dirname, file), ofNode }).toEqual({
      file: relative(__dirname, file),
      ofNode: null,
    });
  }
});
