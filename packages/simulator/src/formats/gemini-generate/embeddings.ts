// POST …/models/{model}:embedContent and :batchEmbedContents: a vector of `outputDimensionality`
// (default 16) for each content, made up from its text. Every request of a batch repeats the model.

import { arrayOf, countOf, objectOf, textOf, type JsonObject } from '../../json';
import { invalid, json, type Call, type Problem, type Reply } from '../../reply';
import { inputOf, inputOnly } from '../../usage';
import { vectorFor } from '../../vectors';
import { countContents, field, objectIn, partsOf } from './request';
import { byModality } from './response';

const DIMENSIONS = 16;
const MAX_DIMENSIONS = 3072;
const MAX_BATCH = 100;

export function embedContent(call: Call): Reply | Problem {
  const problem = checkEmbed(call.body);
  if (problem !== undefined) return problem;
  return replyTo(call, [call.body], ([embedding]) => ({ embedding }));
}

export function batchEmbedContents(call: Call): Reply | Problem {
  const requests = arrayOf(field(call.body, 'requests')).map((request) => objectOf(request) ?? {});
  const batch = '* BatchEmbedContentsRequest.requests';
  if (requests.length === 0) return invalid(`${batch}: requests is not specified`);
  if (requests.length > MAX_BATCH) {
    return invalid(`${batch}: at most ${MAX_BATCH} requests can be in one batch`);
  }
  for (const [at, request] of requests.entries()) {
    const problem = checkModel(request, call.model, `${batch}[${at}].model`) ?? checkEmbed(request);
    if (problem !== undefined) return problem;
  }
  return replyTo(call, requests, (embeddings) => ({ embeddings }));
}

function checkModel(request: JsonObject, model: string, path: string): Problem | undefined {
  const named = textOf(request['model']);
  if (named === '') return invalid(`${path}: model is not specified`);
  if (!named.startsWith('models/')) return invalid(`${path}: unexpected model name format`);
  if (named === `models/${model}`) return undefined;
  return invalid(`${path}: must match the model of the batch, models/${model}`);
}

function checkEmbed(request: JsonObject): Problem | undefined {
  const content = objectIn(request, 'content');
  const parts = partsOf(content);
  if (content === undefined || parts.length === 0) {
    return invalid('* EmbedContentRequest.content: content is not specified');
  }
  if (parts.some((part) => Object.keys(part).length === 0 || part['text'] === '')) {
    return invalid('* EmbedContentRequest.content contains an empty Part.');
  }
  const dimensions = dimensionsOf(request);
  if (dimensions < 1 || dimensions > MAX_DIMENSIONS) {
    return invalid(`* EmbedContentRequest.output_dimensionality: must be 1 to ${MAX_DIMENSIONS}`);
  }
  return undefined;
}

function dimensionsOf(request: JsonObject): number {
  return countOf(field(request, 'outputDimensionality') ?? DIMENSIONS) ?? 0;
}

function replyTo(
  { id, directives }: Call,
  requests: JsonObject[],
  bodyOf: (embeddings: JsonObject[]) => JsonObject,
): Reply {
  const contents = requests.map((request) => objectIn(request, 'content') ?? {});
  const embeddings = requests.map((request, at) => {
    const text = partsOf(contents[at])
      .map((part) => textOf(part['text']))
      .join(' ');
    return { values: vectorFor(text, dimensionsOf(request)) };
  });
  const count = countContents(contents);
  return {
    id: `embd-${id}`,
    tokens: 0,
    usage: () => inputOnly(count.text + count.audio + (count.image ?? 0), directives),
    unary: (usage) => {
      if (usage === undefined) return json(bodyOf(embeddings));
      const promptTokenCount = inputOf(usage);
      const promptTokenDetails = byModality(promptTokenCount, 0);
      return json({
        ...bodyOf(embeddings),
        usageMetadata: { promptTokenCount, promptTokenDetails },
      });
    },
  };
}
