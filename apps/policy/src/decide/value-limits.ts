import { createHmac } from 'node:crypto';
import {
  isFreeOperation,
  TAGS_HEADER,
  tagsIn,
  VALUE_MARK,
  type ValueScope,
} from '@tollgate/contracts';
import type { Attribution } from '@tollgate/contracts/node';

import type { KeyPlan, PlannedLimit, PlannedValueLimit } from '../directory';
import type { Refusal } from './ask';

// The limits that each end user, session or value of a tag has for itself, as they count one request.

export type ValueLimits =
  { readonly refusal: Refusal } | { readonly limits: readonly PlannedLimit[] };

const NONE: ValueLimits = { limits: [] };

/** What of a request decides whether it can name values. */
interface Asking {
  readonly operation: string;
  /** Requests to MCP servers have no end user, and those that are no calls count in no limit. */
  readonly mcp: unknown;
}

/**
 * The plan's limits on values with the counters of this request's values. Only names of a trusted key count: another
 * key could use up somebody else's limit, or a new one with each request.
 */
export function valueLimitsOf(
  { attribution: { trusted }, valueLimits }: Pick<KeyPlan, 'attribution' | 'valueLimits'>,
  { operation, mcp }: Asking,
  counts: Attribution | null,
): ValueLimits {
  if (valueLimits.length === 0 || operation === 'mcp_request') return NONE;
  const tags = counts === null || !trusted ? undefined : tagsIn(counts.tags ?? '');
  const limits: PlannedLimit[] = [];
  for (const limit of valueLimits) {
    const value = tags === undefined ? '' : valueOf(limit, counts, tags);
    if (value !== '') {
      limits.push({ ...limit, limitId: counterOf(limit, value) });
    } else if (limit.requireValue && canName(limit, operation, mcp)) {
      return { refusal: valueMissing(limit, trusted) };
    }
  }
  return { limits };
}

function valueOf(
  { scopeType, tagKey }: PlannedValueLimit,
  counts: Attribution | null,
  tags: ReadonlyMap<string, string>,
): string {
  switch (scopeType) {
    case 'END_USER':
      return counts?.endUser ?? '';
    case 'SESSION':
      return counts?.session ?? '';
    case 'TAG':
      return tags.get(tagKey) ?? '';
  }
}

/** Whether clients can name a value in such a request. */
function canName({ scopeType }: PlannedValueLimit, operation: string, mcp: unknown): boolean {
  return !isFreeOperation(operation) && (scopeType !== 'END_USER' || mcp === null);
}

/** 128 bits: that two values of a limit share a counter will not happen. */
const HASH_BYTES = 16;

const LETTERS: Readonly<Record<ValueScope, string>> = { END_USER: 'e', SESSION: 's', TAG: 't' };

/**
 * The id of a value's counter. It has a fixed length, and neither Redis nor the books learn the name from it. The
 * letter tells the scope to whoever has the id alone.
 */
function counterOf({ limitId, scopeType, valueKey }: PlannedValueLimit, value: string): string {
  const hash = createHmac('sha256', valueKey).update(value).digest().subarray(0, HASH_BYTES);
  return `${limitId}${VALUE_MARK}${LETTERS[scopeType]}${hash.toString('base64url')}`;
}

const SCOPES: ReadonlyMap<string, ValueScope> = new Map(
  Object.entries(LETTERS).map(([scope, letter]) => [letter, scope as ValueScope]),
);

/** The scope of a value's counter. Undefined: the counter is not of a value. */
export function valueScopeOf(counterId: string): ValueScope | undefined {
  const mark = counterId.indexOf(VALUE_MARK);
  return mark === -1 ? undefined : SCOPES.get(counterId.charAt(mark + 1));
}

const SENT_IN: Readonly<Record<ValueScope, string>> = {
  END_USER:
    "the body: user or safety_identifier (OpenAI), metadata.user_id (Anthropic). Gemini's format cannot name one",
  SESSION: 'the header x-claude-code-session-id, session-id or session_id',
  TAG: `the header ${TAGS_HEADER}`,
};

function valueMissing(
  { scopeType, tagKey, limitId }: PlannedValueLimit,
  trusted: boolean,
): Refusal {
  const what =
    scopeType === 'TAG'
      ? `the tag "${tagKey}"`
      : scopeType === 'SESSION'
        ? 'a session'
        : 'an end user';
  const why = trusted
    ? `Send it in ${SENT_IN[scopeType]}.`
    : 'The names that this API key sends are not trusted: ask an administrator to trust them.';
  return {
    code: 'invalid_request',
    message: `A limit of this organisation needs ${what} in every request. ${why}`,
    details: {
      param: scopeType === 'TAG' ? TAGS_HEADER : scopeType === 'SESSION' ? 'session_id' : 'user',
      limit: { id: limitId, scope: { type: scopeType, ...(tagKey === '' ? {} : { tagKey }) } },
    },
  };
}
