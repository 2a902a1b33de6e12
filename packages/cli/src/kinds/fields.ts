import { rest } from '@tollgate/contracts';
import { z } from 'zod';

import type { Ids, Names, Reference, Values } from './kind';

/** Fields that several kinds share, and helpers for their values. */

export const secretReference = z
  .union([
    z.strictObject({
      env: z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,254}$/, 'a name of an environment variable')
        .meta({ description: 'The environment variable with the secret.' }),
    }),
    z.strictObject({
      file: z.string().min(1).max(4_000).meta({
        description: "The file with the secret, relative to the document's folder.",
      }),
    }),
  ])
  .meta({ id: 'SecretReference', description: 'Where the secret is. Documents never contain it.' });

/** Stands for a secret that the installation keeps; an export gives it the name of a variable. */
export const STORED_SECRET = { env: 'TOLLGATE_STORED_SECRET' } as const;

export const objectName = z.string().min(1).max(300);
export const ordinal = z.int().min(1).max(10_000).meta({
  description: 'Which of several objects of this name, in the order of their creation. Default: 1.',
});

/** Which kind an object is that a limit or a screening policy names. */
export const SCOPED_KINDS: Readonly<Record<string, string>> = {
  TEAM: 'Team',
  USER: 'User',
  API_KEY: 'ApiKey',
  MODEL: 'Model',
  MCP_SERVER: 'McpServer',
};

/** A scope without its organisation, which is that of the document. */
export function scopeOf<const T extends readonly [string, ...string[]]>(types: T) {
  return z
    .strictObject({
      type: z.enum(types),
      name: objectName.optional().meta({ description: 'Absent for ORGANISATION only.' }),
      ordinal: ordinal.optional(),
    })
    .refine(({ type, name }) => (type === 'ORGANISATION') === (name === undefined), {
      path: ['name'],
      message: 'every scope but ORGANISATION has a name',
    });
}

interface Scope {
  readonly type: string;
  readonly name?: string | undefined;
  readonly ordinal?: number | undefined;
}

export function scopeId(scope: Scope, ids: Ids): string {
  const kind = SCOPED_KINDS[scope.type];
  if (kind === undefined) return ids.organisationId ?? '';
  return ids.of(kind, scope.name ?? '', scope.ordinal);
}

/** Undefined: what it names is not configured, such as a revoked key. */
export function scopeNamed(type: string, id: string, names: Names): Scope | undefined {
  const kind = SCOPED_KINDS[type];
  if (kind === undefined) return { type };
  const named = names.of(kind, id);
  return named && { type, ...numbered(named) };
}

export function scopeReference(
  { type, name = '', ordinal: number = 1 }: Scope,
  path: Reference['path'],
): Reference[] {
  const kind = SCOPED_KINDS[type];
  return kind === undefined ? [] : [{ kind, name, ordinal: number, path: [...path, 'name'] }];
}

/** Leaves out the ordinal 1. */
export function numbered(named: { readonly name: string; readonly ordinal: number }): {
  name: string;
  ordinal?: number;
} {
  return named.ordinal === 1 ? { name: named.name } : { ...named };
}

/** A reference to an object of a kind whose names are unique. */
export function reference(
  kind: string,
  name: string | null | undefined,
  path: Reference['path'],
): Reference[] {
  return name === null || name === undefined ? [] : [{ kind, name, ordinal: 1, path }];
}

/** A row that is known by its identifier and may have a secret, which is never told. */
export function readWithSecret(
  row: { readonly identifier: string; readonly secretPreview: string | null },
  fields: Iterable<string>,
) {
  const secret = row.secretPreview === null ? {} : { secret: STORED_SECRET };
  return { name: row.identifier, spec: { ...pick(row, fields), ...secret } };
}

/** The fields of an answer that the schema of documents has. */
export function pick(row: object, fields: Iterable<string>): Record<string, unknown> {
  const given: Record<string, unknown> = { ...row };
  return Object.fromEntries(
    [...fields].flatMap((field) => (field in given ? [[field, given[field]]] : [])),
  );
}

export function without(values: Values, ...fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([field]) => !fields.includes(field)));
}

/** Names of the ids that are known; the others no longer exist. */
export function namesOf(kind: string, ids: readonly string[], names: Names): string[] {
  return ids.flatMap((id) => names.of(kind, id)?.name ?? []).toSorted();
}

export const uniqueNames = (max: number) =>
  z
    .array(objectName)
    .max(max)
    .refine((list) => new Set(list).size === list.length, 'each once');

export const { name, slug, email } = rest;
