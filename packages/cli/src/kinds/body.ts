import type { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { secretReference } from './fields';
import type { Ids, Kind, Resolve, Values } from './kind';

/** The bodies of calls that create and change objects. */

export interface BodyNames {
  readonly ids: Ids;
  readonly name: string;
  readonly resolve: Resolve;
}

/** The body with every field, as creating and replacing need it. */
export function bodyFor(
  kind: Kind,
  endpoint: rest.Endpoint,
  spec: Values,
  { ids, name, resolve }: BodyNames,
): Values {
  const body = { ...kind.body(spec, ids, name, resolve), ...secretOf(kind, spec, resolve) };
  return withoutRefusedNulls(endpoint, body);
}

/** The secret of the object itself; null removes it. */
export function secretOf(kind: Kind, spec: Values, resolve: Resolve): Values {
  if (kind.secretField === undefined) return {};
  const given = secretReference.nullable().optional().parse(spec[kind.secretField]);
  if (given === undefined) return {};
  const secret = given === null ? null : resolve(given);
  const field = kind.renamed?.[kind.secretField] ?? kind.secretField;
  return secret === undefined ? {} : { [field]: secret };
}

/** The part of the body that changes `fields` of the spec. */
export function patchFor(
  kind: Kind,
  endpoint: rest.Endpoint,
  fields: ReadonlySet<string>,
  body: Values,
): Values {
  const sent = new Set([...fields].map((field) => kind.renamed?.[field] ?? field));
  const picked = Object.fromEntries(Object.entries(body).filter(([field]) => sent.has(field)));
  return withoutRefusedNulls(endpoint, picked);
}

/** Whether a field of the spec can be changed after the object was created. */
export function isChangeable(kind: Kind, endpoint: rest.Endpoint, field: string): boolean {
  return (kind.renamed?.[field] ?? field) in shapeOf(endpoint);
}

/** Where a field may be absent but not null, null means absent. */
function withoutRefusedNulls(endpoint: rest.Endpoint, body: Values): Values {
  const shape = shapeOf(endpoint);
  return Object.fromEntries(
    Object.entries(body).filter(
      ([field, value]) => value !== null || shape[field]?.safeParse(null).success === true,
    ),
  );
}

function shapeOf(endpoint: rest.Endpoint): Readonly<Record<string, z.ZodType>> {
  const { body } = endpoint;
  if (body instanceof z.ZodDiscriminatedUnion) {
    const shapes = body.options.flatMap((one) => (one instanceof z.ZodObject ? [one.shape] : []));
    return Object.assign({}, ...shapes) as Readonly<Record<string, z.ZodType>>;
  }
  if (!(body instanceof z.ZodObject)) throw new TypeError(`${endpoint.id} has no object as body`);
  return body.shape;
}
