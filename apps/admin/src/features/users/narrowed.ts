import type { ListInput } from '../../resource/list-input';

/** Filters a platform-wide list to the current organisation. */
export function narrowed(organisationId: string | undefined): ListInput {
  return organisationId === undefined ? {} : { organisationId };
}
