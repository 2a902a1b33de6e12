// `POST /embeddings`: one input or a list; an input is text or token ids.

import { gatewayError, tokensIn, type TokenUsage } from '@tollgate/contracts';
import { z } from 'zod';

import { createDropList } from '../drop-list';
import type { EmbeddingsAnswer, EmbeddingsInput, EmbeddingsRequest } from '../embeddings';
import type { EncodedRequest, TargetContext } from '../format';
import { arrayOf, countOf, isObject, objectOf, present } from '../json';
import type { ContentBlock, JsonObject } from '../normalised';
import { parsePayload } from '../schema';
import { invalidAnswer } from '../upstream-error';
import { readVector, toBase64 } from '../vectors';
import { decodeUsage } from './usage';

const positive = 'must be a whole number of at least 1';

const fields = {
  model: z.string('must name a model').min(1, 'must name a model'),
  provider: z.string('must be text').nullish(),
  // Self-hosted servers accept more than text and token ids.
  input: z.unknown().refine(isFilled, 'must be text or a list that is not empty'),
  dimensions: z.number(positive).int(positive).min(1, positive).nullish(),
  encoding_format: z.string('must be text').nullish(),
};
const FIELDS: ReadonlySet<string> = new Set(Object.keys(fields));
const embeddingsRequest = z.looseObject(fields);

function isFilled(input: unknown): boolean {
  return Array.isArray(input) ? input.length > 0 : typeof input === 'string' || isObject(input);
}

export function decodeRequest(body: JsonObject): EmbeddingsRequest {
  const { model, provider, input, dimensions, encoding_format } = parsePayload(
    embeddingsRequest,
    body,
  );
  // A list of token ids is one input, and so is any value that is not a list.
  const list = Array.isArray(input) && typeof input[0] !== 'number' ? (input as unknown[]) : [];
  const all = list.length > 0 ? list : [input];
  return {
    format: 'openai-chat',
    model,
    ...present({ provider }),
    inputs: all.map((one, at): EmbeddingsInput => {
      const path = list.length > 0 ? `input[${at}]` : 'input';
      const content: ContentBlock[] = typeof one === 'string' ? [{ type: 'text', text: one }] : [];
      const untranslatable = content.length > 0 ? {} : { untranslatable: path };
      return { path, content, ...untranslatable, ...present({ dimensions }) };
    }),
    batch: true,
    encoding: encoding_format === 'base64' ? 'base64' : 'float',
    extras: Object.keys(body).filter((name) => !FIELDS.has(name) && body[name] !== null),
    raw: body,
  };
}

export function encodeRequest(request: EmbeddingsRequest, target: TargetContext): EncodedRequest {
  if (request.format === 'openai-chat') {
    const { provider: _, ...body } = request.raw;
    return { body: { ...body, model: target.model }, dropped: [] };
  }
  const drops = createDropList(target.strict);
  for (const path of request.extras) drops.drop(path);
  const dimensions = request.inputs[0]?.dimensions;
  const other = request.inputs.find((input) => input.dimensions !== dimensions);
  if (other)
    throw refused(`${other.path}.outputDimensionality`, 'must be the same in all requests');
  const body: JsonObject = {
    model: target.model,
    input: request.inputs.map(textOf),
    encoding_format: 'float',
    ...present({ dimensions }),
  };
  return { body, dropped: drops.finish() };
}

/** Its parts are joined into one text. */
function textOf({ content, untranslatable }: EmbeddingsInput): string {
  if (untranslatable !== undefined) {
    throw refused(untranslatable, 'only text can be embedded by the provider of this model');
  }
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

function refused(param: string, why: string) {
  return gatewayError('unsupported_parameter', `${param}: ${why}.`, { param });
}

export function decode(body: unknown, inputs: number): EmbeddingsAnswer {
  const answer = objectOf(body) ?? {};
  const rows = arrayOf(answer['data']).map((row) => objectOf(row) ?? {});
  if (rows.length !== inputs) throw invalidAnswer('it does not hold one embedding for each input');
  const vectors: number[][] = [];
  for (const [at, row] of rows.entries()) {
    vectors[countOf(row['index']) ?? at] = readVector(row['embedding']);
  }
  // A repeated index leaves another one empty.
  if (vectors.length !== inputs || vectors.includes(undefined as never)) {
    throw invalidAnswer('its embeddings are not numbered by the inputs');
  }
  return { vectors, ...present({ usage: usageIn(answer) }) };
}

export function encode(
  { vectors, usage }: Required<EmbeddingsAnswer>,
  { encoding }: EmbeddingsRequest,
  model: string,
): JsonObject {
  const tokens = usage ? tokensIn(usage) : 0;
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encoding === 'base64' ? toBase64(vector) : vector,
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** Some servers report only a total. */
export function usageIn(body: JsonObject): TokenUsage | undefined {
  const usage = objectOf(body['usage']);
  if (!usage) return undefined;
  const input = usage['prompt_tokens'] ?? usage['total_tokens'];
  return decodeUsage({ ...usage, prompt_tokens: input })?.tokens;
}
