'use client';

import { rest } from '@tollgate/contracts';
import { Ban, Hourglass, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';

import { useRead } from '../../api/provider';
import { Empty } from '../../design/empty';
import { useMay, useOrganisation } from '../../shell/scope';
import { DecisionCard } from '../decisions/decision-card';

interface NotBookedProps {
  readonly requestId: string;
  readonly action: ReactNode;
}

/** A request without a record. For whoever may read decisions, its decision says which of the reasons it is. */
export function NotBooked(props: NotBookedProps) {
  return useMay('decisions.read') ? (
    <>
      <Explained {...props} />
      <DecisionCard requestId={props.requestId} />
    </>
  ) : (
    <Unknown {...props} />
  );
}

function Explained({ action, requestId }: NotBookedProps) {
  const { id: organisationId } = useOrganisation();
  const { data } = useRead(rest.getRequestDecision, { params: { organisationId, requestId } });
  switch (data?.decision?.decision) {
    case 'deny':
      return (
        <Framed>
          <Empty icon={Ban} title="This request was refused" action={action}>
            Nothing was sent to a provider, so it has no record and no cost. Below is why.
          </Empty>
        </Framed>
      );
    case 'allow':
      return (
        <Framed>
          <Empty icon={Hourglass} title="This request is not booked yet" action={action}>
            It was allowed. Its record appears here when it has ended, or when its lease expires.
          </Empty>
        </Framed>
      );
    default:
      return <Unknown action={action} />;
  }
}

function Unknown({ action }: Pick<NotBookedProps, 'action'>) {
  return (
    <Framed>
      <Empty icon={SearchX} title="There is no record of this request" action={action}>
        The request may have been refused, still be running, belong to another user, or be older
        than the organisation’s retention period.
      </Empty>
    </Framed>
  );
}

function Framed({ children }: { readonly children: ReactNode }) {
  return <div className="rounded-lg border bg-surface">{children}</div>;
}
