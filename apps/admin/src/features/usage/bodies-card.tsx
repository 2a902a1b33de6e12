'use client';

import { PASSTHROUGH_OPERATION, rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRead, useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { CodeBlock } from '../../design/code-block';
import { Facts } from '../../design/facts';
import { Failure } from '../../design/failure';
import { When } from '../../design/when';
import { useMay, useOrganisation } from '../../shell/scope';
import { maskedWords, missingWords, neverKept, prettyBody } from './body-words';

interface BodiesProps {
  readonly record: rest.UsageRecordDetail;
}

/** The kept bodies of a request. They are read only when an administrator asks for them. */
export function BodiesCard({ record }: BodiesProps) {
  const mayRead = useMay('bodies.read');
  if (!mayRead) return null;
  const never = neverKept(record, PASSTHROUGH_OPERATION);
  return never === undefined ? (
    <Kept requestId={record.id} />
  ) : (
    <Card title="Bodies">
      <p className="text-sm text-ink-soft">{never}</p>
    </Card>
  );
}

function Kept({ requestId }: { readonly requestId: string }) {
  const { id: organisationId, timeZone } = useOrganisation();
  const params = { organisationId, requestId };
  const { data, error, refetch } = useRead(rest.getKeptBodies, { params });
  if (error !== null) {
    return (
      <Card title="Bodies">
        <Failure error={error} onRetry={() => void refetch()} />
      </Card>
    );
  }
  if (data === undefined) return null;
  const { answer, keptUntil, masked, request } = data;
  const kept = request.kept || answer.kept;
  return (
    <Card title="Bodies">
      {keptUntil === null ? (
        <p className="text-sm text-ink-soft">
          Not kept. The organisation’s settings say which requests are.
        </p>
      ) : (
        <div className="flex flex-col gap-4">
          <Facts
            facts={[
              { name: 'Request', value: request.kept ? 'Kept' : missingWords(request) },
              { name: 'Answer', value: answerWords(answer) },
              ...(kept
                ? [
                    {
                      name: 'Masked',
                      value: masked.length === 0 ? 'Nothing was found.' : maskedWords(masked),
                    },
                    {
                      name: 'Kept until',
                      value: <When instant={keptUntil} timeZone={timeZone} />,
                    },
                  ]
                : []),
            ]}
          />
          {kept && !data.mayLook && (
            <p className="text-sm text-ink-soft">
              Only administrators of the organisation look at bodies. They can let operators look
              too, in the organisation’s settings.
            </p>
          )}
          {kept && data.mayLook && <Look params={params} />}
        </div>
      )}
    </Card>
  );
}

function answerWords(answer: rest.KeptBodies['answer']): string {
  if (!answer.kept) return missingWords(answer);
  return answer.partial ? 'Kept, as far as it went' : 'Kept';
}

/** Nothing of the bodies is in the page before this button, and each use of it is recorded. */
function Look({ params }: { readonly params: { organisationId: string; requestId: string } }) {
  const client = useRest();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [bodies, setBodies] = useState<rest.ShownBodies>();
  const look = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      setBodies(await client.call(rest.lookAtBodies, { params }));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  if (bodies !== undefined) {
    return (
      <>
        <Body title="Request" text={bodies.request} />
        <Body title="Answer" text={bodies.answer} />
      </>
    );
  }
  return (
    <>
      {error !== undefined && <Failure error={error} onRetry={() => void look()} />}
      <div>
        <Button busy={busy} onClick={() => void look()}>
          Show (this is recorded)
        </Button>
      </div>
    </>
  );
}

function Body({ title, text }: { readonly title: string; readonly text: string | null }) {
  if (text === null) return null;
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-sm font-medium">{title}</h3>
      <div className="max-h-[32rem] overflow-auto">
        <CodeBlock label={title} text={prettyBody(text)} />
      </div>
    </section>
  );
}
