import { Search } from 'lucide-react';

import { TextInput } from './field';

interface SearchInputProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The search box above a list of choices, within its frame. */
export function SearchInput({ label, value, onChange }: SearchInputProps) {
  return (
    <div className="relative border-b">
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
        className="rounded-none border-0 pl-8 focus-visible:-outline-offset-2"
      />
    </div>
  );
}
