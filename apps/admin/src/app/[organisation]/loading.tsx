import { Skeleton } from '../../design/skeleton';

export default function Loading() {
  return (
    <div
      role="status"
      aria-label="Loading the page"
      className="mx-auto flex w-full max-w-6xl flex-col gap-5 px-4 py-6 sm:px-6 lg:px-8"
    >
      <Skeleton className="h-12 w-56" />
      <Skeleton className="h-22" />
      <Skeleton className="h-88" />
    </div>
  );
}
