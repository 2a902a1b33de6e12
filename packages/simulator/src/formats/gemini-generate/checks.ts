// Requests that Gemini refuses with 400: no contents, a search beside functions, results without
// calls, and calls whose thought signature is missing or invalid.

import { arrayOf, objectOf, textOf, type JsonObject } from '../../json';
import { invalid, type Problem } from '../../reply';
import { open, seal } from '../../seal';
import { contentsOf, field, objectIn, partsOf, searches, toolsOf } from './request';

const PURPOSE = 'gemini thought';

/** Placeholder signatures that Google documents for calls by another model. */
const STAND_INS = new Set([
  'skip_thought_signature_validator',
  'context_engineering_is_the_way_to_go',
]);

export function thoughtSignature(content: string): string {
  return seal(PURPOSE, content);
}

export function checkGenerate(body: JsonObject, signed: boolean): Problem | undefined {
  const contents = contentsOf(body);
  if (contents.length === 0)
    return invalid('* GenerateContentRequest.contents: contents is not specified');
  if (arrayOf(body['messages']).length > 0) {
    return invalid('Invalid JSON payload received. Unknown name "messages": Cannot find field.');
  }
  if (searches(body) && toolsOf(body).length > 0) {
    return invalid('Tool use with function calling is unsupported.');
  }
  for (const [at, content] of contents.entries()) {
    const problem = checkContent(content, contents[at - 1], at);
    if (problem !== undefined) return problem;
  }
  return signed ? checkSignatures(contents) : undefined;
}

function checkContent(
  content: JsonObject,
  before: JsonObject | undefined,
  at: number,
): Problem | undefined {
  const { role } = content;
  if (role !== undefined && role !== 'user' && role !== 'model' && role !== 'function') {
    return invalid('Please use a valid role: user, model.');
  }
  const parts = partsOf(content);
  if (parts.length === 0) {
    return invalid(
      `* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.`,
    );
  }
  const results = parts.filter((part) => objectIn(part, 'functionResponse')).length;
  if (results === 0) return undefined;
  const calls = partsOf(before).filter((part) => objectIn(part, 'functionCall')).length;
  return results === calls
    ? undefined
    : invalid(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
}

/** Checks only the running turn, and in each step its first call. */
function checkSignatures(contents: JsonObject[]): Problem | undefined {
  const begun = contents.findLastIndex(
    (content) =>
      content['role'] !== 'model' &&
      !partsOf(content).some((part) => objectIn(part, 'functionResponse')),
  );
  for (const [at, content] of contents.entries()) {
    const parts = partsOf(content);
    for (const part of parts) {
      const problem = checkSignature(part);
      if (problem !== undefined) return problem;
    }
    if (at <= begun || content['role'] !== 'model') continue;
    const first = parts.findIndex((part) => objectIn(part, 'functionCall'));
    const part = parts[first];
    if (part === undefined || textOf(field(part, 'thoughtSignature')) !== '') continue;
    const name = textOf(objectOf(field(part, 'functionCall'))?.['name']);
    return invalid(
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\`, position ${at + 1}.`,
    );
  }
  return undefined;
}

function checkSignature(part: JsonObject): Problem | undefined {
  const signature = field(part, 'thoughtSignature');
  if (signature === undefined || STAND_INS.has(textOf(signature))) return undefined;
  const plain = fromBase64(textOf(signature));
  if (STAND_INS.has(plain) || open(PURPOSE, textOf(signature)) !== undefined) return undefined;
  return invalid('Corrupted thought signature.');
}

/** Placeholders may be base64-encoded, because the field holds bytes. */
function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString();
}
