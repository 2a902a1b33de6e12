import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface EmptyProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** An empty state: what belongs here and what to do next. */
export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      <span className="rounded-lg bg-sunken p-2.5 text-ink-faint">
        <Icon className="size-5" aria-hidden />
      </span>
      <p className="font-medium">{title}</p>
      <div className="max-w-md text-ink-soft">{children}</div>
      {action !== undefined && <div className="mt-2">{action}</div>}
    </div>
  );
}
