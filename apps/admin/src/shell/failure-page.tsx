import type { ApiError } from '../api/rest-client';
import { FailureScreen } from './failure-screen';

/** An error cannot go from the server to a browser as it is; what is shown of it can. */
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
