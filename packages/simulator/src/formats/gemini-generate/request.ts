// Gemini generateContent: decodes a request and counts its tokens. Google accepts field names in
// camel and in snake case, and so does the simulator.

import type { Ask, Tool } from '../../ask';
import {
  countOf,
  objectOf,
  objectsOf,
  textOf,
  textsOf,
  without,
  type JsonObject,
} from '../../json';
import type { PromptPart } from '../../prompt-cache';
import {
  countImage,
  countJson,
  countSound,
  countTokens,
  TOKENS_PER_MESSAGE,
  TOKENS_PER_REQUEST,
  type InputCount,
} from '../../tokens';

/** A field by its camel-case name, in either spelling. */
export function field(object: JsonObject | undefined, name: string): unknown {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return object?.[name] ?? object?.[snake];
}

export function objectIn(object: JsonObject | undefined, name: string): JsonObject | undefined {
  return objectOf(field(object, name));
}

export function configOf(body: JsonObject): JsonObject {
  return objectIn(body, 'generationConfig') ?? {};
}

export function readGenerate(body: JsonObject): Ask {
  const config = configOf(body);
  const thinking = objectIn(config, 'thinkingConfig');
  return {
    said: lastContent(body),
    tools: toolsOf(body),
    choice: readChoice(body),
    ...jsonOf(config),
    stops: textsOf(field(config, 'stopSequences')),
    bound: countOf(field(config, 'maxOutputTokens')),
    thinks: thinking !== undefined && field(thinking, 'thinkingBudget') !== 0,
    cites: searches(body),
    choices: Math.max(1, countOf(field(config, 'candidateCount')) ?? 1),
    params: without(body, ['contents']),
    count: countGenerate(body),
  };
}

/** The parts of a content; `contents` may also be one content, or a text. */
export function contentsOf(body: JsonObject): JsonObject[] {
  const { contents } = body;
  return objectOf(contents) === undefined ? objectsOf(contents) : objectsOf([contents]);
}

export function partsOf(content: JsonObject | undefined): JsonObject[] {
  const parts = content?.['parts'];
  return objectOf(parts) === undefined ? objectsOf(parts) : objectsOf([parts]);
}

/** Everything since the last content of the model: several user contents are one turn. */
function lastContent(body: JsonObject): Ask['said'] {
  const contents = contentsOf(body);
  const last = contents.at(-1);
  const spoken = contents.findLastIndex(({ role }) => role === 'model');
  const parts =
    last?.['role'] === 'model' ? partsOf(last) : contents.slice(spoken + 1).flatMap(partsOf);
  const results = parts
    .map((part) => objectIn(part, 'functionResponse'))
    .filter((result) => result !== undefined);
  if (results.length > 0) {
    return { by: 'tool', text: results.map(({ response }) => resultText(response)).join(' ') };
  }
  const texts = parts.map(({ text }) => textOf(text)).filter((text) => text);
  return { by: last?.['role'] === 'model' ? 'other' : 'user', text: texts.join(' ') };
}

/** Results are objects; by convention the text is in `output` or `result`. */
function resultText(response: unknown): string {
  const result = objectOf(response) ?? {};
  for (const name of ['output', 'result']) {
    if (typeof result[name] === 'string') return result[name];
  }
  return JSON.stringify(result);
}

export function toolsOf(body: JsonObject): Tool[] {
  return objectsOf(body['tools'])
    .flatMap((tool) => objectsOf(field(tool, 'functionDeclarations')))
    .map((declared) => ({
      name: textOf(declared['name']),
      kind: 'function',
      parameters: field(declared, 'parametersJsonSchema') ?? declared['parameters'] ?? {},
    }));
}

export function searches(body: JsonObject): boolean {
  return objectsOf(body['tools']).some((tool) => objectIn(tool, 'googleSearch') !== undefined);
}

function readChoice(body: JsonObject): Ask['choice'] {
  const config = objectIn(objectIn(body, 'toolConfig'), 'functionCallingConfig');
  const names = textsOf(field(config, 'allowedFunctionNames'));
  const only = names.length > 0 ? { only: names } : {};
  switch (textOf(config?.['mode']).toUpperCase()) {
    case 'NONE':
      return { mode: 'none', parallel: true };
    case 'ANY':
      return { mode: 'required', ...only, parallel: true };
    default:
      return { mode: 'auto', ...only, parallel: true };
  }
}

function jsonOf(config: JsonObject): Pick<Ask, 'json'> {
  const type = field(config, 'responseMimeType');
  const schema = field(config, 'responseJsonSchema') ?? field(config, 'responseSchema');
  return type === 'application/json' ? { json: { schema } } : {};
}

export function countGenerate(body: JsonObject): InputCount {
  const count: InputCount = { text: TOKENS_PER_REQUEST, audio: 0 };
  for (const tool of objectsOf(body['tools'])) count.text += countJson(tool);
  const system = objectIn(body, 'systemInstruction');
  for (const content of [...(system ? [system] : []), ...contentsOf(body)]) {
    count.text += TOKENS_PER_MESSAGE;
    for (const part of partsOf(content)) countPart(part, count);
  }
  return count;
}

/** What the cache compares: tools and instructions come before the conversation. */
export function generatePrompt(body: JsonObject): PromptPart[] {
  const system = objectIn(body, 'systemInstruction');
  const schema = field(configOf(body), 'responseJsonSchema') ?? null;
  return [
    { text: JSON.stringify(schema), tokens: TOKENS_PER_REQUEST },
    ...objectsOf(body['tools']).map((tool) => ({
      text: JSON.stringify(tool),
      tokens: countJson(tool),
    })),
    ...[...(system ? [system] : []), ...contentsOf(body)].map((content) => {
      const count: InputCount = { text: TOKENS_PER_MESSAGE, audio: 0 };
      for (const part of partsOf(content)) countPart(part, count);
      return { text: JSON.stringify(content), tokens: count.text + (count.image ?? 0) };
    }),
  ];
}

/** Contents outside of a conversation, without the tokens around messages. */
export function countContents(contents: JsonObject[]): InputCount {
  const count: InputCount = { text: 0, audio: 0 };
  for (const part of contents.flatMap(partsOf)) countPart(part, count);
  return count;
}

function countPart(part: JsonObject, count: InputCount): void {
  const inline = objectIn(part, 'inlineData');
  const file = objectIn(part, 'fileData');
  if (typeof part['text'] === 'string') count.text += countTokens(part['text']);
  else if (inline ?? file) {
    const type = textOf(field(inline ?? file, 'mimeType'));
    const data = textOf(inline?.['data']);
    if (type.startsWith('image/')) count.image = (count.image ?? 0) + countImage();
    else if (type.startsWith('audio/') && inline) count.audio += countSound(data);
    else count.text += countTokens(data || textOf(field(file, 'fileUri')));
  } else count.text += countJson(without(part, ['thoughtSignature', 'thought_signature']));
}
