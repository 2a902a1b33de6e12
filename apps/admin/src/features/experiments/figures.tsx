import type { rest } from '@tollgate/contracts';

import { showCount, showDuration, showPart } from '../../format/numbers';

type Failing = Pick<rest.ArmComparison, 'errors' | 'errorCodes' | 'requests'>;

export function Errors({ arm: { errors, errorCodes, requests } }: { readonly arm: Failing }) {
  if (requests === 0) return '—';
  return (
    <>
      {showCount(errors)} ({showPart(errors / requests)})
      {errorCodes.map(({ code, requests: count }) => (
        <span key={code} className="block text-xs text-ink-faint">
          {showCount(count)} × <code className="font-mono">{code}</code>
        </span>
      ))}
    </>
  );
}

export function percentiles({ p50, p95 }: rest.ArmComparison['latencyMs']): string {
  return p50 === null || p95 === null ? '—' : `${showDuration(p50)} / ${showDuration(p95)}`;
}
