import { rest } from '@tollgate/contracts';

import { eachOf, type Api } from '../api/management-api';
import {
  keyOf,
  KINDS,
  titleOf,
  type Identity,
  type Kind,
  type Named,
  type Names,
  type Place,
  type Values,
} from '../kinds/index';

/** Reads what is configured, as documents would say it. */

export interface Existing {
  readonly kind: Kind;
  readonly identity: Identity;
  readonly id: string;
  readonly row: unknown;
  readonly spec: Values;
}

export interface OrganisationPlace {
  readonly id: string;
  readonly slug: string;
}

export interface Installation {
  /** Whether the caller manages the platform, or one organisation. */
  readonly platform: boolean;
  readonly organisations: ReadonlyMap<string, OrganisationPlace>;
  /** By `keyOf`, in the order of kinds and of creation. */
  readonly objects: ReadonlyMap<string, Existing>;
  /** Objects that documents cannot describe, such as a limit of a revoked key. */
  readonly left: readonly string[];
}

const LISTS_AT_ONCE = 4;

export interface Reading {
  /** The slugs of the organisations to read; undefined: all of them. */
  readonly wanted: ReadonlySet<string> | undefined;
  /** For an export: without what has expired, and without references to it. */
  readonly leaveEnded: boolean;
}

export async function readInstallation(
  api: Api,
  { wanted, leaveEnded }: Reading,
): Promise<Installation> {
  const me = await api.call(rest.getMe, {});
  const platform = me.organisation === null;
  if (me.role !== 'SUPER_ADMIN' && me.role !== 'ORG_ADMIN') {
    throw new Error(`${me.email} has the role ${me.role}; configuration needs an administrator`);
  }
  const objects = new Map<string, Existing>();
  const organisations = new Map<string, OrganisationPlace>();
  const left: string[] = [];
  const root: Place = { organisation: me.organisation, platform };
  const platformNames = createNames();
  for (const kind of KINDS.filter(({ level }) => level !== 'organisation')) {
    if (kind.level === 'either' && !platform) continue;
    const rows = await kind.list(api, platform ? { organisation: null, platform } : root);
    gather(kind, null, rows, platformNames, { objects, left, leaveEnded });
  }
  for (const { identity, id } of objects.values()) {
    if (identity.kind === 'Organisation') {
      organisations.set(identity.name, { id, slug: identity.name });
    }
  }
  for (const organisation of organisations.values()) {
    if (wanted !== undefined && !wanted.has(organisation.slug)) continue;
    if (isClosed(objects, organisation)) continue;
    const place = { organisation, platform };
    const kinds = KINDS.filter(({ level }) => level !== 'platform');
    const lists = await eachOf(kinds, LISTS_AT_ONCE, (kind) => kind.list(api, place));
    const names = createNames();
    kinds.forEach((kind, index) => {
      gather(kind, organisation.slug, lists[index] ?? [], names, { objects, left, leaveEnded });
    });
  }
  return { platform, organisations, objects, left };
}

/** An archived organisation has nothing to configure. */
function isClosed(objects: ReadonlyMap<string, Existing>, { slug }: OrganisationPlace): boolean {
  const identity = { kind: 'Organisation', organisation: null, name: slug, ordinal: 1 };
  const found = objects.get(keyOf(identity));
  return found?.kind.refusal?.(found.row) !== undefined;
}

interface GrowingNames extends Names {
  add(kind: string, id: string, named: Named): void;
}

function createNames(): GrowingNames {
  const known = new Map<string, Named>();
  return {
    of: (kind, id) => known.get(`${kind} ${id}`),
    add: (kind, id, named) => void known.set(`${kind} ${id}`, named),
  };
}

interface Gathered {
  readonly objects: Map<string, Existing>;
  readonly left: string[];
  readonly leaveEnded: boolean;
}

function gather(
  kind: Kind,
  organisation: string | null,
  rows: readonly unknown[],
  names: GrowingNames,
  { objects, left, leaveEnded }: Gathered,
): void {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const id = kind.idOf(row);
    const found = kind.read(row, names);
    if (found === undefined) {
      left.push(`${kind.kind} ${id}: what it binds is no longer there`);
      continue;
    }
    const ended = leaveEnded ? kind.ended?.(row) : undefined;
    if (ended !== undefined) {
      left.push(`${kind.kind} ${found.name}: ${ended}`);
      continue;
    }
    const ordinal = (counts.get(found.name) ?? 0) + 1;
    counts.set(found.name, ordinal);
    const identity: Identity = { kind: kind.kind, organisation, name: found.name, ordinal };
    if (ordinal > 1 && !kind.repeats) {
      throw new Error(`${titleOf(identity)}: the installation has several of this name`);
    }
    names.add(kind.kind, id, { name: found.name, ordinal });
    const spec = withoutRefusedNulls(kind, found.spec);
    objects.set(keyOf(identity), { kind, identity, id, row, spec });
  }
}

/** The API answers null where a document and a body leave the field out. */
function withoutRefusedNulls({ spec: { shape } }: Kind, spec: Values): Values {
  return Object.fromEntries(
    Object.entries(spec).filter(
      ([field, value]) =>
        value !== undefined && (value !== null || shape[field]?.safeParse(null).success === true),
    ),
  );
}
