import { ALIAS_TARGETS_MAX, type rest } from '@tollgate/contracts';
import type { z } from 'zod';

import { textOrNull } from '../../resource/typed';
import {
  retirementBodyOf,
  retirementDraftOf,
  type RetirementDraft,
} from '../models/retirement-draft';

// The draft of an alias: form state and request body. Pure.

export interface TargetDraft {
  readonly modelId: string | undefined;
  /** An instant; empty: from the beginning. */
  readonly effectiveFrom: string;
}

export interface AliasDraft {
  readonly name: string;
  readonly displayName: string;
  readonly targets: readonly TargetDraft[];
  readonly retirement: RetirementDraft | undefined;
}

export const MAX_TARGETS = ALIAS_TARGETS_MAX;
export const NEW_TARGET: TargetDraft = { modelId: undefined, effectiveFrom: '' };
export const NEW_ALIAS: AliasDraft = {
  name: '',
  displayName: '',
  targets: [NEW_TARGET],
  retirement: undefined,
};

export function aliasDraftOf(alias: rest.ModelAlias): AliasDraft {
  return {
    name: alias.name,
    displayName: alias.displayName ?? '',
    targets: alias.targets.map(({ modelId, effectiveFrom }) => ({
      modelId,
      effectiveFrom: effectiveFrom ?? '',
    })),
    retirement: retirementDraftOf(alias.retirement),
  };
}

/** A target without a model is sent, for the server to name it. */
export function aliasBodyOf(draft: AliasDraft): z.input<typeof rest.modelAliasCreate> {
  return {
    name: draft.name.trim(),
    displayName: textOrNull(draft.displayName),
    targets: draft.targets.map(({ modelId = '', effectiveFrom }) => ({
      modelId,
      effectiveFrom: textOrNull(effectiveFrom),
    })),
    retirement: retirementBodyOf(draft.retirement),
  };
}

/** The next change of what an alias stands for; undefined: none is planned. */
export function nextTarget(
  targets: readonly rest.AliasTarget[],
  nowMs: number,
): rest.AliasTarget | undefined {
  return targets.find(
    ({ effectiveFrom }) => effectiveFrom !== null && Date.parse(effectiveFrom) > nowMs,
  );
}
