import { clsx } from 'clsx';
import { useId, type ReactNode } from 'react';

interface CardProps {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly action?: ReactNode;
  readonly flush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A titled part of a page. `flush` removes the padding, for tables. */
export function Card({ title, hint, action, flush = false, className, children }: CardProps) {
  const titleId = useId();
  return (
    <section
      aria-labelledby={titleId}
      className={clsx('min-w-0 overflow-hidden rounded-lg border bg-surface', className)}
    >
      <header className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
        <h2 id={titleId} className="font-semibold">
          {title}
        </h2>
        {hint !== undefined && <p className="text-sm text-ink-faint">{hint}</p>}
        {action !== undefined && <div className="flex items-center gap-2 sm:ml-auto">{action}</div>}
      </header>
      <div className={clsx('border-t', !flush && 'p-4')}>{children}</div>
    </section>
  );
}
