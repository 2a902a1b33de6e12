#!/usr/bin/env node
// Checks that every dependency in a package.json is imported by that package. It reads the sources for
// import specifiers instead of resolving them, so that it needs no install and no build.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Dependencies that no source imports, and what uses them. */
const USED_BY_NAME = {
  '@ianvs/prettier-plugin-sort-imports': '.prettierrc.json names it',
  '@swc/core': 'the peer of @swc/jest',
  'oxlint-tsgolint': 'oxlint --type-aware runs it',
  '@types/jest': 'the globals of tests',
  '@types/node': 'the modules of Node',
  '@types/react-dom': "Next's own declarations refer to it",
  'react-dom': 'the peer of next',
  jest: 'a script runs it',
  node: 'the pinned runtime',
  oxlint: 'a script runs it',
  prettier: 'a script runs it',
  turbo: 'a script runs it',
  typescript: 'a script runs it',
};

const SOURCE = /\.(?:[cm]?[jt]s|tsx|css)$/;
const SKIPPED = new Set(['node_modules', 'dist', '.next', '.turbo', '.git', '.local']);
const SPECIFIER =
  /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire(?:\.resolve)?\(\s*|@import\s+)(['"`])((?:(?!\1)[^\n])+)\1/g;
/** Configuration files name plugins and transforms in plain strings. */
const CONFIGURATION = /(?:^|\/)[\w.]*\.config\.[cm]?[jt]s$/;
const STRING = /(['"])([@a-z][\w@./-]*)\1/g;

const root = dirname(dirname(fileURLToPath(import.meta.url)));

main(process.argv[2] ?? root);

function main(folder) {
  const unused = packagesIn(folder).flatMap((home) => unusedIn(folder, home));
  if (unused.length === 0) return;
  process.stderr.write(`${unused.join('\n')}\n`);
  process.exitCode = 1;
}

/** The folders of all packages, the root's first. */
function packagesIn(folder) {
  const members = ['apps', 'packages'].flatMap((group) =>
    existsSync(join(folder, group))
      ? readdirSync(join(folder, group)).map((name) => join(group, name))
      : [],
  );
  return ['.', ...members].filter((home) => existsSync(join(folder, home, 'package.json')));
}

function unusedIn(folder, home) {
  const manifest = JSON.parse(readFileSync(join(folder, home, 'package.json'), 'utf8'));
  // A package's own imports do not count as uses by the root.
  const skipped = home === '.' ? new Set([...SKIPPED, 'apps', 'packages']) : SKIPPED;
  const imported = new Set(sourcesIn(join(folder, home), skipped).flatMap(specifiersIn));
  return ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.keys(manifest[kind] ?? {})
      .filter((name) => !(name in USED_BY_NAME) && !isImported(name, imported))
      .map((name) => `${join(home, 'package.json')}: nothing imports ${name} (${kind})`),
  );
}

function sourcesIn(folder, skipped) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : sourcesIn(path, skipped);
    return SOURCE.test(entry.name) ? [path] : [];
  });
}

function specifiersIn(file) {
  const text = readFileSync(file, 'utf8');
  const found = [
    ...text.matchAll(SPECIFIER),
    ...(CONFIGURATION.test(file) ? text.matchAll(STRING) : []),
  ];
  return found.map(([, , specifier]) => specifier);
}

/** Type packages are used where the described package is; `@types/a__b` describes `@a/b`. */
function isImported(name, imported) {
  const described = /^@types\/(?:(.+)__)?(.+)$/.exec(name);
  if (described) {
    const [, scope, base] = described;
    return isImported(scope ? `@${scope}/${base}` : base, imported);
  }
  return [...imported].some((specifier) => {
    // A computed name counts up to its first variable.
    const [literal] = specifier.split('${');
    if (literal !== specifier) return literal.includes('/') && name.startsWith(literal);
    return specifier === name || specifier.startsWith(`${name}/`);
  });
}
