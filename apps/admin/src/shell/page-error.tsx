'use client';

import { FailureContent } from './failure-screen';

interface PageErrorProps {
  readonly error: Error & { digest?: string };
}

/** Shown inside the frame when the console itself fails. The digest is in the server's log. */
export function PageError({ error }: PageErrorProps) {
  return (
    <div className="mx-auto flex max-w-lg flex-col gap-6 px-4 py-16">
      <FailureContent
        status={500}
        code="internal_error"
        message="The console failed. Try again. If it fails again, report the number below."
        {...(error.digest === undefined ? {} : { requestId: error.digest })}
      />
    </div>
  );
}
