'use client';

import type { ComponentProps, ReactNode } from 'react';

import { Field, Select, TextArea, TextInput } from './field';

// One labelled control each. A form gives value, error and onChange with `field(name)`.

interface Labelled {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly optional?: boolean | undefined;
}

type Typed<Tag extends 'input' | 'textarea'> = Labelled &
  Omit<ComponentProps<Tag>, 'value' | 'onChange' | 'children' | 'id'> & {
    /** Absent: the input is uncontrolled, for a form that is read with FormData. */
    readonly value?: string;
    readonly onChange?: (value: string) => void;
  };

/** One line of text. Browsers do not fill it in unless `autoComplete` says so. */
export function TextField({ label, hint, error, optional, onChange, ...input }: Typed<'input'>) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      {(props) => (
        <TextInput
          autoComplete="off"
          {...input}
          {...props}
          onChange={({ target }) => onChange?.(target.value)}
        />
      )}
    </Field>
  );
}

/** A whole number as text. The server validates it. */
export function NumberField(props: Typed<'input'>) {
  return <TextField inputMode="numeric" {...props} />;
}

/** Several lines of text. */
export function TextAreaField(props: Typed<'textarea'>) {
  const { label, hint, error, optional, onChange, ...area } = props;
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      {(props) => (
        <TextArea {...area} {...props} onChange={({ target }) => onChange?.(target.value)} />
      )}
    </Field>
  );
}

interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

type SelectFieldProps<Value extends string> = Labelled & {
  readonly value: Value;
  readonly choices: readonly Choice<Value>[];
  readonly disabled?: boolean;
  readonly onChange: (value: Value) => void;
};

/** One of a few choices. A value that is not among the choices is not passed on. */
export function SelectField<Value extends string>(field: SelectFieldProps<Value>) {
  const { label, hint, error, optional, value, choices, disabled, onChange } = field;
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
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
