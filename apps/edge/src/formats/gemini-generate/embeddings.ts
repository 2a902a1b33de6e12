// `…:embedContent` has one content, `…:batchEmbedContents` a list of requests; the vendor's SDKs
// use the list for one content too.

import { gatewayError, tokensIn, type TokenUsage } from '@tollgate/contracts';

import { createDropList } from '../drop-list';
import type { EmbeddingsAnswer, EmbeddingsInput, EmbeddingsRequest } from '../embeddings';
import type { DecodeContext, EncodedRequest, TargetContext } from '../format';
import { arrayOf, isObject, objectOf, present } from '../json';
import type { JsonObject } from '../normalised';
import { parsePayload } from '../schema';
import { invalidAnswer } from '../upstream-error';
import { readVector } from '../vectors';
import { decodeConversation } from './decode-contents';
import { fieldOf, otherFields, spellingOf } from './names';
import { decodeUsage } from './usage';
import {
  BATCH_FIELDS,
  batchEmbedRequest,
  EMBED_FIELDS,
  embedRequest,
  MOST_EMBEDDED,
  type WireEmbedRequest,
} from './wire-embeddings';

export function decodeRequest(body: JsonObject, context: DecodeContext): EmbeddingsRequest {
  const { model = '', batch = false } = context;
  const common = { format: 'gemini-generate', model, encoding: 'float', batch, raw: body } as const;
  if (!batch) {
    const wire = parsePayload(embedRequest, body);
    checkModel(wire, model, 'model');
    const input = inputOf(wire, 'content');
    const extras = Object.keys(otherFields(body, EMBED_FIELDS));
    return { ...common, ...present({ provider: wire.provider }), inputs: [input], extras };
  }
  const wire = parsePayload(batchEmbedRequest, body);
  const extras = new Set(Object.keys(otherFields(body, BATCH_FIELDS)));
  for (const request of arrayOf(fieldOf(body, 'requests')).filter(isObject)) {
    for (const name of Object.keys(otherFields(request, EMBED_FIELDS))) {
      extras.add(`requests[].${name}`);
    }
  }
  const inputs = wire.requests.map((request, at) => {
    checkModel(request, model, `requests[${at}].model`);
    return inputOf(request, `requests[${at}].content`);
  });
  return { ...common, ...present({ provider: wire.provider }), inputs, extras: [...extras] };
}

/** A body may repeat the model of the path, but not name another. */
function checkModel({ model }: WireEmbedRequest, named: string, param: string): void {
  if (!model || model.replace(/^models\//, '') === named.replace(/^models\//, '')) return;
  const text = `${param}: must be the model of the path (models/${named})`;
  throw gatewayError('invalid_request', text, { param });
}

function inputOf(wire: WireEmbedRequest, path: string): EmbeddingsInput {
  const beyond: JsonObject = {};
  const messages = decodeConversation({ contents: [wire.content] }, beyond);
  const content = messages.flatMap((message) => message.content);
  const other = wire.content.parts?.findIndex((part) => typeof part.text !== 'string') ?? -1;
  return {
    path: path.replace(/\.?content$/, ''),
    content,
    ...(other < 0 ? {} : { untranslatable: `${path}.parts[${other}]` }),
    ...present({ dimensions: wire.outputDimensionality }),
  };
}

export function encodeRequest(request: EmbeddingsRequest, target: TargetContext): EncodedRequest {
  const model = `models/${target.model.replace(/^models\//, '')}`;
  if (request.format === 'gemini-generate') return { body: renamed(request, model), dropped: [] };
  const drops = createDropList(target.strict);
  for (const path of request.extras) drops.drop(path);
  if (request.inputs.length > MOST_EMBEDDED) {
    const text = `input: the provider of this model embeds at most ${MOST_EMBEDDED} texts at once`;
    throw gatewayError('unsupported_parameter', text, { param: 'input' });
  }
  const requests = request.inputs.map(({ path, content, untranslatable, dimensions }) => {
    if (untranslatable !== undefined) {
      const text = `${path}: the provider of this model takes text, not token ids`;
      throw gatewayError('unsupported_parameter', text, { param: path });
    }
    const parts = content.flatMap((block) => (block.type === 'text' ? [{ text: block.text }] : []));
    return { model, content: { parts }, ...present({ outputDimensionality: dimensions }) };
  });
  return { body: { requests }, dropped: drops.finish() };
}

/** The client's payload, with the upstream's model name wherever the client named one. */
function renamed({ raw, batch }: EmbeddingsRequest, model: string): JsonObject {
  const { provider: _, ...body } = raw;
  const of = (one: JsonObject): JsonObject => ({ ...one, model });
  if (!batch) return 'model' in body ? of(body) : body;
  const field = spellingOf(body, 'requests');
  return { ...body, [field]: arrayOf(body[field]).filter(isObject).map(of) };
}

export function decode(body: unknown, inputs: number): EmbeddingsAnswer {
  const answer = objectOf(body) ?? {};
  const rows = answer['embedding'] ? [answer['embedding']] : arrayOf(answer['embeddings']);
  if (rows.length !== inputs) throw invalidAnswer('it does not hold one embedding for each input');
  const vectors = rows.map((row) => readVector(objectOf(row)?.['values']));
  return { vectors, ...present({ usage: usageIn(answer) }) };
}

export function encode(
  { vectors, usage }: Required<EmbeddingsAnswer>,
  { batch }: EmbeddingsRequest,
): JsonObject {
  const tokenCount = usage ? tokensIn(usage) : 0;
  const usageMetadata = {
    promptTokenCount: tokenCount,
    promptTokenDetails: [{ modality: 'TEXT', tokenCount }],
  };
  const rows = vectors.map((values) => ({ values }));
  return batch ? { embeddings: rows, usageMetadata } : { embedding: rows[0], usageMetadata };
}

/** Its usage details are spelled differently from those of generated content. */
export function usageIn(body: JsonObject): TokenUsage | undefined {
  const usage = objectOf(body['usageMetadata']);
  if (!usage) return undefined;
  const details = usage['promptTokensDetails'] ?? usage['promptTokenDetails'];
  return decodeUsage({ ...usage, promptTokensDetails: details })?.tokens;
}
