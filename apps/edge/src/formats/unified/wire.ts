// The gateway's own chat request on the wire: the chat format's fields, plus content blocks and
// `include_usage`.

import { z } from 'zod';

import { LIST_LIMITS } from '../../json/limits';
import { clientSeal } from '../openai-chat/thinking';
import {
  contentOf,
  part,
  partOf,
  PARTS,
  sharedFields,
  thinkingBlock,
  toolCall,
  type PartKinds,
} from '../openai-chat/wire';
import { filledList, list } from '../schema';

const text = z.string();
const optionalText = text.nullish();

const BLOCKS: PartKinds = {
  ...PARTS,
  audio: part(
    z.looseObject({ audio: z.looseObject({ data: text.min(1), format: text.min(1) }) }),
    ({ audio: { data, format } }) => ({ type: 'audio', data, format }),
  ),
  thinking: part(
    z.looseObject({ thinking: text, signature: optionalText }),
    ({ thinking, signature }) => ({
      type: 'thinking',
      text: thinking,
      ...(typeof signature === 'string' ? clientSeal(signature) : {}),
    }),
  ),
  redacted_thinking: part(z.looseObject({ data: text }), ({ data }) => ({
    type: 'thinking',
    text: '',
    ...clientSeal(data, 'redacted'),
  })),
};

const block = partOf(BLOCKS, (value, context) => {
  const message = `must be one of ${Object.keys(BLOCKS).join(', ')}`;
  context.issues.push({ code: 'custom', path: ['type'], message, input: value });
  return z.NEVER;
});

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const;

export const unifiedMessage = z
  .looseObject({
    role: z.enum(ROLES, `must be one of ${ROLES.join(', ')}`),
    name: optionalText,
    content: contentOf(block).nullish(),
    content_blocks: list(block).nullish(),
    // Clients send back the reasoning of the chat format's streams in this form.
    reasoning_content: optionalText,
    thinking_blocks: list(thinkingBlock).nullish(),
    tool_calls: list(toolCall).nullish(),
    tool_call_id: optionalText,
  })
  .superRefine((message, context) => {
    if (message.role === 'tool' && !message.tool_call_id) {
      context.addIssue({
        code: 'custom',
        path: ['tool_call_id'],
        message: 'must name the call that this is the result of',
      });
    }
    const { content, content_blocks: blocks, tool_calls: calls } = message;
    if (!content && !blocks && !(message.role === 'assistant' && calls)) {
      context.addIssue({ code: 'custom', path: ['content'], message: 'must be a string' });
    }
  });
export type UnifiedMessage = z.output<typeof unifiedMessage>;

/** Fields that only the gateway sets. A client that sends one expects an effect. */
const INTERNAL_FIELDS = [
  'base_url',
  'api_base',
  'upstream_base_url',
  'api_key',
  'upstream_api_key',
  'timeout',
  'timeout_ms',
  'upstream_timeout',
  'upstream_timeout_ms',
  'model_override',
  'upstream_model',
  'raw_payload',
  'raw_provider_payload',
  'provider_payload',
];

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const REFUSED_FIELDS = new Set(INTERNAL_FIELDS.flatMap((name) => [name, camelCase(name)]));

export const unifiedRequest = z
  .looseObject({
    ...sharedFields,
    messages: filledList(unifiedMessage, 'must hold at least one message', LIST_LIMITS.messages),
    include_usage: z.boolean().nullish(),
  })
  .superRefine((body, context) => {
    for (const name of Object.keys(body)) {
      if (!REFUSED_FIELDS.has(name)) continue;
      context.addIssue({ code: 'custom', path: [name], message: 'is not for clients to set' });
    }
  });
export type UnifiedRequest = z.output<typeof unifiedRequest>;
