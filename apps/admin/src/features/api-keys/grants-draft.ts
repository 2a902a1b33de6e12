import type { rest } from '@tollgate/contracts';

import { plural } from '../../format/numbers';

// The draft of a key's grants, and grants as text. Pure.

export interface GrantsDraft {
  readonly all: boolean;
  readonly providerIds: readonly string[];
  /** As typed, separated by commas or spaces. */
  readonly patterns: string;
}

export function grantsDraftOf(grants: readonly rest.ModelGrant[]): GrantsDraft {
  const of = <Kind extends rest.ModelGrant['kind']>(kind: Kind) =>
    grants.filter(
      (grant): grant is Extract<rest.ModelGrant, { kind: Kind }> => grant.kind === kind,
    );
  return {
    all: of('ALL').length > 0,
    providerIds: of('PROVIDER').map(({ providerId }) => providerId),
    patterns: of('PATTERN')
      .map(({ pattern }) => pattern)
      .join(', '),
  };
}

export function grantsOfDraft({ all, providerIds, patterns }: GrantsDraft): rest.ModelGrant[] {
  const typed = new Set(patterns.split(/[\s,]+/).filter((pattern) => pattern !== ''));
  return [
    ...(all ? [{ kind: 'ALL' } as const] : []),
    ...providerIds.map((providerId) => ({ kind: 'PROVIDER', providerId }) as const),
    ...[...typed].map((pattern) => ({ kind: 'PATTERN', pattern }) as const),
  ];
}

/** "All models", "1 provider, 2 patterns, 3 models"; undefined without any grant. */
export function grantWords({
  modelIds,
  modelGrants,
}: Pick<rest.ApiKey, 'modelIds' | 'modelGrants'>): string | undefined {
  const { all, providerIds } = grantsDraftOf(modelGrants);
  if (all) return 'All models';
  const patterns = modelGrants.filter(({ kind }) => kind === 'PATTERN').length;
  const parts = [
    [providerIds.length, 'provider'],
    [patterns, 'pattern'],
    [modelIds.length, 'model'],
  ] as const;
  const words = parts.flatMap(([count, one]) => (count === 0 ? [] : [plural(count, one)]));
  return words.length === 0 ? undefined : words.join(', ');
}
