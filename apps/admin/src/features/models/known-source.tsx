import type { rest } from '@tollgate/contracts';

import { showTime } from '../../format/time';

type Listed = Pick<rest.KnownModel, 'seen' | 'sourceUrl' | 'vendor'>;

/** The day of a listed price, for people. */
export function seenOn(seen: string): string {
  return showTime(`${seen}T00:00:00Z`, 'date', 'UTC');
}

/** Where a price of the list of known models comes from: its day, with a link to the source. */
export function KnownSource({ known }: { known: Listed }) {
  return (
    <>
      from the list of {seenOn(known.seen)},{' '}
      <a
        href={known.sourceUrl}
        target="_blank"
        rel="noreferrer"
        className="text-accent underline underline-offset-4"
      >
        source
        <span className="sr-only"> of the price of {known.vendor} (opens a new tab)</span>
      </a>
    </>
  );
}
