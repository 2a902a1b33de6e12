// POST /v1/moderations: an input with the word `violence` is flagged. The answer has no usage, but
// the bill has the input.

import { arrayOf, objectsOf, textOf, type JsonObject } from '../json';
import { invalid, json, type Call, type Problem, type Reply } from '../reply';
import { countImage, countTokens } from '../tokens';
import { inputOnly } from '../usage';

const CATEGORIES = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/instructions',
  'self-harm/intent',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
];

export function moderations(call: Call): Reply | Problem {
  const { input } = call.body;
  const texts = textsIn(input);
  if (texts.length === 0) return invalid('An input is required.', 'input', 'missing');
  const images = objectsOf(input).filter(({ type }) => type === 'image_url').length;
  const count = texts.reduce((sum, text) => sum + countTokens(text), images * countImage());
  const id = `modr-${call.id}`;
  const results = texts.map((text) => resultFor(text.includes('violence'), images > 0));
  return {
    id,
    tokens: 0,
    usage: () => inputOnly(count, call.directives),
    unary: () => json({ id, model: call.model, results }),
  };
}

/** Parts of different types are one input with one result. */
function textsIn(input: unknown): string[] {
  if (typeof input === 'string') return [input];
  const values = arrayOf(input);
  if (values.every((value) => typeof value === 'string')) return values;
  return [
    objectsOf(input)
      .map(({ text }) => textOf(text))
      .join(' '),
  ];
}

function resultFor(flagged: boolean, withImage: boolean): JsonObject {
  const by = <T>(value: (hit: boolean) => T): Record<string, T> =>
    Object.fromEntries(CATEGORIES.map((name) => [name, value(flagged && name === 'violence')]));
  const types = withImage ? ['text', 'image'] : ['text'];
  return {
    flagged,
    categories: by((hit) => hit),
    category_scores: by((hit) => (hit ? 0.9 : 0.001)),
    category_applied_input_types: by(() => types),
  };
}
