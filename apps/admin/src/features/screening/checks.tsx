'use client';

interface ChecksProps<Value extends string> {
  readonly legend: string;
  readonly all: readonly Value[];
  readonly labelOf: (value: Value) => string;
  readonly chosen: readonly Value[];
  readonly onChange: (value: Value, on: boolean) => void;
}

/** Several of a few choices. */
export function Checks<Value extends string>(props: ChecksProps<Value>) {
  const { all, chosen, labelOf, legend, onChange } = props;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-sm font-medium">{legend}</legend>
      <div className="grid gap-x-4 sm:grid-cols-2">
        {all.map((value) => (
          <label key={value} className="flex cursor-pointer items-start gap-2.5 py-1">
            <input
              type="checkbox"
              className="mt-0.5 size-4 shrink-0 accent-accent"
              checked={chosen.includes(value)}
              onChange={({ target }) => onChange(value, target.checked)}
            />
            <span className="min-w-0">{labelOf(value)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
