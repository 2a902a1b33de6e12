'use client';

import { Switch } from '../../design/switch';
import { NumberField } from '../../design/text-field';
import { fieldsOf } from '../../resource/use-form';
import { useScope } from '../../shell/scope';
import type { SettingFieldsProps } from './setting-fields';

/** Which bodies of requests are kept, and for whom. */
export function BodyFields(props: SettingFieldsProps) {
  const { draft, disabled = false, onChange } = props;
  const field = fieldsOf(props);
  const { me } = useScope();
  const keeps = draft.keepRequestBodies || draft.keepAnswerBodies;
  // The catalog refuses it from operators, who may only take the permission away.
  const mayLetOperators = me.role !== 'SUPER_ADMIN' || draft.keptBodiesForOperators;
  return (
    <>
      <Switch
        label="Keep requests"
        hint="What clients send is kept for this organisation’s administrators. Personal data and secrets are masked before, and each look is recorded. An API key can be left out."
        checked={draft.keepRequestBodies}
        disabled={disabled}
        onChange={(keepRequestBodies) => onChange({ keepRequestBodies })}
      />
      <Switch
        label="Keep answers"
        hint="What models answer is kept in the same way."
        checked={draft.keepAnswerBodies}
        disabled={disabled}
        onChange={(keepAnswerBodies) => onChange({ keepAnswerBodies })}
      />
      {keeps && (
        <>
          <NumberField
            label="Share of requests that are kept (percent)"
            {...field('keptBodiesPercent')}
            disabled={disabled}
          />
          <NumberField
            label="Keep bodies for (days)"
            hint="From 1 to 90. A shorter time also ends bodies that are kept already."
            {...field('keptBodiesDays')}
            disabled={disabled}
          />
          <Switch
            label="Keep failed requests only"
            hint="Of the share above, requests that ended with an error."
            checked={draft.keptBodiesOnlyFailed}
            disabled={disabled}
            onChange={(keptBodiesOnlyFailed) => onChange({ keptBodiesOnlyFailed })}
          />
          <Switch
            label="Platform operators may look at bodies"
            hint="When off, only administrators of this organisation may. Only they can switch it on."
            checked={draft.keptBodiesForOperators}
            disabled={disabled || !mayLetOperators}
            onChange={(keptBodiesForOperators) => onChange({ keptBodiesForOperators })}
          />
        </>
      )}
    </>
  );
}
