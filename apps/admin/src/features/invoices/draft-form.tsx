'use client';

import { rest } from '@tollgate/contracts';
import { useRouter } from 'next/navigation';
import { useState, type FormEvent } from 'react';

import { SelectField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { ORGANISATION_PARAMETER, pageOf, paths } from '../../shell/paths';
import { useScope, type ScopeOrganisation } from '../../shell/scope';
import { OrganisationChoice } from '../users/organisation-choice';
import { latestMonths, monthName } from './month';
import { STALE } from './queries';

const MONTHS = 24;

/** Drafts a month's invoice. On the platform's pages the organisation is chosen first. */
export function DraftForm({ onClose }: { onClose: () => void }) {
  const scope = useScope();
  const router = useRouter();
  const [nowMs] = useState(() => Date.now());
  const [chosen, setChosen] = useState<ScopeOrganisation | undefined>(
    scope.organisation ?? undefined,
  );
  const [missing, setMissing] = useState(false);
  const months = latestMonths(nowMs, chosen?.timeZone ?? 'UTC', MONTHS);
  const form = useSave({
    initial: { month: months[1] ?? '' },
    stale: STALE,
    send: ({ month }, call) =>
      call(rest.createInvoice, {
        params: { organisationId: chosen?.id ?? '' },
        body: { month },
      }),
    made: ({ month }) => `Invoice of ${monthName(month)} drafted.`,
    onClose,
    onSaved: ({ id }) => {
      router.push(
        scope.organisation === null && chosen !== undefined
          ? `${paths.platform(`invoices/${id}`)}?${ORGANISATION_PARAMETER}=${encodeURIComponent(chosen.slug)}`
          : pageOf(scope, `invoices/${id}`),
      );
    },
  });
  const { field } = form;
  const submit = (event: FormEvent): void => {
    if (chosen !== undefined) {
      form.submit(event);
      return;
    }
    event.preventDefault();
    setMissing(true);
  };
  return (
    <Window
      title="Draft an invoice"
      description="Includes everything booked in the month so far. A draft is not sent to anyone."
      onClose={onClose}
    >
      <FormBody form={{ ...form, submit }} fields={['month']} submit="Draft" onClose={onClose}>
        {scope.organisation === null && (
          <OrganisationChoice
            error={missing && chosen === undefined ? 'Choose an organisation.' : undefined}
            chosen={chosen}
            onChange={setChosen}
          />
        )}
        <SelectField
          label="Month"
          hint={`In the organisation’s time zone${chosen === undefined ? '' : `, ${chosen.timeZone}`}. You can draft the current month now and issue it once it has ended.`}
          {...field('month')}
          choices={months.map((month) => ({ value: month, label: monthName(month) }))}
        />
      </FormBody>
    </Window>
  );
}
