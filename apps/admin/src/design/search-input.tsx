import { clsx } from 'clsx';
import { Search } from 'lucide-react';

import { TextInput } from './field';

interface SearchInputProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Has its own border. By default it is the top of the frame of the list. */
  readonly standalone?: boolean;
}

/** The search box above a list of choices. */
export function SearchInput({ label, value, onChange, standalone = false }: SearchInputProps) {
  return (
    <div className={clsx('relative', !standalone && 'border-b')}>
      <Search className="absolute top-2.5 left-2.5 size-4 text-ink-faint" aria-hidden />
      <TextInput
        type="search"
        aria-label={label}
        placeholder="Search"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          // Enter would submit the surrounding form.
          if (event.key === 'Enter') event.preventDefault();
          if (event.key === 'Escape') onChange('');
        }}
        className={clsx(
          'pl-8',
          !standalone && 'rounded-none border-0 focus-visible:-outline-offset-2',
        )}
      />
    </div>
  );
}
