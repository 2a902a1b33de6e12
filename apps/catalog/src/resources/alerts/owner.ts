import type { Call } from '../../rest/call';

/** What rules, destinations and alerts belong to: an organisation, or the platform. */

/** The part of a call that the functions need. */
export type Within = Pick<
  Call,
  'actor' | 'changed' | 'db' | 'endpoint' | 'expectMatch' | 'nowMs' | 'organisation'
>;

/** Null: of the platform, whose paths name no organisation. */
export function ownerOf(call: Pick<Call, 'endpoint' | 'organisation'>): string | null {
  return call.endpoint.path.startsWith('/api/admin/') ? null : call.organisation.id;
}

/** SQL of a query builder for `:owner`: the rows of an owner. */
export function ownedBy(alias: string, owner: string | null): string {
  return owner === null ? `${alias}.organisationId IS NULL` : `${alias}.organisationId = :owner`;
}
