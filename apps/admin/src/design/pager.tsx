import { ChevronLeft, ChevronRight } from 'lucide-react';

import { Button } from './button';

interface PagerProps {
  /** How many rows this page has, and all pages. */
  readonly words: string;
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
}

/** Keyset paging knows the next and the previous page, but no page numbers. */
export function Pager({ words, onPrevious, onNext }: PagerProps) {
  if (onPrevious === undefined && onNext === undefined) return null;
  return (
    <nav aria-label="Pages" className="flex items-center justify-between border-t px-4 py-2">
      <span className="text-sm text-ink-faint">{words}</span>
      <span className="flex gap-2">
        <Button size="small" disabled={onPrevious === undefined} onClick={onPrevious}>
          <ChevronLeft aria-hidden />
          Previous
        </Button>
        <Button size="small" disabled={onNext === undefined} onClick={onNext}>
          Next
          <ChevronRight aria-hidden />
        </Button>
      </span>
    </nav>
  );
}
