'use client';

import type { ComponentProps, ReactNode } from 'react';
import { Field, Select, TextInput } from './field';

type Labelled = {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly optional?: boolean;
};

type TextFieldProps = Labelled &
  Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'children' | 'id'> & {
    readonly value: string;
    readonly onChange: (value: string) => void;
  };

/** One line of text with its label. Browsers do not fill it in unless `autoComplete` says so. */
export function TextField({ label, hint, error, optional, onChange, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} {...(optional !== undefined && { optional })}>
      {(props) => (
        <TextInput
          autoComplete="off"
          {...input}
          {...props}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

type Choice<Value extends string> = { readonly value: Value; readonly label: string };

type SelectFieldProps<Value extends string> = Labelled & {
  readonly value: Value;
  readonly choices: readonly Choice<Value>[];
  readonly disabled?: boolean;
  readonly onChange: (value: Value) => void;
};

/** One of a few, with its label. What is not among the choices is not passed on. */
export function SelectField<Value extends string>(field: SelectFieldProps<Value>) {
  const { label, hint, error, optional, value, choices, disabled, onChange } = field;
  return (
    <Field label={label} hint={hint} error={error} {...(optional !== undefined && { optional })}>
      {(props) => (
        <Select
          {...props}
          value={value}
          disabled={disabled}
          onChange={({ target }) => {
            const chosen = choices.find((choice) => choice.value === target.value);
            if (chosen !== undefined) onChange(chosen.value);
          }}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
