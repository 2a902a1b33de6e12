import type { rest } from '@tollgate/contracts';
import type { AliasEntry, ModelRetirement } from '@tollgate/contracts/node';

/** An alias as its row holds it. */
export interface StoredAlias {
  id: string;
  name: string;
  display_name: string | null;
  created_at_ms: number;
  targets: rest.AliasTarget[];
  retirement: rest.Retirement | null;
}

export function aliasOf(alias: StoredAlias): AliasEntry {
  return {
    aliasId: alias.id,
    name: alias.name,
    displayName: alias.display_name ?? '',
    createdAtMs: alias.created_at_ms,
    targets: alias.targets.map(({ modelId, effectiveFrom }) => ({
      modelId,
      effectiveFromMs: msOf(effectiveFrom),
    })),
    retirement: retirementOf(alias.retirement),
  };
}

export function retirementOf(stored: rest.Retirement | null): ModelRetirement | null {
  if (stored === null) return null;
  return {
    deprecatedAtMs: msOf(stored.deprecatedAt),
    sunsetAtMs: msOf(stored.sunsetAt),
    replacementModelId: stored.replacementModelId ?? '',
    onSunset: stored.onSunset,
    url: stored.url ?? '',
  };
}

function msOf(instant: string | null): number {
  return instant === null ? 0 : Date.parse(instant);
}
