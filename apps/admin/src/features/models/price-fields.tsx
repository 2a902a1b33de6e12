'use client';

import { isUnit, UNITS, type Unit } from '@tollgate/contracts';
import { Plus, Trash2 } from 'lucide-react';
import { useState, type ComponentProps } from 'react';

import type { ApiError } from '../../api/rest-client';
import { Button, IconButton } from '../../design/button';
import { ErrorText } from '../../design/error-text';
import { fieldError } from '../../design/field-error';
import { NumberField, SelectField, TextField } from '../../design/text-field';
import { fieldsOf } from '../../resource/use-form';
import {
  MAX_STEPS,
  nextStep,
  TOKEN_KINDS,
  type PriceDraft,
  type StepDraft,
  type UnitDraft,
} from './price-draft';
import { wordsOf } from './price-view';
import { TierFields } from './tier-fields';

interface PriceFieldsProps {
  readonly draft: PriceDraft;
  readonly error: ApiError | undefined;
  /** The path prefix of the price in the request: "prices[0].". */
  readonly at?: string;
  readonly onChange: (part: Partial<PriceDraft>) => void;
}

const PLAIN = 2;
const ALL_UNITS = Object.keys(UNITS).filter(isUnit);

/** Prices per million tokens by steps of input length, per request and per unit. */
export function PriceFields({ draft, error, at = '', onChange }: PriceFieldsProps) {
  const { steps, perRequestUsd, tiers, units } = draft;
  const unused = ALL_UNITS.filter((unit) => units.every((known) => known.unit !== unit));
  const [nextUnit] = unused;
  // Errors of all steps together. A step shows its own errors.
  const stepsError = error?.details.find(({ path }) => path === `${at}steps`)?.message;
  return (
    <>
      {steps.map((step, index) => (
        // Steps have no id but their position.
        <StepFields
          key={index}
          step={step}
          first={index === 0}
          error={error}
          at={`${at}steps[${String(index)}].`}
          onChange={(part) => onChange({ steps: replaced(steps, index, { ...step, ...part }) })}
          onRemove={() => onChange({ steps: steps.filter((_, place) => place !== index) })}
        />
      ))}
      <ErrorText>{stepsError}</ErrorText>
      <div className="flex flex-wrap gap-2">
        {steps.length < MAX_STEPS && (
          <Button size="small" onClick={() => onChange({ steps: [...steps, nextStep()] })}>
            <Plus aria-hidden />
            Add a price for long inputs
          </Button>
        )}
        {nextUnit !== undefined && (
          <Button
            size="small"
            onClick={() => onChange({ units: [...units, { unit: nextUnit, usd: '' }] })}
          >
            <Plus aria-hidden />
            Add a unit price
          </Button>
        )}
      </div>
      <DollarField
        label="Per request"
        optional
        hint="US dollars, in addition to tokens."
        error={fieldError(error, `${at}perRequestUsd`)}
        value={perRequestUsd}
        onChange={(value) => onChange({ perRequestUsd: value })}
      />
      {units.map((known, index) => (
        <UnitFields
          key={known.unit}
          known={known}
          choices={[known.unit, ...unused]}
          error={fieldError(error, `${at}perUnitUsd.${known.unit}`)}
          onChange={(next) => onChange({ units: replaced(units, index, next) })}
          onRemove={() => onChange({ units: units.filter((_, place) => place !== index) })}
        />
      ))}
      <TierFields
        tiers={tiers}
        error={error}
        at={at}
        onChange={(next) => onChange({ tiers: next })}
      />
    </>
  );
}

function replaced<T>(list: readonly T[], index: number, item: T): readonly T[] {
  return list.map((known, place) => (place === index ? item : known));
}

function DollarField(props: ComponentProps<typeof TextField>) {
  return <TextField inputMode="decimal" {...props} />;
}

interface StepFieldsProps {
  readonly step: StepDraft;
  /** The first step starts at 0 tokens and cannot be removed. */
  readonly first: boolean;
  readonly error: ApiError | undefined;
  readonly at: string;
  readonly onChange: (part: Partial<StepDraft>) => void;
  readonly onRemove: () => void;
}

function StepFields({ step, first, error, at, onChange, onRemove }: StepFieldsProps) {
  const field = fieldsOf({ draft: step, error, onChange }, (name) => fieldError(error, at + name));
  const prices = (kinds: readonly (typeof TOKEN_KINDS)[number][]) =>
    kinds.map(({ name, label }) => (
      <DollarField
        key={name}
        label={label}
        optional={name !== 'input' && name !== 'output'}
        {...field(name)}
      />
    ));
  const others = TOKEN_KINDS.slice(PLAIN);
  // Initially open when it has values.
  const [given] = useState(() => others.some(({ name }) => step[name] !== ''));
  const faulty = others.some(({ name }) => fieldError(error, at + name) !== undefined);
  return (
    <fieldset className="rounded-md border p-4 pt-2">
      <legend className="px-1 text-sm font-medium">
        {first ? 'US dollars per million tokens' : 'For long inputs'}
      </legend>
      <div className="flex flex-col gap-4">
        {!first && (
          <div className="flex items-end gap-2">
            <div className="flex-1">
              <NumberField label="From input tokens" {...field('fromInputTokens')} />
            </div>
            <IconButton label="Remove this price" onClick={onRemove}>
              <Trash2 />
            </IconButton>
          </div>
        )}
        <div className="grid gap-4 sm:grid-cols-2">{prices(TOKEN_KINDS.slice(0, PLAIN))}</div>
        <details open={faulty || given || undefined}>
          <summary className="text-sm font-medium">Cache and audio</summary>
          <p className="mt-1 text-sm text-ink-faint">
            Empty fields use the plain input or output price.
          </p>
          <div className="mt-3 grid gap-4 sm:grid-cols-2">{prices(others)}</div>
        </details>
      </div>
    </fieldset>
  );
}

interface UnitFieldsProps {
  readonly known: UnitDraft;
  readonly choices: readonly Unit[];
  readonly error: string | undefined;
  readonly onChange: (known: UnitDraft) => void;
  readonly onRemove: () => void;
}

function UnitFields({ known, choices, error, onChange, onRemove }: UnitFieldsProps) {
  const { unit, usd } = known;
  return (
    <fieldset className="flex items-start gap-2">
      <legend className="sr-only">Price per {wordsOf(unit)}</legend>
      <div className="min-w-0 flex-1">
        <SelectField
          label="Unit"
          hint={UNITS[unit]}
          value={unit}
          choices={choices.map((name) => ({ value: name, label: wordsOf(name) }))}
          onChange={(value) => onChange({ unit: value, usd })}
        />
      </div>
      <div className="w-32">
        <DollarField
          label="US dollars each"
          error={error}
          value={usd}
          onChange={(value) => onChange({ unit, usd: value })}
        />
      </div>
      <IconButton
        label={`Remove the price per ${wordsOf(unit)}`}
        className="mt-7"
        onClick={onRemove}
      >
        <Trash2 />
      </IconButton>
    </fieldset>
  );
}
