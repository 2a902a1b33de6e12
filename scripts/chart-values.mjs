// Writes the tables of values in the Helm chart's README from the comments of its values.yaml.
// `--check` writes nothing and fails when the tables have drifted, or a value has no comment.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, parseDocument } from 'yaml';

const chart = join(import.meta.dirname, '..', 'deploy', 'helm', 'tollgate');
const page = join(chart, 'README.md');
const [START, END] = ['<!-- values -->', '<!-- end of values -->'];

main();

function main() {
  const document = parseDocument(readFileSync(join(chart, 'values.yaml'), 'utf8'));
  const rows = rowsOf(document.contents);
  const silent = rows.filter((row) => row.comment === '');
  if (silent.length > 0) fail(`without a comment: ${silent.map(({ path }) => path).join(', ')}`);

  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(START);
  const after = rest?.split(END)[1];
  if (after === undefined) fail(`README.md has no ${START} and ${END}`);
  const wanted = `${before}${START}\n\n${tables(rows)}\n${END}${after}`;
  if (wanted === text) return;
  if (process.argv.includes('--check')) {
    fail('README.md does not have the values of values.yaml: run node scripts/chart-values.mjs');
  }
  writeFileSync(page, wanted);
}

/** One row for each value that is not a group of others. A group needs no comment. */
function rowsOf(map, prefix = '', inherited = '') {
  return map.items.flatMap(({ key, value }, n) => {
    const path = prefix + key.value;
    // The parser gives the comment above a map's first key to the map.
    const comment = key.commentBefore ?? (n === 0 ? inherited : '') ?? '';
    if (isMap(value) && value.items.length > 0 && !isLeaf(value)) {
      return rowsOf(value, `${path}.`, value.commentBefore ?? '');
    }
    return [{ path, comment: lastParagraph(comment), fallback: JSON.stringify(value.toJSON()) }];
  });
}

/** A map without comments inside is the default of one value, such as resources. */
function isLeaf(map) {
  if (map.commentBefore) return false;
  return map.items.every(
    ({ key, value }) => !key.commentBefore && (!isMap(value) || isLeaf(value)),
  );
}

/** The head of the file is a paragraph of its own. */
function lastParagraph(comment) {
  const paragraphs = comment.split(/\n\s*\n/);
  return paragraphs
    .at(-1)
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim();
}

function tables(rows) {
  const groups = Map.groupBy(rows, ({ path }) => (path.includes('.') ? path.split('.')[0] : ''));
  return [...groups]
    .map(([group, members]) => {
      const title = group === '' ? '### Of the whole release' : `### ${group}`;
      const lines = members.map(
        ({ path, comment, fallback }) =>
          `| \`${path}\` | ${comment.replaceAll('|', '\\|')} | \`${fallback.replaceAll('|', '\\|')}\` |`,
      );
      return [title, '', '| value | meaning | default |', '| --- | --- | --- |', ...lines, ''].join(
        '\n',
      );
    })
    .join('\n');
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
