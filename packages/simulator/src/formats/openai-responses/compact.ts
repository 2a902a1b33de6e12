// POST /v1/responses/input_tokens and /v1/responses/compact.

import { json, type Call, type Problem, type Reply } from '../../reply';
import { seal } from '../../seal';
import { inputOf, usageOf } from '../../usage';
import { conversationOf } from './checks';
import { readResponses } from './request';
import { usageOfResponse } from './response';
import { answered } from './stored';

export function countInput(call: Call): Reply | Problem {
  const conversation = conversationOf(call);
  if ('status' in conversation) return conversation;
  const { count } = readResponses(call.body, conversation.items);
  const used = usageOf(count, call.directives, 0);
  return answered({ object: 'response.input_tokens', input_tokens: inputOf(used) });
}

/** The size of any compacted conversation. */
const COMPACT_TOKENS = 20;

/** The conversation becomes one item that only the vendor can read. */
export function compact(call: Call): Reply | Problem {
  const conversation = conversationOf(call);
  if ('status' in conversation) return conversation;
  const { count } = readResponses(call.body, conversation.items);
  const id = `resp_${call.id}`;
  const tokens = call.directives.tokens ?? COMPACT_TOKENS;
  const usage = (generated: number) => usageOf(count, call.directives, generated);
  const item = {
    id: `cmp_${call.id}`,
    type: 'compaction',
    encrypted_content: seal('openai compaction', JSON.stringify(conversation.items)),
  };
  return {
    id,
    tokens,
    usage,
    unary: (used) =>
      json({
        id,
        object: 'response.compaction',
        created_at: call.atS,
        output: [item],
        usage: used === undefined ? null : usageOfResponse(used),
      }),
  };
}
