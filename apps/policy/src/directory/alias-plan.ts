import type { AliasEntry__Output } from '@tollgate/contracts/node';

import { plannedRetirement, type PlannedRetirement } from './retirement';

export interface AliasPlan {
  readonly aliasId: string;
  readonly name: string;
  readonly displayName: string;
  readonly createdAtMs: number;
  /** Ascending by instant. */
  readonly targets: AliasEntry__Output['targets'];
  readonly retirement: PlannedRetirement | undefined;
}

export function aliasPlan(
  { aliasId, name, displayName, createdAtMs, targets, retirement }: AliasEntry__Output,
  nameOf: (modelId: string) => string | undefined,
): AliasPlan {
  return {
    aliasId,
    name,
    displayName,
    createdAtMs,
    targets,
    retirement: plannedRetirement(name, retirement, nameOf),
  };
}
