'use client';

import { rest } from '@tollgate/contracts';
import { Check, FilePen, Undo2, X } from 'lucide-react';
import { useState } from 'react';

import { useRest } from '../../api/provider';
import type { RestClient } from '../../api/rest-client';
import type { MenuAction } from '../../design/menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ListPage } from '../../resource/list-page';
import { sourceOf } from '../../resource/source';
import { useMay, useScope } from '../../shell/scope';
import { CORRECTIONS_STALE } from '../models/corrections-stale';
import { AskForm } from './ask-form';
import { useCorrectionColumns } from './columns';
import { DecideForm, type Decision } from './decide-form';

type Opened =
  | { readonly open: 'ask' }
  | { readonly open: 'question'; readonly question: Question }
  | {
      readonly open: 'decide';
      readonly decision: Decision;
      readonly correction: rest.PriceCorrection;
    };

/** Price corrections: an organisation asks and follows, an operator decides. */
export function Corrections() {
  const { organisation } = useScope();
  const mayAsk = useMay('price-corrections.write');
  const columns = useCorrectionColumns();
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => setOpened(undefined);
  const actions = useActions(setOpened);
  return (
    <ListPage
      title="Price corrections"
      description="Ask the operators to correct requests that were booked without a price or at a wrong one, and follow their decision."
      create={
        mayAsk &&
        organisation !== null && {
          label: 'Ask for a correction',
          onSelect: () => setOpened({ open: 'ask' }),
        }
      }
      source={
        organisation === null
          ? sourceOf(rest.listPlatformPriceCorrections, {})
          : sourceOf(rest.listPriceCorrections, { organisationId: organisation.id })
      }
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={nameOf}
      filters={[
        {
          name: 'status',
          label: 'State',
          any: 'Any state',
          values: rest.PRICE_CORRECTION_STATUSES,
        },
      ]}
      actions={actions}
      empty={{
        icon: FilePen,
        title: 'No price corrections yet',
        text: 'An administrator of an organisation asks for one when requests were booked without a price, or at a wrong one. An operator of the platform decides.',
      }}
    >
      {opened?.open === 'ask' && <AskForm onClose={close} />}
      {opened?.open === 'question' && <ConfirmDialog question={opened.question} onClose={close} />}
      {opened?.open === 'decide' && (
        <DecideForm decision={opened.decision} correction={opened.correction} onClose={close} />
      )}
    </ListPage>
  );
}

function useActions(
  open: (opened: Opened) => void,
): (correction: rest.PriceCorrection) => readonly MenuAction[] {
  const client = useRest();
  const mayAsk = useMay('price-corrections.write');
  const mayDecide = useMay('platform.usage.correct');
  return (correction) => {
    if (correction.status !== 'OPEN') return [];
    const decide = (decision: Decision) => (): void =>
      open({ open: 'decide', decision, correction });
    return [
      ...(mayDecide
        ? [
            { label: 'Approve', icon: Check, onSelect: decide('approve') },
            { label: 'Decline', icon: X, onSelect: decide('decline') },
          ]
        : []),
      ...(mayAsk
        ? [
            {
              label: 'Withdraw',
              icon: Undo2,
              onSelect: () => open({ open: 'question', question: withdrawal(client, correction) }),
            },
          ]
        : []),
    ];
  };
}

function nameOf({ modelName }: rest.PriceCorrection): string {
  return `the correction of ${modelName}`;
}

function withdrawal(
  client: RestClient,
  { organisationId, id: priceCorrectionId, modelName }: rest.PriceCorrection,
): Question {
  return {
    title: `Withdraw the correction of ${modelName}?`,
    consequence: 'Operators can no longer decide about it. Booked requests keep their cost.',
    confirm: 'Withdraw',
    cancel: 'Keep it',
    run: () =>
      client.call(rest.withdrawPriceCorrection, { params: { organisationId, priceCorrectionId } }),
    stale: CORRECTIONS_STALE,
    done: 'Price correction withdrawn.',
  };
}
