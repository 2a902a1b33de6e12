import type { ReactNode } from 'react';

import { Logo } from './logo';

interface PublicPageProps {
  readonly title: string;
  readonly description: string;
  readonly children: ReactNode;
}

/** The frame of pages without a session. */
export function PublicPage({ title, description, children }: PublicPageProps) {
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-4 py-10">
      <div className="w-full max-w-sm">
        <div className="mb-6 text-lg">
          <Logo />
        </div>
        <div className="rounded-lg border bg-surface p-6">
          <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
          <p className="mb-5 text-ink-soft">{description}</p>
          {children}
        </div>
      </div>
    </main>
  );
}
