'use client';

import { rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { Card } from '../../design/card';
import { showTime } from '../../format/time';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { limitWords } from './limit-words';
import { RefusalSum } from './refusal-sum';

const REFRESH_MS = 15_000;

/** The newest refusal by a budget, with its sum. Nothing is shown without one. */
export function LastBudgetRefusal() {
  const scope = useScope();
  const { id: organisationId, timeZone } = useOrganisation();
  const mayReadUsage = useMay('usage.read');
  const { data } = useRead(
    rest.listRefusedRequests,
    {
      params: { organisationId },
      query: { code: 'budget_exceeded', sort: '-lastAt', limit: 1 },
    },
    { enabled: mayReadUsage, refreshMs: REFRESH_MS },
  );
  const [last] = data?.data ?? [];
  if (last === undefined || last.limit === null || last.need === null) return null;
  const { limit, need, model, apiKey } = last;
  const modelId = model?.id ?? undefined;
  return (
    <Card
      title="Last refusal by a budget"
      hint={`${limitWords(limit)}${apiKey === null ? '' : `, key ${apiKey.name ?? 'deleted'}`}, ${showTime(last.lastAt, 'moment', timeZone)}`}
    >
      <RefusalSum
        limit={limit}
        need={need}
        modelHref={modelId && pageOf(scope, `models/${modelId}`)}
      />
    </Card>
  );
}
