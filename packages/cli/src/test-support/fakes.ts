import type { rest } from '@tollgate/contracts';

import type { Api } from '../api/management-api';
import { readDocuments, type Documents } from '../documents/read';
import type { Existing, Installation } from '../installation/read';
import { keyOf, kindOf, type Identity, type Values } from '../kinds/index';

/** An installation in memory, and documents from text. */

export const ID = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const STAMP = '2026-01-01T00:00:00.000Z';

export function documentsOf(text: string, env: Readonly<Record<string, string>> = {}): Documents {
  return readDocuments([{ name: 'acme.yaml', folder: '/nowhere', text }], env);
}

/** Documents of the organisation acme, in short. */
export function doc(
  kind: string,
  name: string | null,
  spec: Values,
  metadata: Values = {},
): string {
  const named = name === null ? {} : { name };
  const owner = kind === 'Organisation' ? {} : { organisation: 'acme' };
  return JSON.stringify({
    apiVersion: 'tollgate/v1',
    kind,
    metadata: { ...owner, ...named, ...metadata },
    spec,
  });
}

export const docs = (...list: readonly string[]): string => list.join('\n---\n');

interface Given {
  readonly kind: string;
  readonly name: string;
  readonly spec: Values;
  readonly ordinal?: number;
  readonly organisation?: string | null;
  /** Added to the row, for parts. */
  readonly row?: Values;
}

export const ACME: Given = {
  kind: 'Organisation',
  name: 'acme',
  organisation: null,
  spec: { name: 'Acme', timeZone: 'UTC', status: 'ACTIVE' },
  row: { status: 'ACTIVE' },
};

export function installationOf(given: readonly Given[], platform = true): Installation {
  const objects = new Map<string, Existing>();
  given.forEach(({ kind, name, spec, ordinal = 1, organisation = 'acme', row }, index) => {
    const identity: Identity = { kind, organisation, name, ordinal };
    const id = ID(index + 1);
    const full = { id, updatedAt: STAMP, ...spec, ...row };
    objects.set(keyOf(identity), { kind: kindOf(kind), identity, id, row: full, spec });
  });
  return {
    platform,
    objects,
    organisations: new Map([['acme', { id: ID(1), slug: 'acme' }]]),
    left: [],
  };
}

export interface Sent {
  readonly id: string;
  readonly params: Values;
  readonly body: unknown;
  readonly ifMatch: string | undefined;
}

/** Answers every call with a new id, unless `answer` says something else or throws. */
export function fakeApi(
  answer: (endpoint: rest.Endpoint, body: unknown) => unknown = () => undefined,
): { api: Api; sent: Sent[] } {
  const sent: Sent[] = [];
  const ask: Api['ask'] = async (endpoint, { params = {}, body, ifMatch }) => {
    if (endpoint.method !== 'GET') sent.push({ id: endpoint.id, params, body, ifMatch });
    const value = answer(endpoint, body) ?? { id: ID(100 + sent.length), updatedAt: STAMP };
    return Promise.resolve({ value, etag: '"tag"' });
  };
  const unused = (): never => {
    throw new Error('not part of this fake');
  };
  return { sent, api: { ask, call: unused, versioned: unused, all: unused } };
}
