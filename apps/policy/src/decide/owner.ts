// Who may use what is stored: docs/decisions/0061.
import type { KeyPlan } from '../directory';

/** The upstream connection that made the response that a request continues. */
export interface Issuer {
  readonly providerId: string;
  /** The connection's version at that time, with its settings and secrets. */
  readonly connectionVersion: number;
  readonly modelId: string;
  /** Undefined in rows of releases that did not store it. */
  readonly owner?: { readonly type: string; readonly id: string } | undefined;
  readonly pending?:
    | {
        readonly requestId: string;
        readonly holdToken: Buffer;
        readonly turn: {
          readonly conversationId: string;
          readonly addedTokens: number;
          readonly readTokens: number;
        };
      }
    | undefined;
  /** Tokens that the provider reads again for a follow-up; 0: unknown. */
  readonly readTokens: number;
}

/** The responses whose items a request's input refers to. */
export interface StoredItems {
  /** One for each of those responses. */
  readonly issuers: readonly Issuer[];
  /** Tokens that the provider reads again for them, at most. */
  readonly readTokens: number;
  /** The first item that this key may not use; undefined: it may use all of them. */
  readonly refused: string | undefined;
}

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
