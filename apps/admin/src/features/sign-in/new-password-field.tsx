import { TextField } from '../../design/text-field';

interface NewPasswordFieldProps {
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
  readonly autoFocus?: boolean;
}

export function NewPasswordField(props: NewPasswordFieldProps) {
  const { label, value, error, onChange, autoFocus = false } = props;
  return (
    <TextField
      label={label}
      hint="At least 10 characters."
      error={error}
      value={value}
      onChange={onChange}
      type="password"
      autoComplete="new-password"
      maxLength={200}
      autoFocus={autoFocus}
    />
  );
}
