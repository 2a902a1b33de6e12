'use client';

import { useQueryClient } from '@tanstack/react-query';
import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRead, useRest } from '../../api/provider';
import { shown, type ApiError } from '../../api/rest-client';
import { Badge } from '../../design/badge';
import { Button } from '../../design/button';
import { DialogActions, DialogBody } from '../../design/dialog';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { useToast } from '../../design/toast';
import { sentence } from '../../format/words';
import { Window } from '../../resource/form-dialog';
import { useScope } from '../../shell/scope';
import { STALE_LOG, useAlertApi, useMayWriteAlerts } from './alert-api';
import { DESTINATION_WORDS } from './words';

interface AlertWindowProps {
  readonly alertId: string;
  readonly onClose: () => void;
}

/** One alert with its messages. */
export function AlertWindow({ alertId, onClose }: AlertWindowProps) {
  const { data: alert, error } = useAlert(alertId);
  const mayWrite = useMayWriteAlerts();
  const act = useAct();
  const api = useAlertApi();
  const client = useRest();
  return (
    <Window
      title={alert?.title ?? 'Alert'}
      description={alert?.text ?? 'Loading…'}
      wide
      onClose={onClose}
    >
      <DialogBody>
        {(error ?? act.error) !== null && <Failure error={error ?? act.error} />}
        {alert === undefined && error === null && <SkeletonRows label="Loading the alert" />}
        {alert?.log.length === 0 && (
          <p className="text-sm text-ink-soft">Its rule had no destination, so nothing was sent.</p>
        )}
        <ul className="flex flex-col gap-3">
          {alert?.log.map((delivery) => (
            <li key={delivery.id} className="flex items-start justify-between gap-3">
              <Delivery delivery={delivery} />
              {mayWrite && delivery.status !== 'PENDING' && delivery.destinationId !== null && (
                <Button
                  size="small"
                  onClick={() =>
                    act.run(() => api.replay(client, alertId, delivery.id), 'Queued again.')
                  }
                >
                  Send again
                </Button>
              )}
            </li>
          ))}
        </ul>
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        {mayWrite && alert?.seenAt === null && (
          <Button
            look="primary"
            onClick={() => act.run(() => api.markSeen(client, alertId), 'Marked as seen.')}
          >
            Mark as seen
          </Button>
        )}
      </DialogActions>
    </Window>
  );
}

function Delivery({ delivery }: { readonly delivery: rest.AlertDelivery }) {
  const { attempts, destinationKind, destinationName, lastError, status } = delivery;
  const tone = status === 'DELIVERED' ? 'good' : status === 'PENDING' ? 'neutral' : 'bad';
  return (
    <div className="min-w-0 text-sm">
      <span className="font-medium">{destinationName}</span>{' '}
      <span className="text-ink-faint">{DESTINATION_WORDS[destinationKind]}</span>{' '}
      <Badge tone={tone}>{sentence(status)}</Badge>
      {lastError !== null && (
        <span className="block text-ink-soft">
          {lastError} {attempts > 0 && `(attempt ${String(attempts)})`}
        </span>
      )}
    </div>
  );
}

function useAlert(alertId: string) {
  const organisationId = useScope().organisation?.id;
  const own = useRead(
    rest.getAlert,
    { params: { organisationId: organisationId ?? '', alertId } },
    { enabled: organisationId !== undefined },
  );
  const ofPlatform = useRead(
    rest.getPlatformAlert,
    { params: { platformAlertId: alertId } },
    { enabled: organisationId === undefined },
  );
  return organisationId === undefined ? ofPlatform : own;
}

/** Runs an action of the window, reads the log again, and says what happened. */
function useAct() {
  const queries = useQueryClient();
  const say = useToast();
  const [error, setError] = useState<ApiError | null>(null);
  const run = async (action: () => Promise<unknown>, done: string): Promise<void> => {
    setError(null);
    try {
      await action();
      await Promise.all(STALE_LOG.map((id) => queries.invalidateQueries({ queryKey: [id] })));
      say(done);
    } catch (failure) {
      setError(shown(failure));
    }
  };
  return { error, run: (action: () => Promise<unknown>, done: string) => void run(action, done) };
}
