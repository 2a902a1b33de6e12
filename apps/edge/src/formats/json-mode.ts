// JSON without a schema. Some formats have a mode for it, some require the word JSON in the prompt,
// some have no mode. Where words are needed, they become a system instruction.

import type { NormalisedMessage, NormalisedRequest } from './normalised';

type Asked = Pick<NormalisedRequest, 'messages' | 'responseFormat'>;

const INSTRUCTION =
  'Answer with one valid JSON object and nothing else: no text before or after it, and no code fence.';

/** Whether any JSON is accepted. A named schema without a definition also means that. */
export function wantsAnyJson({ responseFormat: format }: Asked): boolean {
  if (format?.type === 'json_schema') return format.schema === undefined;
  return format?.type === 'json_object';
}

/** For formats without a JSON mode: the instruction replaces it. */
export function askForJson(request: Asked): NormalisedMessage[] {
  return wantsAnyJson(request) ? instructed(request.messages) : request.messages;
}

/**
 * For vendors that refuse JSON mode unless the conversation mentions JSON. Only the messages before the
 * first answer decide: an instruction that came or went with a later turn would change the beginning of
 * the prompt, which the vendor has cached.
 */
export function mentionJson(request: Asked): NormalisedMessage[] {
  const { messages, responseFormat } = request;
  if (responseFormat?.type !== 'json_object') return messages;
  const answered = messages.findIndex(({ role }) => role === 'assistant');
  const first = answered === -1 ? messages : messages.slice(0, answered);
  return first.some(saysJson) ? messages : instructed(messages);
}

function saysJson({ content }: NormalisedMessage): boolean {
  return content.some((block) => block.type === 'text' && /json/i.test(block.text));
}

/** Placed after the leading system messages, so that later messages keep the client's order. */
function instructed(messages: NormalisedMessage[]): NormalisedMessage[] {
  const instruction = { type: 'text', text: INSTRUCTION } as const;
  const at = messages.findIndex(({ role }) => role === 'system' || role === 'developer');
  const system = messages[at];
  const counted = messages.map((message, index) => ({ path: `messages[${index}]`, ...message }));
  if (system === undefined) return [{ role: 'system', content: [instruction] }, ...counted];
  const content = [...system.content, instruction];
  return counted.map((message, index) => (index === at ? { ...message, content } : message));
}
