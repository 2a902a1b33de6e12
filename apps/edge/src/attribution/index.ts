// Whom a client names as the one behind a request: its end user, a coding agent's session and agents, and tags.
// Read once, before policy is asked; what of it counts is policy's answer.

import {
  AGENT_CLASSES,
  END_USER_CHARACTERS,
  isOneOf,
  SESSION_CHARACTERS,
  TAGS_HEADER,
} from '@tollgate/contracts';
import type { ClaimedAttribution } from '@tollgate/contracts/node';

import type { JsonObject } from '../formats';
import { boundedName, sessionHeader, splitUserId, type Headers } from './names';
import { readTags, tagsOfMetadata } from './read-tags';

export { sessionHeader, splitUserId } from './names';

/** What a body says. */
export interface NamedInBody {
  readonly endUser?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** What a coding agent says of itself; empty texts are unknown. */
export interface Agent {
  readonly agentId: string;
  readonly parentAgentId: string;
  readonly agentClass: string;
  readonly agentType: string;
}

const NOTHING: NamedInBody = {};

/**
 * What policy is told. Undefined, without allocating, if the client names nobody.
 * @throws GatewayError `invalid_request` that names the tag at fault
 */
export function claimedAttribution(
  headers: Headers,
  { endUser: named, metadata }: NamedInBody = NOTHING,
): Required<ClaimedAttribution> | undefined {
  const header = headers[TAGS_HEADER];
  const agentSession = sessionHeader(headers);
  if (!named && !metadata && header === undefined && agentSession === undefined) return undefined;
  const tags = header === undefined ? '' : readTags(String(header));
  const user = named ? splitUserId(named) : undefined;
  const session = boundedName(agentSession ?? user?.session ?? '', SESSION_CHARACTERS);
  const endUser = boundedName(user?.endUser ?? '', END_USER_CHARACTERS);
  const inMetadata = metadata ? tagsOfMetadata(metadata) : '';
  if (endUser === '' && session === '' && tags === '' && inMetadata === '') return undefined;
  return { endUser, session, tags, metadata: inMetadata };
}

const NO_AGENT: Agent = { agentId: '', parentAgentId: '', agentClass: '', agentType: '' };

/** By Claude Code's contract with gateways. Only a subagent has an id; class and type are hints, and may be missing. */
export function agentOf(headers: Headers): Agent {
  const id = headers['x-claude-code-agent-id'];
  const requestClass = headers['x-claude-code-request-class'];
  if (id === undefined && requestClass === undefined) return NO_AGENT;
  const agentId = nameIn(id);
  return {
    agentId,
    parentAgentId: nameIn(headers['x-claude-code-parent-agent-id']),
    agentClass: classOf(nameIn(requestClass), agentId),
    agentType: nameIn(headers['x-claude-code-agent-type']),
  };
}

function nameIn(header: Headers[string]): string {
  return typeof header === 'string' ? boundedName(header, SESSION_CHARACTERS) : '';
}

function classOf(requestClass: string, agentId: string): string {
  if (requestClass === '') return agentId === '' ? '' : 'subagent';
  return isOneOf(AGENT_CLASSES, requestClass) ? requestClass : 'other';
}
