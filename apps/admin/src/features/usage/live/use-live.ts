'use client';

import { rest } from '@tollgate/contracts';
import { useEffect, useEffectEvent, useState } from 'react';

import { toSignIn, useRest } from '../../../api/provider';
import { useOrganisation } from '../../../shell/scope';

/** `away`: the stream is interrupted, and opened again and again. */
export type LiveState = 'connecting' | 'live' | 'away';

const RETRY_MS = 3_000;

/**
 * Receives new usage records while the page is visible, and continues after interruptions where it
 * was. A changed `query` begins anew.
 */
export function useLive(query: string, onRecords: (records: rest.LiveRecords) => void): LiveState {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const [state, setState] = useState<LiveState>('connecting');
  const receive = useEffectEvent(onRecords);
  // A stream does not say why it cannot be opened. Any read leads to the sign-in page if needed.
  const checkSession = useEffectEvent(() => {
    const read = client.call(rest.getMe, {});
    read.catch((error: Error) => toSignIn(error));
  });

  useEffect(() => {
    const path = rest.fillPath(rest.watchUsageRecords.path, { organisationId });
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let position: string | undefined;

    const close = (): void => {
      clearTimeout(timer);
      source?.close();
      source = undefined;
    };
    const open = (): void => {
      close();
      const search = new URLSearchParams(query);
      if (position !== undefined) search.set('after', position);
      const opened = new EventSource(`${path}?${search.toString()}`);
      source = opened;
      opened.addEventListener('open', () => setState('live'));
      opened.addEventListener('records', ({ data }: MessageEvent<string>) => {
        const records = rest.liveRecords.parse(JSON.parse(data));
        ({ position } = records);
        receive(records);
      });
      opened.addEventListener('end', open);
      opened.addEventListener('error', () => {
        close();
        setState('away');
        checkSession();
        timer = setTimeout(open, RETRY_MS);
      });
    };
    const follow = (): void => {
      if (document.visibilityState === 'hidden') close();
      else if (source === undefined) open();
    };
    setState('connecting');
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      close();
    };
  }, [organisationId, query]);
  return state;
}
