// End users, sessions and tags that clients send with a request. The edge reads them, policy decides which are
// trusted, and records store them.

import type { ApiKeyType } from './enums';

/** The longest name of an end user that is taken as it is. */
export const END_USER_CHARACTERS = 256;
/** The longest name of a session, an agent, its class and type. */
export const SESSION_CHARACTERS = 128;

const OF_KEY = '@key:';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** `@key:` and the id of a key. */
const SCOPE_CHARACTERS = OF_KEY.length + 36;
export const SCOPED_END_USER_CHARACTERS = END_USER_CHARACTERS + SCOPE_CHARACTERS;
export const SCOPED_SESSION_CHARACTERS = SESSION_CHARACTERS + SCOPE_CHARACTERS;

/** A name that counts only within an API key. No other key can have it recorded. */
export function nameOfKey(name: string, apiKeyId: string): string {
  return name === '' ? '' : `${name}${OF_KEY}${apiKeyId}`;
}

/** The name without the key that it counts within, and that key; null: it counts in the whole organisation. */
export function splitName(recorded: string): { name: string; apiKeyId: string | null } {
  const at = recorded.lastIndexOf(OF_KEY);
  const apiKeyId = recorded.slice(at + OF_KEY.length);
  // A trusted key may send such a text as a name of its own.
  if (at < 1 || !UUID.test(apiKeyId)) return { name: recorded, apiKeyId: null };
  return { name: recorded.slice(0, at), apiKeyId };
}

/** What of a request a coding agent asks for. */
export const AGENT_CLASSES = [
  'main',
  'subagent',
  'workflow',
  'compaction',
  'auxiliary',
  'other',
] as const;
export type AgentClass = (typeof AGENT_CLASSES)[number];

/** Most tag keys of an organisation. */
export const MOST_TAG_KEYS = 10;

/** Whether the end users, sessions and tags that requests of a key name count in the whole organisation. */
export const TRUSTED_ATTRIBUTIONS = ['NONE', 'HEADERS'] as const;
export type TrustedAttribution = (typeof TRUSTED_ATTRIBUTIONS)[number];

/** Of a key whose setting was never changed. Only administrators create keys of the organisation. */
export function defaultTrust(type: ApiKeyType): TrustedAttribution {
  return type === 'ORGANISATION' ? 'HEADERS' : 'NONE';
}
