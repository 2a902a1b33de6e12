// Who may use what is stored: docs/decisions/0061.
import type { KeyPlan } from '../directory';
import type { Issuer } from './checks';

/** The owner that a key acts for, and that its stored objects belong to. */
export function ownerOf({ subject }: Pick<KeyPlan, 'subject'>): { type: string; id: string } {
  const { apiKeyType: type, organisationId, teamId, userId } = subject;
  if (type === 'TEAM') return { type, id: teamId };
  return type === 'USER' ? { type, id: userId } : { type: 'ORGANISATION', id: organisationId };
}

/**
 * Whether a key may use an owner's stored objects. Keys of the organisation may use all of them.
 */
export function mayUseStored(plan: Pick<KeyPlan, 'subject'>, { owner }: Issuer): boolean {
  const { type, id } = ownerOf(plan);
  if (type === 'ORGANISATION') return true;
  return id !== '' && owner?.type === type && owner.id === id;
}
