'use client';

import { MODEL_TYPES, rest } from '@tollgate/contracts';
import { useState } from 'react';

import { Badge } from '../../design/badge';
import { Select, TextInput } from '../../design/field';
import { SearchInput } from '../../design/search-input';
import { showCount, showShort } from '../../format/numbers';
import { sentence } from '../../format/words';
import { KnownSource } from '../models/known-source';
import { PriceLine } from '../models/price-view';
import {
  changed,
  found,
  toggled,
  typeFor,
  typeOf,
  unpricedOf,
  type Choice,
  type Choices,
} from './import-draft';

/** The maximum number of models shown; search finds the others. */
const SHOWN = 100;

interface ImportListProps {
  readonly discovery: rest.Discovery;
  readonly choices: Choices;
  readonly onChange: (choices: Choices) => void;
}

/** Selects among the upstream's models. */
export function ImportList({ discovery, choices, onChange }: ImportListProps) {
  const [search, setSearch] = useState('');
  const fitting = found(discovery.data, search);
  const shown = fitting.slice(0, SHOWN);
  const names = fitting.map(({ upstreamModel }) => upstreamModel);
  const all = names.length > 0 && names.every((name) => choices.has(name));
  if (discovery.data.length === 0) {
    return (
      <p className="py-6 text-center text-ink-soft">
        All models of the upstream are already imported.
      </p>
    );
  }
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="sr-only">Models of the upstream</legend>
      <SearchInput
        label="Search the upstream’s models"
        value={search}
        onChange={setSearch}
        standalone
      />
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-sm">
        <label className="flex cursor-pointer items-center gap-2.5 px-3">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={all}
            disabled={names.length === 0}
            onChange={(event) => onChange(toggled(choices, names, event.target.checked))}
          />
          {search.trim() === '' ? 'All' : 'All that match'}
        </label>
        <span className="text-ink-faint">
          {showCount(choices.size)} of {showCount(discovery.data.length)} chosen
          {choices.size > rest.IMPORT_MAX_MODELS &&
            `: at most ${showCount(rest.IMPORT_MAX_MODELS)} at once`}
        </span>
      </div>
      <ul className="divide-y rounded-md border border-line-strong/60">
        {shown.map((model) => (
          <li key={model.upstreamModel}>
            <UpstreamModel
              model={model}
              choice={choices.get(model.upstreamModel)}
              onToggle={(on) => onChange(toggled(choices, [model.upstreamModel], on))}
              onChange={(part) => onChange(changed(choices, model.upstreamModel, part))}
            />
          </li>
        ))}
        {shown.length === 0 && (
          <li className="p-3 text-sm text-ink-faint">No model with this name.</li>
        )}
        {fitting.length > SHOWN && (
          <li className="p-3 text-sm text-ink-faint">Not all are shown. Search to find more.</li>
        )}
      </ul>
      <Unpriced models={unpricedOf(discovery.data, choices)} />
      {discovery.truncated && (
        <p className="text-sm text-ink-faint">
          The upstream has more models than are listed here. Create the others manually.
        </p>
      )}
    </fieldset>
  );
}

/** What becomes of the selected models without a price, and the remedy. */
function Unpriced({ models }: { models: readonly rest.UpstreamModel[] }) {
  if (models.length === 0) return null;
  return (
    <p role="status" className="rounded-md bg-warn-soft px-4 py-3 text-sm text-warn">
      {models.length === 1
        ? `${models[0]?.upstreamModel ?? ''} will be unpriced`
        : `${showCount(models.length)} models will be unpriced`}
      : requests cost nothing in the books, and those under a budget or a cost quota are refused.
      Set prices on the Models page after the import.
    </p>
  );
}

interface UpstreamModelProps {
  readonly model: rest.UpstreamModel;
  /** Undefined: not selected. */
  readonly choice: Choice | undefined;
  readonly onToggle: (on: boolean) => void;
  readonly onChange: (part: Choice) => void;
}

function UpstreamModel({ model, choice, onToggle, onChange }: UpstreamModelProps) {
  const { upstreamModel, displayName, known } = model;
  const contextTokens = model.contextTokens ?? known?.contextTokens ?? null;
  const type = typeFor(model);
  return (
    <div className="flex flex-col gap-2 px-3 py-2">
      <label className="flex min-w-0 cursor-pointer items-center gap-2.5">
        <input
          type="checkbox"
          className="size-4 shrink-0 accent-accent"
          checked={choice !== undefined}
          onChange={(event) => onToggle(event.target.checked)}
        />
        <span className="min-w-0 flex-1 break-all">
          {upstreamModel}
          {displayName !== null && displayName !== upstreamModel && (
            <span className="text-sm text-ink-faint"> {displayName}</span>
          )}
        </span>
        <span className="shrink-0 text-sm text-ink-faint">
          {[
            ...(choice === undefined ? [sentence(type)] : []),
            ...(contextTokens === null ? [] : [`${showShort(contextTokens)} context`]),
          ].join(' · ')}
        </span>
      </label>
      <Price model={model} choice={choice} onChange={onChange} />
      {choice !== undefined && (
        <div className="grid gap-2 pl-6.5 sm:grid-cols-[1fr_11rem]">
          <TextInput
            aria-label={`Name of ${upstreamModel} here`}
            placeholder={upstreamModel}
            value={choice.name ?? ''}
            onChange={(event) => onChange({ name: event.target.value })}
            autoComplete="off"
            spellCheck={false}
            maxLength={200}
          />
          <Select
            aria-label={`Type of ${upstreamModel}`}
            value={choice.type ?? type}
            onChange={({ target }) => {
              const chosen = typeOf(target.value);
              if (chosen !== undefined) onChange({ type: chosen });
            }}
          >
            {MODEL_TYPES.map((value) => (
              <option key={value} value={value}>
                {sentence(value)}
              </option>
            ))}
          </Select>
        </div>
      )}
    </div>
  );
}

type PriceProps = Omit<UpstreamModelProps, 'onToggle'>;

/** The price that the model gets, or that it gets none. */
function Price({ model: { upstreamModel, known }, choice, onChange }: PriceProps) {
  if (known === null) {
    return (
      <p className="pl-6.5">
        <Badge tone="warn">unpriced</Badge>{' '}
        <span className="text-sm text-ink-faint">not in the list of known models</span>
      </p>
    );
  }
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 pl-6.5 text-sm text-ink-soft">
      <PriceLine price={known.price} />
      <span>
        <KnownSource known={known} />
      </span>
      {choice !== undefined && (
        <label className="flex cursor-pointer items-center gap-2">
          <input
            type="checkbox"
            className="accent-accent"
            checked={choice.unpriced !== true}
            aria-label={`Use the list price for ${upstreamModel}`}
            onChange={(event) => onChange({ unpriced: !event.target.checked })}
          />
          Use this price
        </label>
      )}
    </div>
  );
}
