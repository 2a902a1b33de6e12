// A loader for the schemas of the REST API: removes the calls of `meta`. Their descriptions are for the OpenAPI
// document, which the catalog serves; in the console they are only weight. So the schemas must not read `meta()` either.
const { parseSync } = require('@swc/core');

module.exports = function withoutDescriptions(source) {
  if (!source.includes('.meta(')) return source;
  // swc counts positions in bytes, from the first token on, and keeps counting across files. The semicolon makes the
  // first token the start of the text.
  const bytes = Buffer.from(`;${source}`);
  const tree = parseSync(bytes.toString(), { syntax: 'typescript', target: 'es2024' });
  const kept = [];
  let at = 1;
  for (const { from, to } of callsOfMeta(tree).toSorted((a, b) => a.from - b.from)) {
    const [start, end] = [from - tree.span.start, to - tree.span.start];
    if (start < at) continue;
    kept.push(bytes.subarray(at, start));
    at = end;
  }
  kept.push(bytes.subarray(at));
  return Buffer.concat(kept).toString();
};

function callsOfMeta(node) {
  if (node === null || typeof node !== 'object') return [];
  const inside = Object.values(node).flatMap(callsOfMeta);
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return inside;
  const { object, property } = node.callee;
  if (property.type !== 'Identifier' || property.value !== 'meta') return inside;
  return [...inside, { from: object.span.end, to: node.span.end }];
}
