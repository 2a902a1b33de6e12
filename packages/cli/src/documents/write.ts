import { stringify } from 'yaml';

import type { Existing, Installation } from '../installation/read';
import { STORED_SECRET } from '../kinds/fields';
import { KINDS, type Identity, type Values } from '../kinds/index';
import { API_VERSION } from './schema';

/** Writes an installation as documents. Secrets become names of environment variables. */

export interface WrittenDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: string;
  readonly metadata: Values;
  readonly spec: Values;
}

export interface Export {
  readonly documents: readonly WrittenDocument[];
  /** The variables that the documents refer to. */
  readonly variables: readonly string[];
}

export function exportDocuments({ objects }: Installation): Export {
  const variables = new Set<string>();
  const documents = [...objects.values()]
    .toSorted(inExport)
    .map((existing) => documentOf(existing, variables));
  return { documents, variables: [...variables] };
}

/** By organisation, kind and name, so that the text is the same whoever created what first. */
function inExport({ identity: a }: Existing, { identity: b }: Existing): number {
  const rank = ({ kind }: Identity): number => KINDS.findIndex((one) => one.kind === kind);
  return (
    compare(a.organisation ?? '', b.organisation ?? '') ||
    rank(a) - rank(b) ||
    compare(a.name, b.name) ||
    a.ordinal - b.ordinal
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function documentOf({ kind, identity, spec }: Existing, variables: Set<string>): WrittenDocument {
  return {
    apiVersion: API_VERSION,
    kind: kind.kind,
    metadata: {
      ...(identity.organisation === null ? {} : { organisation: identity.organisation }),
      ...(kind.name === null ? {} : { name: identity.name }),
      ...(identity.ordinal === 1 ? {} : { ordinal: identity.ordinal }),
    },
    spec: Object.fromEntries(
      Object.entries(spec).map(([field, value]) => [
        field,
        withVariables(value, identity, '', variables),
      ]),
    ),
  };
}

function withVariables(
  value: unknown,
  identity: Identity,
  owner: string,
  variables: Set<string>,
): unknown {
  if (value === STORED_SECRET) return { env: variableFor(identity, owner, variables) };
  if (Array.isArray(value)) {
    return value.map((item: unknown) => withVariables(item, identity, owner, variables));
  }
  if (typeof value !== 'object' || value === null) return value;
  const name = 'name' in value && typeof value.name === 'string' ? value.name : '';
  return Object.fromEntries(
    Object.entries(value).map(([field, part]) => [
      field,
      withVariables(part, identity, name, variables),
    ]),
  );
}

/** `TOLLGATE_SECRET_ACME_OPENAI_DEFAULT`, with a number where two would be equal. */
function variableFor(
  { organisation, name }: Identity,
  owner: string,
  variables: Set<string>,
): string {
  const words = ['TOLLGATE_SECRET', organisation ?? '', name, owner].filter((word) => word !== '');
  const base = words
    .join('_')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .slice(0, 240);
  let variable = base;
  for (let n = 2; variables.has(variable); n += 1) variable = `${base}_${String(n)}`;
  variables.add(variable);
  return variable;
}

export const FORMATS = ['yaml', 'json'] as const;
export type Format = (typeof FORMATS)[number];

export function exportText({ documents, variables }: Export, format: Format): string {
  if (format === 'json') return `${JSON.stringify(documents, null, 2)}\n`;
  const head =
    variables.length === 0
      ? ''
      : `# Secrets are read from these environment variables:\n${variables.map((one) => `#   ${one}\n`).join('')}`;
  const texts = documents.map((document) => stringify(document, { aliasDuplicateObjects: false }));
  return `${head}${texts.join('---\n')}`;
}
