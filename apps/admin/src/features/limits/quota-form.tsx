'use client';

import { QUOTA_METRICS, rest, type LimitMode, type QuotaMetric } from '@tollgate/contracts';

import { fieldError } from '../../design/field-error';
import { SelectField, TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import { ModeField } from './mode-field';
import { limitOf, windowOf } from './quota-draft';
import { METRIC_WORDS, WINDOW_CHOICES, windowWords } from './quota-words';
import {
  periodsFor,
  requireValueOf,
  ScopeField,
  scopeOf,
  StateFields,
  useFirstScope,
  type ScopeDraft,
} from './scope-field';
import { madeWords } from './trust-words';

interface QuotaFormProps {
  /** The quota to edit; absent for a new one. */
  readonly quotaId?: string;
  readonly onClose: () => void;
}

export function QuotaForm({ quotaId, onClose }: QuotaFormProps) {
  const { id: organisationId } = useOrganisation();
  const scope = useFirstScope();
  if (quotaId === undefined) {
    const initial: Draft = { scope, metric: 'REQUESTS', window: 'DAILY', limit: '', ...DEFAULTS };
    return (
      <Window
        title="Create a quota"
        description="Usage in the current window counts from the start."
        onClose={onClose}
      >
        <Fields initial={initial} onClose={onClose} />
      </Window>
    );
  }
  return (
    <Window title="Edit quota" description="Running requests keep their holds." onClose={onClose}>
      <ReadForEditing endpoint={rest.getQuota} input={{ params: { organisationId, quotaId } }}>
        {({ value, etag }) => (
          <Fields
            initial={{ ...value, window: '', limit: String(value.limit) }}
            known={{ quotaId, etag }}
            onClose={onClose}
          />
        )}
      </ReadForEditing>
    </Window>
  );
}

const DEFAULTS = { mode: 'HARD', status: 'ACTIVE', requireValue: false } as const;

interface Draft {
  readonly scope: ScopeDraft;
  readonly requireValue: boolean;
  readonly metric: QuotaMetric;
  /** A period's name or a number of seconds. */
  readonly window: string;
  readonly limit: string;
  readonly mode: LimitMode;
  readonly status: rest.Quota['status'];
}

interface FieldsProps {
  readonly initial: Draft;
  readonly known?: { readonly quotaId: string; readonly etag: string | undefined };
  readonly onClose: () => void;
}

const FIELDS = ['scope', 'metric', 'period', 'windowSeconds', 'limit', 'mode', 'status'];
const UNITS: Partial<Record<QuotaMetric, string>> = {
  COST: 'US dollars, for example 12.50',
  LATENCY_MS: 'Total upstream time in milliseconds',
  ERRORS: 'Responses with status 500 or higher, and failed streams',
};

function Fields({ initial, known, onClose }: FieldsProps) {
  const { id: organisationId } = useOrganisation();
  const form = useSave({
    initial,
    known,
    stale: [rest.listQuotas.id, rest.getQuota.id],
    send: ({ metric, window, limit, mode, status, ...draft }: Draft, call) => {
      const body = { limit: limitOf(metric, limit), mode, status, ...requireValueOf(draft) };
      if (known === undefined) {
        return call(rest.createQuota, {
          params: { organisationId },
          body: { scope: scopeOf(draft.scope), metric, ...windowOf(window), ...body },
        });
      }
      const { quotaId } = known;
      return call(rest.updateQuota, {
        params: { organisationId, quotaId },
        body,
      });
    },
    made: (limit) => madeWords('Quota', limit),
    onClose,
  });
  const { draft, change, error, field } = form;
  return (
    <FormBody
      form={form}
      fields={FIELDS}
      submit={known === undefined ? 'Create quota' : 'Save'}
      onClose={onClose}
    >
      {known === undefined && (
        <>
          <ScopeField scope={draft.scope} error={error} onChange={(scope) => change({ scope })} />
          <SelectField
            label="Metric"
            {...field('metric')}
            choices={QUOTA_METRICS.map((metric) => ({
              value: metric,
              label: METRIC_WORDS[metric],
            }))}
          />
          <SelectField
            label="Window"
            hint="Periods follow the calendar in the organisation’s time zone."
            error={fieldError(error, 'period') ?? fieldError(error, 'windowSeconds')}
            value={draft.window}
            choices={[
              ...WINDOW_CHOICES.map((seconds) => ({
                value: String(seconds),
                label: windowWords({ period: null, windowSeconds: seconds }),
              })),
              ...periodsFor(draft.scope.type).map((period) => ({
                value: period,
                label: windowWords({ period, windowSeconds: null }),
              })),
            ]}
            onChange={(value) => change({ window: value })}
          />
        </>
      )}
      <TextField label="Limit" hint={UNITS[draft.metric]} {...field('limit')} inputMode="decimal" />
      <ModeField {...field('mode')} />
      <StateFields draft={draft} change={change} />
    </FormBody>
  );
}
