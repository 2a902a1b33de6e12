// A loader for the schemas of the REST API: removes the calls of `meta`, and the tag and summary of endpoints. They are
// for the OpenAPI document, which the catalog serves; in the console they are only weight. So the schemas must not read
// `meta()` either.
const { parseSync } = require('@swc/core');

module.exports = function withoutDescriptions(source) {
  if (!source.includes('.meta(') && !source.includes('summary:')) return source;
  // swc counts positions in bytes, from the first token on, and keeps counting across files. The semicolon makes the
  // first token the start of the text.
  const bytes = Buffer.from(`;${source}`);
  const tree = parseSync(bytes.toString(), { syntax: 'typescript', target: 'es2024' });
  const kept = [];
  let at = 1;
  for (const { from, to } of described(tree).toSorted((a, b) => a.from - b.from)) {
    const [start, end] = [from - tree.span.start, to - tree.span.start];
    if (start < at) continue;
    kept.push(bytes.subarray(at, start));
    at = end;
  }
  kept.push(bytes.subarray(at));
  return Buffer.concat(kept).toString();
};

function described(node) {
  if (node === null || typeof node !== 'object') return [];
  const inside = Object.values(node).flatMap(described);
  if (node.type !== 'CallExpression') return inside;
  if (node.callee.type === 'Identifier' && node.callee.value === 'endpoint') {
    return [...inside, ...wordsOf(node.arguments[0].expression)];
  }
  if (node.callee.type !== 'MemberExpression') return inside;
  const { object, property } = node.callee;
  if (property.type !== 'Identifier' || property.value !== 'meta') return inside;
  return [...inside, { from: object.span.end, to: node.span.end }];
}

const WORDS = ['tag', 'summary'];

/** The properties of an endpoint that are only words, each up to the next property. */
function wordsOf({ properties }) {
  const keyOf = (property) => (property.type === 'Identifier' ? property : property.key);
  const startOf = (property) =>
    (property.type === 'SpreadElement' ? property.spread : keyOf(property).span).start;
  return properties.flatMap((property, index) => {
    const next = properties[index + 1];
    const key = keyOf(property);
    if (next === undefined || key === undefined || !WORDS.includes(key.value)) return [];
    return [{ from: key.span.start, to: startOf(next) }];
  });
}
