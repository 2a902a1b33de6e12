'use client';

import { rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { shown } from '../../api/rest-client';
import { Card } from '../../design/card';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { useMay, useOrganisation } from '../../shell/scope';
import { Decision } from './decision';

/** The kept decision of a request, or why there is none. Only administrators see it. */
export function DecisionCard({ requestId }: { readonly requestId: string }) {
  const may = useMay('decisions.read');
  return may ? <ReadDecision requestId={requestId} /> : null;
}

function ReadDecision({ requestId }: { readonly requestId: string }) {
  const { id: organisationId } = useOrganisation();
  const { data, error, refetch } = useRead(rest.getRequestDecision, {
    params: { organisationId, requestId },
  });
  // Of a request without a record, 404 says why nothing is kept.
  const isAbsent = error !== null && shown(error).status === 404;
  return (
    <Card title="Decision" hint="what was checked, held and chosen before the call">
      {isAbsent && <p className="text-sm">{shown(error).message}</p>}
      {error !== null && !isAbsent && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows label="Loading the decision" />}
      {data !== undefined && <Found found={data} />}
    </Card>
  );
}

function Found({ found }: { readonly found: rest.RequestDecision }) {
  if (found.decision !== null) return <Decision answer={found.decision} sent />;
  const { text, title } = rest.absentDecision(found);
  return (
    <>
      <p className="font-medium">{title}</p>
      <p className="mt-1 text-sm text-ink-soft">{text}</p>
    </>
  );
}
