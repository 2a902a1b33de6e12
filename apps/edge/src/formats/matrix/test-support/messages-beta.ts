// What the vendor's library sends with its betas, by its types of them, beside what it sends without.

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
  // The provider would answer with a model that nobody granted or priced.
  fallbacks: raw({ fallbacks: 'default' })({
    ...elsewhere(declared('fallbacks')),
    messages: refused('fallbacks'),
  }),
  fallback_credit_token: raw({ fallback_credit_token: 't' })(
    elsewhere(declared('fallback_credit_token')),
  ),
  billing_policy: raw({ billing_policy: { type: 'billing_policy', bill_to: 'self' } })(
    elsewhere(declared('billing_policy')),
  ),
  // Kept by the provider, for whichever key names it.
  thread: raw({ thread: { type: 'create' } })({
    ...elsewhere(refused('thread')),
    messages: refused('thread'),
  }),
  // Goes in a header.
  betas: 'CLIENT_ONLY',
} satisfies Record<Exclude<keyof BetaParameters, keyof MessageCreateParamsBase>, Rows>;
