'use client';

import { rest } from '@tollgate/contracts';
import { Check, ChevronsUpDown } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useState } from 'react';

import { useRead } from '../../api/provider';
import { buttonClass } from '../../design/button';
import { Failure } from '../../design/failure';
import { Field, TextInput } from '../../design/field';
import { useDebounced } from '../../design/use-debounced';
import { useOrganisation } from '../../shell/scope';

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
  return (
    <Field label={label} error={problem}>
      {(props) => (
        <Popover.Root open={open} onOpenChange={setOpen}>
          <Popover.Trigger
            {...props}
            className={`${buttonClass({})} w-full justify-between! border-line-strong/60 aria-invalid:border-bad`}
          >
            <span className={value === undefined ? 'text-ink-faint' : 'truncate'}>
              {value ?? 'Choose a model'}
            </span>
            <ChevronsUpDown aria-hidden />
          </Popover.Trigger>
          <Popover.Portal>
            <Popover.Content
              align="start"
              sideOffset={6}
              collisionPadding={12}
              aria-label="Models"
              className="z-50 w-(--radix-popover-trigger-width) min-w-64 rounded-lg border bg-raised p-1.5 shadow-raised data-[state=open]:animate-appear"
            >
              <ModelList
                value={value}
                allowed={allowed}
                onChoose={(model) => {
                  onChange(model);
                  setOpen(false);
                }}
              />
            </Popover.Content>
          </Popover.Portal>
        </Popover.Root>
      )}
    </Field>
  );
}

const SHOWN = 100;
const CHATTING = new Set(['chat', 'reasoning']);

interface ModelListProps {
  readonly value: string | undefined;
  readonly allowed: readonly string[] | undefined;
  readonly onChoose: (model: string) => void;
}

function ModelList({ value, allowed, onChoose }: ModelListProps) {
  const { id: organisationId } = useOrganisation();
  const [search, setSearch] = useState('');
  const text = useDebounced(search.trim());
  const { data, error, refetch } = useRead(
    rest.listModels,
    {
      params: { organisationId },
      query: { status: 'ACTIVE', sort: 'name', limit: SHOWN, ...(text && { search: text }) },
    },
    { keep: true },
  );
  const models = data?.data.filter(
    ({ id, type }) => CHATTING.has(type) && (allowed === undefined || allowed.includes(id)),
  );
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <TextInput
        type="search"
        aria-label="Search models"
        placeholder="Search models"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <ul className="mt-1.5 max-h-64 overflow-y-auto">
        {models === undefined && <li className="p-2 text-sm text-ink-faint">Loading…</li>}
        {models?.length === 0 && (
          <li className="p-2 text-sm text-ink-faint">
            {text === '' ? 'No chat model yet.' : 'No model with this name.'}
          </li>
        )}
        {models?.map(({ id, name }) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => onChoose(name)}
              aria-pressed={name === value}
              className="flex min-h-8 w-full items-center gap-2 rounded-sm px-2 text-left hover:bg-hover focus-visible:-outline-offset-2"
            >
              <span className="min-w-0 flex-1 truncate">{name}</span>
              {name === value && <Check className="size-4 text-accent" aria-hidden />}
            </button>
          </li>
        ))}
        {data !== undefined && data.nextCursor !== null && (
          <li className="p-2 text-sm text-ink-faint">Not all are shown. Search to find more.</li>
        )}
      </ul>
    </>
  );
}
