'use client';

import type { rest } from '@tollgate/contracts';
import { useMemo } from 'react';

import { Badge, type Tone } from '../../design/badge';
import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import { plural } from '../../format/numbers';
import { showTime } from '../../format/time';
import { sentence } from '../../format/words';
import type { ListColumn } from '../../resource/columns-menu';
import { useScope, useTimeZone } from '../../shell/scope';
import { PriceLine } from '../models/price-view';
import { OrganisationOf } from '../users/user-columns';

const TONES: Readonly<Record<rest.PriceCorrection['status'], Tone>> = {
  OPEN: 'accent',
  APPROVED: 'good',
  DECLINED: 'warn',
};

export function useCorrectionColumns(): readonly ListColumn<rest.PriceCorrection>[] {
  const timeZone = useTimeZone();
  const ofAll = useScope().organisation === null;
  return useMemo<readonly ListColumn<rest.PriceCorrection>[]>(
    () => [
      {
        title: 'Model',
        cell: ({ modelName, reason }) => (
          <>
            {modelName}
            <span className="block text-sm font-normal wrap-anywhere text-ink-soft">{reason}</span>
          </>
        ),
      },
      ...(ofAll
        ? [
            {
              title: 'Organisation',
              cell: ({ organisationId }: rest.PriceCorrection) => (
                <OrganisationOf organisationId={organisationId} page="corrections" />
              ),
            },
          ]
        : []),
      {
        title: 'Period',
        from: 'md',
        cell: ({ from, to }) =>
          `${showTime(from, 'minute', timeZone)} – ${showTime(to, 'minute', timeZone)}`,
      },
      {
        title: 'Requested price, per million tokens',
        from: 'lg',
        cell: ({ price }) => <PriceLine price={price} />,
      },
      {
        title: 'Booked',
        from: 'lg',
        align: 'right',
        cell: ({ requests, chargedUsd }) =>
          `${plural(requests, 'request')}, ${showUsd(chargedUsd)}`,
      },
      { title: 'State', cell: (correction) => <State correction={correction} /> },
      {
        title: 'Requested',
        sort: 'createdAt',
        from: 'sm',
        align: 'right',
        cell: ({ createdAt, requestedByName }) => (
          <>
            <When instant={createdAt} timeZone={timeZone} format="minute" />
            <span className="block text-sm text-ink-soft">{requestedByName}</span>
          </>
        ),
      },
    ],
    [timeZone, ofAll],
  );
}

function State({ correction }: { correction: rest.PriceCorrection }) {
  const { status, answer, rerate } = correction;
  return (
    <>
      <Badge tone={TONES[status]}>{sentence(status)}</Badge>
      {rerate?.status === 'FAILED' && (
        <span className="block">
          <Badge tone="bad">Re-rating failed</Badge>
        </span>
      )}
      {rerate !== null && rerate.status !== 'FAILED' && (
        <span className="block text-sm text-ink-soft">
          {rerate.status === 'DONE'
            ? `${plural(rerate.changed, 'request')} changed, ${showUsd(rerate.differenceUsd)}`
            : `Re-rating: ${sentence(rerate.status).toLowerCase()}`}
        </span>
      )}
      {answer !== null && (
        <span className="block max-w-80 text-sm wrap-anywhere text-ink-soft">{answer}</span>
      )}
    </>
  );
}
