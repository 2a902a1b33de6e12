'use client';

import { useQueryClient } from '@tanstack/react-query';
import { rest } from '@tollgate/contracts';
import { useEffect } from 'react';

import { useRead } from '../../api/provider';
import { Badge, type Tone } from '../../design/badge';
import { Button } from '../../design/button';
import { DialogActions, DialogBody } from '../../design/dialog';
import { Facts } from '../../design/facts';
import { Failure } from '../../design/failure';
import { showUsd } from '../../format/money';
import { showCount } from '../../format/numbers';
import { sentence } from '../../format/words';

const TONES: Readonly<Record<rest.Rerate['status'], Tone>> = {
  PENDING: 'accent',
  RUNNING: 'accent',
  DONE: 'good',
  FAILED: 'bad',
};
const LOOK_MS = 1_000;

interface ReratingProps {
  readonly made: rest.Rerate;
  /** After a dry run: starts the re-rating. */
  readonly onBack: () => void;
  readonly onClose: () => void;
}

/** The progress of a re-rating, which continues when the window is closed. */
export function Rerating({ made, onBack, onClose }: ReratingProps) {
  const queries = useQueryClient();
  const { organisationId, id: rerateId } = made;
  const params = { organisationId, rerateId };
  const known = queries.getQueryData<rest.Rerate>([rest.getRerate.id, { params }]) ?? made;
  const read = useRead(rest.getRerate, { params }, isOver(known) ? {} : { refreshMs: LOOK_MS });
  const now = read.data ?? made;
  const over = isOver(now);
  useEffect(() => {
    if (over) void queries.invalidateQueries({ queryKey: [rest.listUsageRecords.id] });
  }, [over, queries]);
  return (
    <>
      <DialogBody>
        {read.error !== null && <Failure error={read.error} />}
        <div role="status" className="flex items-center gap-3">
          <Badge tone={TONES[now.status]}>{sentence(now.status)}</Badge>
          {wordsOf(now)}
        </div>
        <Facts
          facts={[
            { name: 'Requests checked', value: showCount(now.records) },
            { name: now.dryRun ? 'Would change' : 'Changed', value: showCount(now.changed) },
            { name: 'Difference', value: showUsd(now.differenceUsd) },
            {
              name: 'Skipped',
              value: `${showCount(now.held)} abandoned, ${showCount(now.otherwiseCharged)} charged in another way`,
            },
          ]}
        />
        {now.error !== null && <p className="text-bad">{now.error}</p>}
      </DialogBody>
      <DialogActions>
        {now.dryRun && over && <Button onClick={onBack}>Back</Button>}
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </>
  );
}

function wordsOf(rerate: rest.Rerate): string {
  if (rerate.dryRun) return 'Count only: nothing is changed.';
  return isOver(rerate)
    ? 'Bookings and charges are updated.'
    : 'It continues after you close this window.';
}

function isOver({ status }: rest.Rerate): boolean {
  return status === 'DONE' || status === 'FAILED';
}
