import { clsx } from 'clsx';
import type { ReactNode } from 'react';

interface PageProps {
  readonly title: string;
  readonly description?: string;
  readonly actions?: ReactNode;
  /** Fills the width, and on large screens the height. Content scrolls inside. */
  readonly fill?: boolean;
  readonly children: ReactNode;
}

/** A page of the console: title, actions, content. */
export function Page({ title, description, actions, fill = false, children }: PageProps) {
  return (
    <div
      data-fill={fill || undefined}
      className={clsx(
        'mx-auto flex w-full flex-col gap-5 px-4 py-6 sm:px-6 lg:px-8',
        fill ? 'max-w-[100rem] lg:min-h-0 lg:flex-1' : 'max-w-6xl',
      )}
    >
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
          {description !== undefined && (
            <p className="wrap-anywhere text-ink-soft">{description}</p>
          )}
        </div>
        {actions !== undefined && (
          <div className="flex flex-wrap items-center gap-2">{actions}</div>
        )}
      </header>
      {children}
    </div>
  );
}
