import type { ApiError } from '../api/rest-client';
import { FailureScreen } from './failure-screen';

/** Error objects cannot be serialised to the browser, so their fields are passed. */
export function FailurePage({ error }: { error: ApiError }) {
  const { status, code, message, requestId } = error;
  return (
    <FailureScreen
      status={status}
      code={code}
      message={message}
      {...(requestId === undefined ? {} : { requestId })}
    />
  );
}
