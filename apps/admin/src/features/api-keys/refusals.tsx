'use client';

import { rest } from '@tollgate/contracts';
import { CircleCheck } from 'lucide-react';
import Link from 'next/link';
import { useMemo } from 'react';

import { useRead } from '../../api/provider';
import { Badge } from '../../design/badge';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { type Column } from '../../design/table';
import { When } from '../../design/when';
import { showCount } from '../../format/numbers';
import { showTime } from '../../format/time';
import { TableCard } from '../../resource/table-card';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { LastRequestLink } from '../decisions/last-request-link';
import { LimitLink } from '../limits/limit-link';
import { fillWords, limitWords } from '../limits/limit-words';
import { RefusalSum } from '../limits/refusal-sum';
import { ScopeName } from '../pickers/scope-name';
import { nextStep } from './next-step';
import { REFRESH_MS, REFUSALS_QUERY } from './queries';

interface RefusalsProps {
  readonly apiKey: rest.ApiKey;
  /** Opens the form for grants; undefined where the user may not edit. */
  readonly onEdit: (() => void) | undefined;
}

/** Recent refusals of the key, with cause and remedy. */
export function Refusals({ apiKey, onEdit }: RefusalsProps) {
  const { id: organisationId } = useOrganisation();
  const params = { organisationId, apiKeyId: apiKey.id };
  const read = useRead(
    rest.listApiKeyRefusals,
    { params, query: REFUSALS_QUERY },
    { refreshMs: REFRESH_MS },
  );
  const columns = useRefusalColumns(onEdit);
  const scope = useScope();
  const last = read.data?.data.find(({ limit, need }) => limit !== null && need !== null);
  const { data: models } = useRead(
    rest.listModels,
    { params: { organisationId }, query: { search: last?.lastModel ?? '', limit: 50 } },
    { enabled: (last?.lastModel ?? null) !== null },
  );
  const model = models?.data.find(({ name }) => name === last?.lastModel);
  return (
    <>
      {last !== undefined && last.limit !== null && last.need !== null && (
        <Card title="Last refusal by a limit" hint={limitWords(last.limit)}>
          <RefusalSum
            limit={last.limit}
            need={last.need}
            modelHref={model && pageOf(scope, `models/${model.id}`)}
          />
        </Card>
      )}
      <TableCard
        title="Last refusals"
        hint="why requests were refused"
        read={read}
        loading="Loading refusals"
        caption="Last refusals of the key"
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <p className="flex items-center gap-2 p-4 text-ink-soft">
            <CircleCheck className="size-4 shrink-0 text-good" aria-hidden />
            No requests were refused recently.
          </p>
        }
      />
    </>
  );
}

function useRefusalColumns(onEdit: (() => void) | undefined): Column<rest.ApiKeyRefusal>[] {
  const { timeZone } = useOrganisation();
  return useMemo(
    () => [
      {
        title: 'Refused with',
        cell: (refusal) => (
          <>
            <code className="font-mono text-sm break-words">{refusal.code}</code>{' '}
            {refusal.count > 1 && <Badge>{`${showCount(refusal.count)} times`}</Badge>}
            <span className="block text-sm font-normal text-ink-faint">
              {refusal.lastModel !== null && <>model {refusal.lastModel} · </>}
              <When instant={refusal.lastAt} timeZone={timeZone} format="moment" />
            </span>
          </>
        ),
      },
      {
        title: 'Why',
        from: 'sm',
        cell: (refusal) => <Why refusal={refusal} />,
      },
      {
        title: 'What to do',
        cell: (refusal) => (
          <>
            <Todo refusal={refusal} onEdit={onEdit} />
            <LastRequestLink requestId={refusal.lastRequestId} />
          </>
        ),
      },
    ],
    [onEdit, timeZone],
  );
}

function Why({ refusal: { message, reason, limit } }: { refusal: rest.ApiKeyRefusal }) {
  const { timeZone } = useOrganisation();
  if (limit === null) {
    return <span className="text-sm break-words text-ink-soft">{reason ?? message}</span>;
  }
  return (
    <div className="text-sm text-ink-soft">
      <LimitLink limit={limit}>{limitWords(limit)}</LimitLink>
      <span className="block">
        <ScopeName scope={limit.scope} />
      </span>
      <span className="block">
        {fillWords(limit)}
        {limit.resetsAt !== null && `, resets ${showTime(limit.resetsAt, 'moment', timeZone)}`}
      </span>
    </div>
  );
}

const LINK = 'text-accent underline-offset-4 hover:underline';

interface TodoProps {
  readonly refusal: rest.ApiKeyRefusal;
  readonly onEdit: (() => void) | undefined;
}

/** Codes that editing the key's grants fixes. */
const GRANT_CODES: readonly string[] = ['model_access_denied'];

function Todo({ refusal: { code, message, limit }, onEdit }: TodoProps) {
  const scope = useScope();
  const mayReadProviders = useMay('providers.read');
  const step = nextStep(code);
  const { page } = step ?? {};
  const reachable = page !== undefined && (page.path !== 'providers' || mayReadProviders);
  return (
    <div className="text-sm">
      <p className="text-ink-soft">{step?.words ?? message}</p>
      {limit !== null && (
        <p className="sm:hidden">
          <LimitLink limit={limit}>{limitWords(limit)}</LimitLink>
        </p>
      )}
      {reachable && (
        <Link href={pageOf(scope, page.path)} className={LINK}>
          {page.label}
        </Link>
      )}
      {GRANT_CODES.includes(code) && onEdit !== undefined && (
        <Button size="small" className="mt-1" onClick={onEdit}>
          Edit grants
        </Button>
      )}
    </div>
  );
}
