import { hash } from 'node:crypto';
import { AFFINITY_BYTES } from '@tollgate/contracts';

import { sessionHeader, splitUserId } from '../attribution';
import type { ContentBlock, NormalisedRequest } from '../formats';
import type { DecodedExchange } from './exchange';

// Which conversation a request belongs to, so that all of its turns go where the provider has cached the
// earlier ones.

/** No provider caches a shorter prompt, so a shorter one is free to go anywhere. */
const CACHED_FROM_TOKENS = 1_024;
/** Two conversations that begin with the same text this long share a cache anyway. */
const BEGINNING_CHARACTERS = 2_048;
const NAME_CHARACTERS = 512;

export interface Conversation {
  /** Of AFFINITY_BYTES, within the API key. */
  readonly key: Buffer;
  /** Whether a provider may have cached its prompt, so that its turns should go to one place. */
  readonly cached: boolean;
}

/**
 * The request's conversation: by the session that an agent names, by `prompt_cache_key`, by the session in
 * `metadata.user_id`, else by how the prompt begins. Undefined: it belongs to none.
 */
export function conversationOf({ job, keySha256, req }: DecodedExchange): Conversation | undefined {
  const { request } = job;
  if (request === undefined) return undefined;
  const name = sessionHeader(req.headers) ?? nameIn(request);
  if (name !== undefined) {
    return { key: keyOf(keySha256, 'name', name.slice(0, NAME_CHARACTERS)), cached: true };
  }
  const cached = job.inputTokensEstimate >= CACHED_FROM_TOKENS;
  const beginning = beginningOf(request);
  // Short requests without any text, such as images, are not alike.
  if (!cached && beginning.trim() === '') return undefined;
  return { key: keyOf(keySha256, 'text', beginning), cached };
}

/** Claude Code's hint that the conversation before this request is no longer sent. */
const COMPACTED_HEADER = 'x-claude-code-context-compacted';

/** Whether the client says that the prompt begins anew, so that no cache has anything of it. */
export function isCompacted({ req }: Pick<DecodedExchange, 'req'>): boolean {
  const value = req.headers[COMPACTED_HEADER];
  return typeof value === 'string' && value !== '' && value !== 'false';
}

/** Whether the prompt has an answer of an earlier turn that a provider may have cached. */
export function isContinued(exchange: Pick<DecodedExchange, 'job' | 'req'>): boolean {
  if (isCompacted(exchange)) return false;
  const { messages = [] } = exchange.job.request ?? {};
  return messages.some(({ role }) => role === 'assistant');
}

function nameIn({ endUser, extras }: NormalisedRequest): string | undefined {
  const key = extras['prompt_cache_key'];
  if (typeof key === 'string' && key !== '') return key;
  // Of Claude Code. A mere user has many conversations.
  return endUser === undefined ? undefined : splitUserId(endUser).session;
}

/** The instructions and the first turn of the user, as far as they tell conversations apart. */
function beginningOf({ messages }: NormalisedRequest): string {
  let instructions = '';
  for (const { content, role } of messages) {
    const text = textOf(content, BEGINNING_CHARACTERS);
    if (role === 'user') return `${instructions}\n${text}`;
    if (instructions.length < BEGINNING_CHARACTERS) instructions += text;
  }
  return instructions;
}

function textOf(content: readonly ContentBlock[], most: number): string {
  let text = '';
  for (const block of content) {
    if (block.type === 'text') text += block.text.slice(0, most - text.length);
    if (text.length >= most) break;
  }
  return text;
}

function keyOf(keySha256: Buffer, kind: string, name: string): Buffer {
  const text = `${keySha256.toString('latin1')} ${kind} ${name}`;
  return hash('sha256', text, 'buffer').subarray(0, AFFINITY_BYTES);
}
