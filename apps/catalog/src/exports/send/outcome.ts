import type { AddressRules } from '@tollgate/contracts/node';

export interface SendLimits {
  readonly addressRules: AddressRules;
  /** For the whole call. */
  readonly timeoutMs: number;
}

export type SendOutcome =
  | { readonly ok: true; readonly status: number }
  | {
      readonly ok: false;
      /** Null: there was no answer. */
      readonly status: number | null;
      /** One sentence for the destination's owner, without anything of the answer's body. */
      readonly message: string;
      /** What the receiver asked for; null: nothing. */
      readonly retryAfterMs: number | null;
    };
