// vLLM's POST /tokenize and /detokenize. A token is a piece of four characters; its id is derived
// from it, and is stored for /detokenize. A message has three tokens around its text and a chat
// three more, so that the count equals the one that chat bills.

import { emptyUsage } from '../bill';
import { countChat } from '../formats/openai-chat/request';
import { arrayOf, countOf, objectsOf, textOf, type JsonObject } from '../json';
import type { Recall } from '../memory';
import { invalid, json, type Call, type Problem, type Reply } from '../reply';
import { piecesOf } from '../tokens';
import { hashOf } from '../vectors';

const MAX_MODEL_LENGTH = 131_072;
const START = '<s>';

/** A piece gets the first free id, starting at its hash. */
function idOf(piece: string, vocabulary: Recall<string>): number {
  let id = hashOf(piece) >>> 1;
  for (;;) {
    const known = vocabulary.get(String(id));
    if (known === undefined) vocabulary.set(String(id), piece);
    if (known === undefined || known === piece) return id;
    id += 1;
  }
}

export function tokenize(call: Call): Reply | Problem {
  const { body, memory } = call;
  const pieces = Array.isArray(body['messages']) ? chatPieces(body) : promptPieces(body);
  if (pieces === undefined) return invalid('A prompt or messages are required.', 'prompt');
  const strings = body['return_token_strs'] === true ? pieces : null;
  const tokens = pieces.map((piece) => idOf(piece, memory.vocabulary));
  const answer = {
    count: pieces.length,
    max_model_len: MAX_MODEL_LENGTH,
    tokens,
    token_strs: strings,
  };
  return { tokens: 0, usage: emptyUsage, unary: () => json(answer) };
}

function promptPieces(body: JsonObject): string[] | undefined {
  if (typeof body['prompt'] !== 'string') return undefined;
  const pieces = piecesOf(body['prompt']);
  return body['add_special_tokens'] === false ? pieces : [START, ...pieces];
}

function chatPieces(body: JsonObject): string[] {
  const special = body['add_special_tokens'] === true ? [START] : [];
  const messages = objectsOf(body['messages']).flatMap((message) => {
    const role = textOf(message['role']);
    // Content other than text becomes placeholder tokens.
    const counted = countChat({ messages: [message] }).text - 6;
    const texts = typeof message['content'] === 'string' ? piecesOf(message['content']) : [];
    const others = Array.from({ length: counted - texts.length }, () => '<|part|>');
    return ['<|start|>', `<|${role}|>`, ...texts, ...others, '<|end|>'];
  });
  const tools = arrayOf(body['tools']).flatMap((tool) => piecesOf(JSON.stringify(tool)));
  const prompt = ['<|start|>', '<|assistant|>', '<|message|>'];
  return [
    ...special,
    ...tools,
    ...messages,
    ...(body['add_generation_prompt'] === false ? [] : prompt),
  ];
}

export function detokenize({ body, memory }: Call): Reply | Problem {
  const tokens = arrayOf(body['tokens']);
  if (!Array.isArray(body['tokens']) || tokens.some((id) => countOf(id) === undefined)) {
    return invalid('Tokens are required.', 'tokens');
  }
  const prompt = tokens.map((id) => memory.vocabulary.get(String(id)) ?? '\uFFFD').join('');
  return { tokens: 0, usage: emptyUsage, unary: () => json({ prompt }) };
}
