import type { rest } from '@tollgate/contracts';

import { textOrNull } from '../../resource/typed';

// The draft of an announced end: form state and request body. Pure.

export interface RetirementDraft {
  /** Instants; empty: none. */
  readonly deprecatedAt: string;
  readonly sunsetAt: string;
  readonly replacementModelId: string | undefined;
  /** The replacement answers from the sunset on. */
  readonly replaces: boolean;
  readonly url: string;
}

export const NEW_RETIREMENT: RetirementDraft = {
  deprecatedAt: '',
  sunsetAt: '',
  replacementModelId: undefined,
  replaces: false,
  url: '',
};

/** Undefined: no end is announced. */
export function retirementDraftOf(known: rest.Retirement | null): RetirementDraft | undefined {
  if (known === null) return undefined;
  return {
    deprecatedAt: known.deprecatedAt ?? '',
    sunsetAt: known.sunsetAt ?? '',
    replacementModelId: known.replacementModelId ?? undefined,
    replaces: known.onSunset === 'REPLACE',
    url: known.url ?? '',
  };
}

export function retirementBodyOf(draft: RetirementDraft | undefined): rest.Retirement | null {
  if (draft === undefined) return null;
  return {
    deprecatedAt: textOrNull(draft.deprecatedAt),
    sunsetAt: textOrNull(draft.sunsetAt),
    replacementModelId: draft.replacementModelId ?? null,
    onSunset: draft.replaces ? 'REPLACE' : 'REFUSE',
    url: textOrNull(draft.url),
  };
}
