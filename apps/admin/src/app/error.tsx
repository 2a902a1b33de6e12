'use client';

import { FailureScreen } from '../shell/failure-screen';

/** Shown when the console itself fails. The digest is in the server's log. */
export default function ErrorPage({ error }: { error: Error & { digest?: string } }) {
  return (
    <FailureScreen
      status={500}
      code="internal_error"
      message="The console failed. Try again. If it fails again, report the number below."
      {...(error.digest === undefined ? {} : { requestId: error.digest })}
    />
  );
}
