// vLLM's POST /score and /rerank. A document's score is the share of the query's words that it
// contains. A pair counts the tokens of both texts.

import { arrayOf, countOf, objectOf, objectsOf, textOf, type JsonObject } from '../json';
import { invalid, json, type Call, type Problem, type Reply } from '../reply';
import { countImage, countTokens } from '../tokens';
import { inputOf, inputOnly } from '../usage';
import { usageOfInput } from './vllm-pooling';

const MAX_PAIRS = 10_000;

/** A text, or contents of several types. */
interface Side {
  text: string;
  tokens: number;
  /** The value as sent; undefined for a text. */
  parts: unknown;
}

function sideOf(value: unknown): Side {
  if (typeof value === 'string')
    return { text: value, tokens: countTokens(value), parts: undefined };
  const parts = objectOf(value)?.['content'];
  const blocks = objectsOf(parts);
  const text = blocks.map((part) => textOf(part['text'])).join(' ');
  const images = blocks.filter(({ type }) => type === 'image_url').length;
  return { text, tokens: countTokens(text) + images * countImage(), parts };
}

/** Undefined if absent or empty. */
function sidesOf(value: unknown): Side[] | undefined {
  if (value === undefined || value === null) return undefined;
  const sides = (Array.isArray(value) ? arrayOf(value) : [value]).map(sideOf);
  return sides.length === 0 ? undefined : sides;
}

function scoreOf(query: Side, document: Side): number {
  const words = query.text
    .toLowerCase()
    .split(/\W+/)
    .filter((word) => word !== '');
  const there = new Set(document.text.toLowerCase().split(/\W+/));
  return words.length === 0 ? 0 : words.filter((word) => there.has(word)).length / words.length;
}

/** The field names of the two sides. */
const NAMES = [
  ['queries', 'documents'],
  ['queries', 'items'],
  ['data_1', 'data_2'],
  ['text_1', 'text_2'],
] as const;

export function score(call: Call): Reply | Problem {
  const { body } = call;
  const names = NAMES.find(([one, two]) => body[one] !== undefined && body[two] !== undefined);
  const ones = names && sidesOf(body[names[0]]);
  const twos = names && sidesOf(body[names[1]]);
  if (ones === undefined || twos === undefined) {
    return invalid('Two sides are required: queries and documents, for one.', 'queries');
  }
  if (ones.length !== 1 && ones.length !== twos.length) {
    return invalid('Input lengths must be either 1:1, 1:N or N:N');
  }
  if (twos.length > MAX_PAIRS) return invalid(`There are at most ${MAX_PAIRS} pairs.`);
  const pairs = twos.map((two, at) => [ones[at] ?? ones[0] ?? two, two] as const);
  const data = pairs.map(([one, two], index) => {
    return { index, object: 'score', score: scoreOf(one, two) };
  });
  const count = pairs.reduce((sum, [one, two]) => sum + one.tokens + two.tokens, 0);
  return {
    id: `score-${call.id}`,
    tokens: 0,
    usage: () => inputOnly(count, call.directives),
    unary: (usage) =>
      json({
        id: `score-${call.id}`,
        object: 'list',
        created: call.atS,
        model: call.model,
        data,
        ...(usage === undefined ? {} : { usage: usageOfInput(inputOf(usage)) }),
      }),
  };
}

export function rerank(call: Call): Reply | Problem {
  const { body } = call;
  const [query] = sidesOf(body['query']) ?? [];
  const documents = sidesOf(body['documents']);
  if (query === undefined) return invalid('A query is required.', 'query');
  if (documents === undefined) return invalid('Documents are required.', 'documents');
  if (documents.length > MAX_PAIRS) return invalid(`There are at most ${MAX_PAIRS} documents.`);
  const top = countOf(body['top_n']) ?? 0;
  const results = documents
    .map((document, index): JsonObject & { relevance_score: number } => ({
      index,
      document: { text: document.text, multi_modal: document.parts ?? null },
      relevance_score: scoreOf(query, document),
    }))
    .sort((a, b) => b.relevance_score - a.relevance_score);
  const count = documents.reduce((sum, { tokens }) => sum + query.tokens + tokens, 0);
  return {
    id: `rerank-${call.id}`,
    tokens: 0,
    usage: () => inputOnly(count, call.directives),
    unary(usage) {
      const tokens = usage === undefined ? undefined : inputOf(usage);
      const report = tokens === undefined ? {} : { prompt_tokens: tokens, total_tokens: tokens };
      return json({
        id: `rerank-${call.id}`,
        model: call.model,
        usage: report,
        results: top > 0 ? results.slice(0, top) : results,
      });
    },
  };
}
