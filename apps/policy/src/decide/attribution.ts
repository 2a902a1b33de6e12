import { nameOfKey, TAGS_HEADER, tagsIn, tagsText } from '@tollgate/contracts';
import type { Attribution, ClaimedAttribution__Output } from '@tollgate/contracts/node';

import type { KeyPlan } from '../directory';
import type { Refusal } from './ask';

// What counts of the end user, the session and the tags that a request names.

export type Attributed = { readonly refusal: Refusal } | { readonly counts: Attribution | null };

const NOBODY: Attributed = { counts: null };

/**
 * A key that is not trusted cannot name what counts as another key's: its end users and sessions get its id, and its
 * tags are ignored.
 */
export function attributionOf(
  { attribution: rules, subject }: Pick<KeyPlan, 'attribution' | 'subject'>,
  claimed: ClaimedAttribution__Output | null,
): Attributed {
  if (claimed === null) return NOBODY;
  const { endUser, metadata, session, tags: header } = claimed;
  const listed = new Map<string, string>();
  const ignoredTags: string[] = [];
  // The header is meant for the gateway, so it takes precedence.
  for (const [key, value] of tagsIn(metadata)) {
    if (rules.trusted && rules.tagKeys.includes(key)) listed.set(key, value);
  }
  for (const [key, value] of tagsIn(header)) {
    if (!rules.tagKeys.includes(key)) {
      if (rules.refuseUnknownTags) return { refusal: unknownTag(key, rules.tagKeys) };
      ignoredTags.push(key);
    } else if (rules.trusted) listed.set(key, value);
    else ignoredTags.push(key);
  }
  const named = (name: string): string =>
    rules.trusted ? name : nameOfKey(name, subject.apiKeyId);
  return {
    counts: {
      endUser: named(endUser),
      session: named(session),
      tags: tagsText(listed),
      ignoredTags,
    },
  };
}

function unknownTag(key: string, known: readonly string[]): Refusal {
  const list = known.length === 0 ? 'none' : known.map((name) => `"${name}"`).join(', ');
  return {
    code: 'invalid_request',
    message: `${TAGS_HEADER}: this organisation has no tag "${key}". Its tags: ${list}.`,
    details: { param: TAGS_HEADER, tag: key },
  };
}
