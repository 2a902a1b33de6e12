import { TextField } from '../../design/text-field';

const ENDS = [
  { name: 'from', label: 'Requests from', optional: false },
  { name: 'to', label: 'Until', optional: true },
] as const;

interface PeriodFieldsProps {
  readonly field: (name: 'from' | 'to') => {
    readonly value: string;
    readonly error: string | undefined;
    readonly onChange: (value: string) => void;
  };
  readonly timeZone: string;
}

/** The period whose requests a price correction is about. */
export function PeriodFields({ field, timeZone }: PeriodFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {ENDS.map(({ name, label, optional }) => (
        <TextField
          key={name}
          label={label}
          optional={optional}
          hint={optional ? 'Empty: until now.' : `In ${timeZone}.`}
          {...field(name)}
          type="datetime-local"
          step="any"
        />
      ))}
    </div>
  );
}
