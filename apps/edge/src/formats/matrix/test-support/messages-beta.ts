// Parameters that only the beta types of the vendor's library have.

import type { MessageCreateParamsBase as BetaParameters } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { MessageCreateParamsBase } from '@anthropic-ai/sdk/resources/messages/messages';

import { declared, refused, type Rows } from './matrix';
import { elsewhere, raw } from './messages';

const edits = [{ type: 'clear_thinking_20251015', keep: 'all' }];
const schema = { type: 'object', properties: { a: { type: 'string' } } };
const server = { type: 'url', name: 's', url: 'https://example.com/mcp' };

export const MESSAGES_BETA = {
  context_management: raw({ context_management: { edits } })(
    elsewhere(declared('context_management')),
  ),
  compaction: raw({ compaction: { type: 'enabled' } })(elsewhere(declared('compaction'))),
  mcp_servers: raw({ mcp_servers: [server] })(elsewhere(declared('mcp_servers'))),
  output_format: raw({ output_format: { type: 'json_schema', schema } })(
    elsewhere(declared('output_format')),
  ),
  // The provider could answer with a model that the key has no grant for, at another price.
  fallbacks: raw({ fallbacks: 'default' })({
    ...elsewhere(declared('fallbacks')),
    messages: refused('fallbacks'),
  }),
  fallback_credit_token: raw({ fallback_credit_token: 't' })(
    elsewhere(declared('fallback_credit_token')),
  ),
  // All clients share the gateway's account, so none of them chooses who pays.
  billing_policy: raw({ billing_policy: { type: 'billing_policy', bill_to: 'self' } })({
    ...elsewhere(declared('billing_policy')),
    messages: refused('billing_policy'),
  }),
  // The provider stores the conversation, and any key of the account can name it.
  thread: raw({ thread: { type: 'create' } })({
    ...elsewhere(refused('thread')),
    messages: refused('thread'),
  }),
  // The library sends it as a header.
  betas: 'CLIENT_ONLY',
} satisfies Record<Exclude<keyof BetaParameters, keyof MessageCreateParamsBase>, Rows>;
