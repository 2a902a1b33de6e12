import { z } from 'zod';

import { objectName, ordinal, slug } from '../kinds/fields';
import { KINDS, type Kind } from '../kinds/index';

/** The envelope of documents, and the JSON schema of all of them. */

export const API_VERSION = 'tollgate/v1';
export const OWNERSHIP = 'Ownership';

const apiVersion = z.literal(API_VERSION);

/** Any document, before its kind is known. */
export const envelope = z.strictObject({
  apiVersion,
  kind: z.string(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  spec: z.record(z.string(), z.unknown()).default({}),
});

const organisation = slug.meta({ description: 'The slug of the organisation.' });

export function metadataOf({ level, name, repeats }: Kind) {
  return z.strictObject({
    ...(level === 'organisation' ? { organisation } : {}),
    ...(level === 'either' ? { organisation: organisation.optional() } : {}),
    ...(name === null ? {} : { name }),
    ...(repeats ? { ordinal: ordinal.optional() } : {}),
  });
}

/** Kinds whose objects --prune may delete. */
export const OWNABLE = KINDS.filter(
  (kind) =>
    kind.operations({ organisation: { id: '', slug: '' }, platform: true }).remove !== undefined,
).map(({ kind }) => kind);

export const ownershipMetadata = z.strictObject({ organisation });
export const ownershipSpec = z.strictObject({
  kinds: z.array(z.enum(OWNABLE)).min(1).max(OWNABLE.length).meta({
    description:
      'The documents describe all objects of these kinds. With --prune, others in the organisation are deleted.',
  }),
});

/** What a document says about the identity of its object, before it is checked in full. */
export const looseMetadata = z.object({
  organisation: z.string().optional(),
  name: objectName.optional(),
  ordinal: z.number().optional(),
});

/** A JSON schema (2020-12) for one document, for editors and checks. */
export function documentSchema(): unknown {
  const ofKind = KINDS.map((kind) =>
    z.strictObject({
      apiVersion,
      kind: z.literal(kind.kind),
      metadata: metadataOf(kind),
      // The defaults of the API apply to new objects only: what is absent stays as it is.
      spec: kind.spec,
    }),
  );
  const ownership = z.strictObject({
    apiVersion,
    kind: z.literal(OWNERSHIP),
    metadata: ownershipMetadata,
    spec: ownershipSpec,
  });
  return z.toJSONSchema(z.union([...ofKind, ownership]), {
    target: 'draft-2020-12',
    io: 'input',
    reused: 'inline',
  });
}
