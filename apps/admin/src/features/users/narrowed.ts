import type { ListInput } from '../../resource/list-input';

/** A list that may be of every organisation, narrowed to the one that is looked at. */
export function narrowed(organisationId: string | undefined): ListInput {
  return organisationId === undefined ? {} : { organisationId };
}
