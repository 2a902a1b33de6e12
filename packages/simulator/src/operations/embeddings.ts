// POST /v1/embeddings: a vector of `dimensions` (default 16) for each input, made up from it.

import { arrayOf, countOf, type JsonObject } from '../json';
import { invalid, json, type Call, type Problem, type Reply } from '../reply';
import { countTokens } from '../tokens';
import { inputOf, inputOnly } from '../usage';
import { bytesOf, vectorFor } from '../vectors';

const DIMENSIONS = 16;
const MAX_DIMENSIONS = 4096;
const MAX_INPUTS = 2048;

/** One text or list of token ids, with its number of tokens. */
interface Input {
  text: string;
  tokens: number;
}

/** A text, token ids, or a list of either; undefined for anything else. */
export function inputsOf(value: unknown): Input[] | undefined {
  const one = oneInput(value);
  if (one !== undefined) return [one];
  const all = arrayOf(value).map(oneInput);
  return all.length === 0 ? undefined : allDefined(all);
}

function allDefined(all: (Input | undefined)[]): Input[] | undefined {
  const defined = all.filter((one) => one !== undefined);
  return defined.length === all.length ? defined : undefined;
}

function oneInput(value: unknown): Input | undefined {
  if (typeof value === 'string') return { text: value, tokens: countTokens(value) };
  const ids = arrayOf(value);
  const isIds = ids.length > 0 && ids.every((id) => countOf(id) !== undefined);
  return isIds ? { text: ids.join(' '), tokens: ids.length } : undefined;
}

export function embeddings(call: Call): Reply | Problem {
  const { body, directives, model } = call;
  const inputs = inputsOf(body['input']);
  if (inputs === undefined || inputs.length > MAX_INPUTS) {
    return invalid("'$.input' is invalid.", 'input');
  }
  const encoding = 'encoding_format' in body ? body['encoding_format'] : 'float';
  if (encoding !== 'float' && encoding !== 'base64') {
    return invalid("Input should be 'float' or 'base64'.", 'encoding_format');
  }
  const dimensions = countOf(body['dimensions'] ?? DIMENSIONS) ?? 0;
  if (dimensions < 1 || dimensions > MAX_DIMENSIONS) {
    return invalid(`Dimensions are 1 to ${MAX_DIMENSIONS}.`, 'dimensions');
  }
  const data = inputs.map(({ text }, index): JsonObject => {
    const vector = vectorFor(text, dimensions);
    const embedding = encoding === 'base64' ? bytesOf(vector).toString('base64') : vector;
    return { object: 'embedding', index, embedding };
  });
  const count = inputs.reduce((sum, { tokens }) => sum + tokens, 0);
  return {
    id: `embd-${call.id}`,
    tokens: 0,
    usage: () => inputOnly(count, directives),
    unary: (usage) =>
      json({
        object: 'list',
        data,
        model,
        ...(usage === undefined
          ? {}
          : { usage: { prompt_tokens: inputOf(usage), total_tokens: inputOf(usage) } }),
      }),
  };
}
