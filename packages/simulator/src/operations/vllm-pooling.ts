// vLLM's POST /pooling and /classify: vectors and labels made up from the input.
//
// /pooling returns a vector of `dimensions` (default 8) for each input; with the task `token_embed`
// or `token_classify` one per token. `encoding_format` is `float`, `base64`, or raw bytes: `bytes`
// (described in the header `metadata`) and `bytes_only`.

import { countChat } from '../formats/openai-chat/request';
import { countOf, objectsOf, textOf, type JsonObject } from '../json';
import { invalid, json, type Call, type Payload, type Problem, type Reply } from '../reply';
import { inputOf, inputOnly } from '../usage';
import { bytesOf, DTYPES, hashOf, vectorFor, type Dtype } from '../vectors';
import { inputsOf } from './embeddings';

const DIMENSIONS = 8;
const MAX_DIMENSIONS = 4_096;
const TOKEN_TASKS: readonly unknown[] = ['token_embed', 'token_classify'];
const ENCODINGS: readonly unknown[] = ['float', 'base64', 'bytes', 'bytes_only'];
const LABELS = ['Default', 'Spoiled'];

interface Input {
  text: string;
  tokens: number;
}

/** `input`, `messages` as one input, or a plugin's `data`. */
function readInputs(body: JsonObject): Input[] | undefined {
  if (Array.isArray(body['messages'])) {
    const text = objectsOf(body['messages'])
      .map(({ content }) => textOf(content))
      .join('\n');
    return [{ text, tokens: countChat(body).text }];
  }
  if (body['data'] !== undefined) {
    const text = typeof body['data'] === 'string' ? body['data'] : JSON.stringify(body['data']);
    return inputsOf(text);
  }
  return inputsOf(body['input']);
}

function tokensOf(inputs: Input[]): number {
  return inputs.reduce((sum, { tokens }) => sum + tokens, 0);
}

export function pooling(call: Call): Reply | Problem {
  const { body, directives } = call;
  const inputs = readInputs(body);
  if (inputs === undefined) return invalid('An input is required.', 'input');
  const encoding = 'encoding_format' in body ? body['encoding_format'] : 'float';
  if (!ENCODINGS.includes(encoding)) return invalid('No such encoding.', 'encoding_format');
  const dtype = textOf(body['embed_dtype']) || 'float32';
  if (!DTYPES.includes(dtype)) return invalid('No such type.', 'embed_dtype');
  const dimensions = countOf(body['dimensions'] ?? DIMENSIONS) ?? 0;
  if (dimensions < 1 || dimensions > MAX_DIMENSIONS) {
    return invalid(`Dimensions are 1 to ${MAX_DIMENSIONS}.`, 'dimensions');
  }
  const each = TOKEN_TASKS.includes(body['task']);
  const vectors = inputs.map(({ text, tokens }) =>
    Array.from({ length: each ? tokens : 1 }, (_, at) =>
      vectorFor(each ? `${at} ${text}` : text, dimensions),
    ),
  );
  const endianness = body['endianness'] === 'big' ? 'big' : 'little';
  const pack = (rows: number[][]): Buffer =>
    Buffer.concat(rows.map((row) => bytesOf(row, dtype as Dtype, endianness)));
  const count = tokensOf(inputs);
  return {
    id: `pool-${call.id}`,
    tokens: 0,
    usage: () => inputOnly(count, directives),
    unary(usage) {
      const report = usage === undefined ? {} : { usage: usageOfInput(inputOf(usage)) };
      if (encoding === 'bytes' || encoding === 'bytes_only') {
        const shapes = vectors.map((rows) => (each ? [rows.length, dimensions] : [dimensions]));
        const meta = { embed_dtype: dtype, endianness, ...report };
        return rawBytes(call, vectors.map(pack), shapes, encoding === 'bytes' ? meta : undefined);
      }
      const data = vectors.map((rows, index) => {
        const plain = each ? rows : (rows[0] ?? []);
        const coded = encoding === 'base64' ? pack(rows).toString('base64') : plain;
        return { index, object: 'pooling', data: coded };
      });
      return json({ ...heading(call, 'pool'), data, ...report });
    },
  };
}

function rawBytes(
  call: Call,
  parts: Buffer[],
  shapes: number[][],
  meta: JsonObject | undefined,
): Payload {
  const type = 'application/octet-stream';
  const body = Buffer.concat(parts);
  if (meta === undefined) return { type, body };
  let end = 0;
  const data = parts.map((part, index) => {
    const start = end;
    end += part.length;
    return { index, shape: shapes[index], start, end, ...meta, usage: undefined };
  });
  const { usage } = meta;
  const metadata = JSON.stringify({ ...heading(call, 'pool'), data, usage });
  return { type, body, headers: { metadata } };
}

function heading(call: Call, prefix: string): JsonObject {
  return { id: `${prefix}-${call.id}`, object: 'list', created: call.atS, model: call.model };
}

export function usageOfInput(prompt: number): JsonObject {
  return {
    prompt_tokens: prompt,
    total_tokens: prompt,
    completion_tokens: 0,
    prompt_tokens_details: null,
  };
}

export function classify(call: Call): Reply | Problem {
  const inputs = readInputs(call.body);
  if (inputs === undefined) return invalid('An input is required.', 'input');
  const raw = call.body['use_activation'] === false;
  const data = inputs.map(({ text }, index) => {
    const second = (hashOf(text) % 1000) / 1000;
    const probs = raw ? [-second, second] : [1 - second, second];
    const at = second > (raw ? 0 : 0.5) ? 1 : 0;
    return { index, label: LABELS[at], probs, num_classes: LABELS.length };
  });
  const count = tokensOf(inputs);
  return {
    id: `classify-${call.id}`,
    tokens: 0,
    usage: () => inputOnly(count, call.directives),
    unary: (usage) =>
      json({
        ...heading(call, 'classify'),
        data,
        ...(usage === undefined ? {} : { usage: usageOfInput(inputOf(usage)) }),
      }),
  };
}
