'use client';

import type { rest } from '@tollgate/contracts';

import { Button } from '../../design/button';
import { Failure } from '../../design/failure';
import { plural } from '../../format/numbers';
import { missingPins, pinStateOf, unpinned } from './pins';
import type { ChangePins } from './use-pins';

interface PinNoticesProps {
  readonly pins: readonly rest.McpToolPin[];
  readonly test: rest.McpServerTest;
  readonly busy: boolean;
  /** Why the last change of pins failed. */
  readonly error: unknown;
  readonly change: ChangePins;
}

/** What needs a decision: changed tools, and pins of tools that the server no longer lists. */
export function PinNotices({ pins, test, busy, error, change }: PinNoticesProps) {
  const changed = test.tools.filter((tool) => pinStateOf(pins, tool) === 'CHANGED');
  const missing = missingPins(pins, test);
  if (error === undefined && changed.length === 0 && missing.length === 0) return null;
  return (
    <div className="flex flex-col gap-3 border-b p-4">
      {error !== undefined && <Failure error={error} />}
      {changed.length > 0 && (
        <p role="alert" className="break-words text-bad">
          {changed.length === 1
            ? `The tool ${changed[0]?.name ?? ''} has changed since it was pinned. The gateway refuses to call it.`
            : `${plural(changed.length, 'tool')} have changed since they were pinned. The gateway refuses to call them.`}{' '}
          Check the new definition. Then pin it again, or leave it refused.
        </p>
      )}
      {missing.length > 0 && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <p className="min-w-0 flex-1 break-words">
            Pinned, but not listed by the server: {missing.join(', ')}.
          </p>
          <Button
            size="small"
            busy={busy}
            onClick={() =>
              change((now) => unpinned(now, missing), `${plural(missing.length, 'pin')} removed.`)
            }
          >
            Remove these pins
          </Button>
        </div>
      )}
    </div>
  );
}
