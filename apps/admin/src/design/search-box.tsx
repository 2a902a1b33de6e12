'use client';

import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';

import { TextInput } from './field';
import { useDebounced } from './use-debounced';

interface SearchBoxProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** Reports the search text once typing pauses. */
export function SearchBox({ label, value, onChange }: SearchBoxProps) {
  const [text, setText] = useState(value ?? '');
  const settled = useDebounced(text.trim());
  useEffect(() => {
    if (settled !== (value ?? '')) onChange(settled === '' ? undefined : settled);
  }, [settled, value, onChange]);
  return (
    <div className="relative w-full sm:w-64">
      <Search className="absolute top-2.5 left-2.5 size-4 text-ink-faint" aria-hidden />
      <TextInput
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setText('');
        }}
        className="pl-8"
      />
    </div>
  );
}
