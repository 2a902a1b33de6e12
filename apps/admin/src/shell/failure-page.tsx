import type { ApiError } from '../api/rest-client';
import { FailureContent, FailureScreen } from './failure-screen';

/** Shown instead of the whole page, when not even its frame is known. */
export function FailurePage({ error }: { error: ApiError }) {
  return <FailureScreen {...fieldsOf(error)} />;
}

/** Shown inside the frame of a signed-in page. */
export function FailureInFrame({ error }: { error: ApiError }) {
  return (
    <div className="mx-auto flex max-w-lg flex-col gap-6 px-4 py-16">
      <FailureContent {...fieldsOf(error)} />
    </div>
  );
}

/** Error objects cannot be serialised to the browser, so their fields are passed. */
function fieldsOf({ status, code, message, requestId }: ApiError) {
  return { status, code, message, ...(requestId === undefined ? {} : { requestId }) };
}
