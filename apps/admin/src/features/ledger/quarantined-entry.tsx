'use client';

import { rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { CodeBlock } from '../../design/code-block';
import { DialogBody } from '../../design/dialog';
import { Facts } from '../../design/facts';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { When } from '../../design/when';
import { Window } from '../../resource/form-dialog';
import { useTimeZone } from '../../shell/scope';
import { QuarantineStatus } from './quarantine-status';

interface QuarantinedEntryProps {
  readonly quarantineId: string;
  readonly onClose: () => void;
}

/** A quarantined entry with its full content. */
export function QuarantinedEntry({ quarantineId, onClose }: QuarantinedEntryProps) {
  const timeZone = useTimeZone();
  const { data, error, refetch } = useRead(rest.getQuarantined, { params: { quarantineId } });
  return (
    <Window
      title="Quarantined entry"
      description={data?.reason ?? 'Why the entry was quarantined, and its content.'}
      wide
      onClose={onClose}
    >
      <DialogBody>
        {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
        {error === null && data === undefined && (
          <SkeletonRows rows={3} label="Loading the entry" />
        )}
        {data !== undefined && (
          <>
            <Facts
              facts={[
                { name: 'Status', value: <QuarantineStatus status={data.status} /> },
                {
                  name: 'Place',
                  value: `shard ${String(data.shard)}, epoch ${String(data.epoch)}, ${String(data.seq)}`,
                },
                { name: 'Request', value: code(data.requestId) },
                { name: 'Organisation', value: code(data.organisationId) },
                {
                  name: 'Quarantined',
                  value: <When instant={data.createdAt} timeZone={timeZone} format="moment" />,
                },
                ...(data.resolution === null
                  ? []
                  : [{ name: 'Reason for dismissal', value: data.resolution }]),
              ]}
            />
            {data.entry === null ? (
              <CodeBlock label="Entry bytes in base64" text={data.raw ?? ''} />
            ) : (
              <CodeBlock label="The entry" text={JSON.stringify(data.entry, undefined, 2)} />
            )}
          </>
        )}
      </DialogBody>
    </Window>
  );
}

function code(text: string | null) {
  return text === null ? (
    <span className="text-ink-faint">unreadable</span>
  ) : (
    <code className="font-mono text-sm break-all">{text}</code>
  );
}
