'use client';

import { rest } from '@tollgate/contracts';
import { ChevronsUpDown } from 'lucide-react';
import { useState } from 'react';

import { useRead } from '../../api/provider';
import { buttonClass } from '../../design/button';
import { Combobox } from '../../design/combobox';
import { Failure } from '../../design/failure';
import { Field } from '../../design/field';
import { Popover } from '../../design/popover';
import { useDebounced } from '../../design/use-debounced';
import { useOrganisation } from '../../shell/scope';
import { chats, priceWords } from './model-price';

interface ModelChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly problem: string | undefined;
  readonly allowed: readonly string[] | undefined;
  readonly onChange: (model: string) => void;
}

/** Selects a chat model by name. */
export function ModelChoice({ label, value, problem, allowed, onChange }: ModelChoiceProps) {
  const [open, setOpen] = useState(false);
  const price = usePrice(value);
  return (
    <Field label={label} error={problem} hint={price}>
      {(props) => (
        <Popover
          open={open}
          onOpenChange={setOpen}
          label="Models"
          className="w-(--radix-popover-trigger-width) min-w-80"
          trigger={
            <button
              type="button"
              {...props}
              className={`${buttonClass({})} w-full justify-between! border-line-strong/60 aria-invalid:border-bad`}
            >
              <span className={value === undefined ? 'text-ink-faint' : 'truncate'}>
                {value ?? 'Choose a model'}
              </span>
              <ChevronsUpDown aria-hidden />
            </button>
          }
        >
          <ModelList
            value={value}
            allowed={allowed}
            onChoose={(model) => {
              onChange(model);
              setOpen(false);
            }}
          />
        </Popover>
      )}
    </Field>
  );
}

const SHOWN = 100;

interface ModelListProps {
  readonly value: string | undefined;
  readonly allowed: readonly string[] | undefined;
  readonly onChoose: (model: string) => void;
}

function ModelList({ value, allowed, onChoose }: ModelListProps) {
  const { id: organisationId } = useOrganisation();
  const [search, setSearch] = useState('');
  const text = useDebounced(search.trim());
  const { data, error, refetch, isPlaceholderData } = useRead(
    rest.listModels,
    {
      params: { organisationId },
      query: { status: 'ACTIVE', sort: 'name', limit: SHOWN, ...(text && { search: text }) },
    },
    { keep: true },
  );
  const models = data?.data.filter(
    (model) => chats(model) && (allowed === undefined || allowed.includes(model.id)),
  );
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  const nameOf = (id: string): string | undefined => models?.find((model) => model.id === id)?.name;
  return (
    <Combobox
      label="Search models"
      many={false}
      items={models?.map((model) => ({ id: model.id, name: model.name, note: priceWords(model) }))}
      chosen={models?.filter(({ name }) => name === value).map(({ id }) => id) ?? []}
      onChoose={(id) => {
        const name = nameOf(id);
        if (name !== undefined) onChoose(name);
      }}
      search={search}
      onSearch={setSearch}
      reading={isPlaceholderData || text !== search.trim()}
      nothing={text === '' ? 'No chat model yet.' : 'No model with this name.'}
      more={data !== undefined && data.nextCursor !== null}
      autoFocus
    />
  );
}

/** The price of the chosen model, per million tokens. */
function usePrice(name: string | undefined): string | undefined {
  const { id: organisationId } = useOrganisation();
  const { data } = useRead(
    rest.listModels,
    {
      params: { organisationId },
      query: { status: 'ACTIVE', sort: 'name', limit: SHOWN, search: name ?? '' },
    },
    { enabled: name !== undefined },
  );
  const model = data?.data.find((one) => one.name === name);
  if (model === undefined) return undefined;
  return model.currentPrice === null
    ? 'No price is set, so its answers have no cost.'
    : `${priceWords(model)} per million tokens`;
}
