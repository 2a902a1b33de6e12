'use client';

import { PLUGIN_PARAMETERS, rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { NumberField, SelectField, TextAreaField } from '../../design/text-field';
import { useOrganisation } from '../../shell/scope';
import { Checks } from './checks';
import { toggled, type RuleDraft } from './draft';

interface AskingFieldsProps {
  readonly rule: RuleDraft;
  readonly onChange: (part: Partial<RuleDraft>) => void;
}

/** More than an organisation has. */
const MOST_SERVICES = 100;

/** Which service is asked, and when. */
export function AskingFields({ rule, onChange }: AskingFieldsProps) {
  const { id: organisationId } = useOrganisation();
  const { data } = useRead(rest.listScreeningServices, {
    params: { organisationId },
    query: { limit: MOST_SERVICES },
  });
  const services = data?.data ?? [];
  const known = services.map(({ identifier, name }) => ({ value: identifier, label: name }));
  const missing = { value: rule.service, label: rule.service === '' ? 'Choose' : rule.service };
  const isKnown = known.some(({ value }) => value === rule.service);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label="Service"
        hint={services.length === 0 ? 'Add one under Services first.' : undefined}
        value={rule.service}
        choices={isKnown ? known : [missing, ...known]}
        onChange={(service) => onChange({ service })}
      />
      <NumberField
        label="Milliseconds for a verdict"
        value={rule.timeoutMs}
        onChange={(timeoutMs) => onChange({ timeoutMs })}
      />
      {rule.action === 'BLOCK' && (
        <SelectField
          label="Requests are judged"
          value={rule.wait}
          choices={[
            { value: 'BEFORE', label: 'Before the provider is called' },
            { value: 'BESIDE', label: 'At the same time, and the answer waits' },
          ]}
          onChange={(wait) => onChange({ wait })}
        />
      )}
      {rule.kind === 'PLUGIN' && (
        <TextAreaField
          label="Models that it may choose"
          hint="Names of models, one per line. The key must be granted the one that it chooses. Empty: none."
          value={rule.routes}
          onChange={(routes) => onChange({ routes })}
          spellCheck={false}
        />
      )}
      {rule.kind === 'PLUGIN' && (
        <TextAreaField
          label="Tags that it may set"
          hint="Keys, one per line, at most 10. Tags are in the records of requests, as project:blue. Empty: none."
          value={rule.tags}
          onChange={(tags) => onChange({ tags })}
          spellCheck={false}
        />
      )}
      {rule.kind === 'PLUGIN' && (
        <Checks
          legend="Parameters that it may change"
          all={PLUGIN_PARAMETERS}
          labelOf={(value) => value}
          chosen={rule.mayChange}
          onChange={(value, on) =>
            onChange({ mayChange: toggled(PLUGIN_PARAMETERS, rule.mayChange, value, on) })
          }
        />
      )}
    </div>
  );
}
