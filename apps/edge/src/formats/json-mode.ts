// JSON without a schema, which formats have in ways of their own: a mode, a mode that wants the word said,
// or no mode at all. Where words are needed they are an instruction of the system's.

import type { NormalisedMessage, NormalisedRequest } from './normalised';

type Asked = Pick<NormalisedRequest, 'messages' | 'responseFormat'>;

const INSTRUCTION =
  'Answer with one valid JSON object and nothing else: no text before or after it, and no code fence.';

/** Whether any JSON will do. A schema that was named but not given asks for no more. */
export function wantsAnyJson({ responseFormat: format }: Asked): boolean {
  if (format?.type === 'json_schema') return format.schema === undefined;
  return format?.type === 'json_object';
}

/** For formats without a mode: the instruction is all that there is. */
export function askForJson(request: Asked): NormalisedMessage[] {
  return wantsAnyJson(request) ? instructed(request.messages) : request.messages;
}

/** For vendors who refuse their mode to a conversation that never says JSON. */
export function mentionJson(request: Asked): NormalisedMessage[] {
  const { messages, responseFormat } = request;
  if (responseFormat?.type !== 'json_object') return messages;
  return messages.some(saysJson) ? messages : instructed(messages);
}

function saysJson({ content }: NormalisedMessage): boolean {
  return content.some((block) => block.type === 'text' && /json/i.test(block.text));
}

/** After what else the system says first, so that every position stays as the client counted it. */
function instructed(messages: NormalisedMessage[]): NormalisedMessage[] {
  const instruction = { type: 'text', text: INSTRUCTION } as const;
  const at = messages.findIndex(({ role }) => role === 'system' || role === 'developer');
  const system = messages[at];
  const counted = messages.map((message, index) => ({ path: `messages[${index}]`, ...message }));
  if (system === undefined) return [{ role: 'system', content: [instruction] }, ...counted];
  const content = [...system.content, instruction];
  return counted.map((message, index) => (index === at ? { ...message, content } : message));
}
