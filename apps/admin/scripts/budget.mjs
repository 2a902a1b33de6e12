// Fails the build when a page asks the browser for more JavaScript than its limit. Reads what
// `next build` wrote down: the files that every page loads, and those of each page's own parts.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';

/** Bytes after gzip; a route that is not named has the limit of `every`. */
const LIMITS = {
  every: 374_000,
  '/login': 314_500,
  '/forgot-password': 303_000,
  '/reset-password': 303_000,
  '/accept-invitation': 303_000,
};

const built = join(dirname(dirname(fileURLToPath(import.meta.url))), '.next');
const json = (name) => JSON.parse(readFileSync(join(built, name), 'utf8'));
const sizes = new Map();

function gzippedBytes(file) {
  const known = sizes.get(file) ?? gzipSync(readFileSync(join(built, file))).length;
  sizes.set(file, known);
  return known;
}

/** The scripts of one page, its layouts included, less those that every page loads. */
function scriptsOf(page) {
  const manifest = join(built, 'server/app', `${page}_client-reference-manifest.js`);
  const context = { __RSC_MANIFEST: {} };
  runInNewContext(readFileSync(manifest, 'utf8'), context);
  const [{ entryJSFiles }] = Object.values(context.__RSC_MANIFEST);
  return Object.values(entryJSFiles).flat();
}

const everywhere = json('build-manifest.json').rootMainFiles;
const pages = Object.entries(json('app-path-routes-manifest.json')).filter(([file]) =>
  file.endsWith('/page'),
);
if (pages.length === 0) throw new Error('the build names no page');
for (const named of Object.keys(LIMITS)) {
  if (named === 'every' || pages.some(([, route]) => route === named)) continue;
  throw new Error(`a limit is for ${named}, which the build does not have`);
}
let tooBig = 0;
for (const [page, route] of pages) {
  const files = new Set([...everywhere, ...scriptsOf(page)]);
  const bytes = [...files].reduce((sum, file) => sum + gzippedBytes(file), 0);
  const limit = LIMITS[route] ?? LIMITS.every;
  if (bytes <= limit) continue;
  tooBig += 1;
  console.error(`${route}: ${bytes} bytes of JavaScript after gzip, ${limit} are allowed`);
}
if (tooBig > 0) process.exit(1);
