'use client';

import { X } from 'lucide-react';

import { Button } from '../design/button';
import { useListQuery } from '../design/use-list-query';

/** A filter that a link sets: its parameter in the URL, and its words. */
export interface Narrowing {
  readonly name: string;
  readonly label: string;
}

/** Filters in the URL without an input of their own. A press removes one. */
export function Narrowings({ of }: { of: readonly Narrowing[] }) {
  const { get, set } = useListQuery();
  const named = of.filter(({ name }) => get(name) !== undefined);
  if (named.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {named.map(({ name, label }) => (
        <Button
          key={name}
          size="small"
          title={get(name)}
          aria-label={`Remove filter: ${label}`}
          onClick={() => set(name, undefined)}
        >
          {label}
          <X aria-hidden />
        </Button>
      ))}
    </div>
  );
}
