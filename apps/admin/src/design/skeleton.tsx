import { clsx } from 'clsx';

/** A placeholder while content loads. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={clsx('animate-pulse rounded-md bg-sunken', className)} />;
}

export function SkeletonRows({ rows = 5, label }: { rows?: number; label: string }) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-3 p-4">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} className="h-5" />
      ))}
    </div>
  );
}
