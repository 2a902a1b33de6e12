import { Field, TextInput } from '../../design/field';

type NewPasswordFieldProps = {
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
  readonly autoFocus?: boolean;
};

export function NewPasswordField(props: NewPasswordFieldProps) {
  const { label, value, error, onChange, autoFocus = false } = props;
  return (
    <Field label={label} hint="At least 10 characters." error={error}>
      {(field) => (
        <TextInput
          {...field}
          type="password"
          autoComplete="new-password"
          maxLength={200}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          autoFocus={autoFocus}
        />
      )}
    </Field>
  );
}
