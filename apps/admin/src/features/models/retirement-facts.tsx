'use client';

import { rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { Badge } from '../../design/badge';
import { When } from '../../design/when';
import { useOrganisation } from '../../shell/scope';

/** What was announced of a model or an alias, in a few words. */
export function RetirementFacts({ retirement }: { readonly retirement: rest.Retirement | null }) {
  const { timeZone } = useOrganisation();
  if (retirement === null) return <span className="text-ink-faint">none</span>;
  const { deprecatedAt, sunsetAt, replacementModelId, onSunset } = retirement;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Badge tone="warn">{sunsetAt === null ? 'deprecated' : 'ends'}</Badge>
      <When instant={sunsetAt ?? deprecatedAt} timeZone={timeZone} />
      {replacementModelId !== null && (
        <span className="text-ink-soft">
          {onSunset === 'REPLACE' ? 'replaced by' : 'use instead:'}{' '}
          <ModelName modelId={replacementModelId} />
        </span>
      )}
    </span>
  );
}

export function ModelName({ modelId }: { readonly modelId: string }) {
  const { id: organisationId } = useOrganisation();
  const { data, error } = useRead(rest.getModel, { params: { organisationId, modelId } });
  if (error) return <span className="text-ink-faint">deleted model</span>;
  return <>{data?.name ?? '…'}</>;
}
