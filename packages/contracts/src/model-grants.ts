/**
 * The models that a standing grant gives. A grant is a rule, not a list: it is applied to the
 * models that the key's organisation has at the time of a request.
 */

export const MODEL_GRANT_KINDS = ['ALL', 'PROVIDER', 'PATTERN'] as const;
export type ModelGrantKind = (typeof MODEL_GRANT_KINDS)[number];

export type ModelGrant =
  | { readonly kind: 'ALL' }
  | { readonly kind: 'PROVIDER'; readonly providerId: string }
  | { readonly kind: 'PATTERN'; readonly pattern: string };

/** Most standing grants of one key. */
export const MODEL_GRANTS_MAX = 50;
export const MODEL_PATTERN_MAX = 200;
/** Most stars of a pattern, so that matching stays cheap. */
export const MODEL_PATTERN_STARS_MAX = 8;

export interface GrantedBy {
  readonly name: string;
  readonly providerId: string;
}

/** A RangeError names what is invalid. */
export function modelGrantFromWire(wire: {
  readonly kind?: string;
  readonly providerId?: string;
  readonly pattern?: string;
}): ModelGrant {
  const { kind = '', providerId = '', pattern = '' } = wire;
  switch (kind) {
    case 'ALL':
      return { kind };
    case 'PROVIDER':
      return { kind, providerId };
    case 'PATTERN':
      return { kind, pattern };
    default:
      throw new RangeError(`model grant of kind ${kind}`);
  }
}

/** Whether the grant gives this model of the key's organisation. */
export function givesModel(grant: ModelGrant, model: GrantedBy): boolean {
  switch (grant.kind) {
    case 'ALL':
      return true;
    case 'PROVIDER':
      return grant.providerId === model.providerId;
    case 'PATTERN':
      return matchesPattern(grant.pattern, model.name);
  }
}

/** Whether a name matches a pattern: `*` stands for any characters or none. */
export function matchesPattern(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (name.length < first.length + last.length) return false;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  // The earliest match of each part leaves the most room for the next, so no backtracking is
  // needed.
  const end = name.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
