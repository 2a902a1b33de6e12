import { bodyFor } from '../kinds/body';
import type { Identity, Ids, Kind, Values } from '../kinds/index';

/**
 * Rules that span several fields belong to the API's own schemas. They are checked before anything
 * is sent, on a body with made-up ids and secrets.
 */

const SECRET = 'a-secret-of-no-value';
const ORGANISATION = '00000000-0000-4000-8000-000000000000';

export interface BodyIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export function bodyIssues(kind: Kind, identity: Identity, spec: Values): BodyIssue[] {
  const organisation =
    identity.organisation === null ? null : { id: ORGANISATION, slug: identity.organisation };
  const { create } = kind.operations({ organisation, platform: true });
  const body = bodyFor(kind, create, spec, {
    ids: madeUpIds(),
    name: identity.name,
    resolve: () => kind.sampleSecret ?? SECRET,
  });
  const parsed = create.body.safeParse(body);
  if (parsed.success) return [];
  const fields = new Map(Object.entries(kind.renamed ?? {}).map(([field, sent]) => [sent, field]));
  return parsed.error.issues.map(({ path: [first = '', ...rest], message }) => ({
    path: [fields.get(String(first)) ?? first, ...rest],
    message,
  }));
}

/** A different id for each name, because bodies may name an object once only. */
function madeUpIds(): Ids {
  const known = new Map<string, string>();
  return {
    organisationId: ORGANISATION,
    of: (kind, name, ordinal = 1) => {
      const key = `${kind} ${name} ${String(ordinal)}`;
      const id =
        known.get(key) ??
        `${ORGANISATION.slice(0, -12)}${String(known.size + 1).padStart(12, '0')}`;
      known.set(key, id);
      return id;
    },
  };
}
