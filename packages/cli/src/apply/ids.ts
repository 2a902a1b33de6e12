import type { Installation } from '../installation/read';
import { keyOf, titleOf, type Identity, type Ids } from '../kinds/index';

/** The ids of what is there and of what has just been created. */

export interface IdTable {
  of(organisation: string | null): Ids;
  add(identity: Identity, id: string): void;
}

export function createIdTable({ objects }: Installation): IdTable {
  const known = new Map([...objects].map(([key, { id }]) => [key, id]));
  const find = (identity: Identity): string => {
    const id = known.get(keyOf(identity));
    if (id === undefined) throw new Error(`${titleOf(identity)} has no id`);
    return id;
  };
  return {
    of: (organisation) => ({
      organisationId:
        organisation === null
          ? null
          : find({ kind: 'Organisation', organisation: null, name: organisation, ordinal: 1 }),
      of: (kind, name, ordinal = 1) => find({ kind, organisation, name, ordinal }),
    }),
    add: (identity, id) => void known.set(keyOf(identity), id),
  };
}
