/** A raised barrier between two posts. */
export function Logo() {
  return (
    <span className="inline-flex items-center gap-2 font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" className="size-6 shrink-0" aria-hidden>
        <rect width="32" height="32" rx="7" className="fill-accent" />
        <path
          d="M9 8v17M23 17v8M9 17l14-9"
          className="stroke-on-accent"
          fill="none"
          strokeWidth="3"
          strokeLinecap="round"
        />
      </svg>
      Tollgate
    </span>
  );
}
