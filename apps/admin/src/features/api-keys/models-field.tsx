'use client';

import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
import { TextField } from '../../design/text-field';
import { useMay, useScope } from '../../shell/scope';
import { ListPicker } from '../pickers/pickers';
import type { GrantsDraft } from './grants-draft';

interface Chosen {
  readonly modelIds: readonly string[];
  readonly grants: GrantsDraft;
}

type ModelsFieldProps = Chosen & {
  readonly error: ApiError | undefined;
  readonly onChange: (part: Partial<Chosen>) => void;
};

/** The grants of a key: all models, models of providers, name patterns, single models. */
export function ModelsField({ modelIds, grants, error, onChange }: ModelsFieldProps) {
  const { me } = useScope();
  const mayReadProviders = useMay('providers.read');
  const change = (part: Partial<GrantsDraft>): void => onChange({ grants: { ...grants, ...part } });
  const wrong = fieldError(error, 'modelGrants');
  return (
    <>
      <Switch
        label="All models"
        hint="Includes models added later."
        checked={grants.all}
        onChange={(all) => change({ all })}
      />
      {mayReadProviders && (
        <ListPicker
          of="providers"
          many
          legend="All models of a provider"
          chosen={grants.providerIds}
          onChange={(providerIds) => change({ providerIds })}
        />
      )}
      <TextField
        label="Model patterns"
        hint="Separate patterns with commas. * matches any characters: gpt-*, *-mini."
        error={wrong}
        optional
        value={grants.patterns}
        onChange={(value) => change({ patterns: value })}
        spellCheck={false}
      />
      <ListPicker
        of={me.role === 'USER' ? 'grantableModels' : 'models'}
        legend="Models"
        hint="Without any grant, every request with this key is refused."
        error={fieldError(error, 'modelIds')}
        chosen={modelIds}
        onChange={(chosen) => onChange({ modelIds: chosen })}
      />
    </>
  );
}
