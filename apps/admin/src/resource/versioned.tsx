'use client';

import { useQuery } from '@tanstack/react-query';
import type { rest } from '@tollgate/contracts';
import type { ReactNode } from 'react';
import type { z } from 'zod';

import { useRest } from '../api/provider';
import type { RestInput, RestQuestion, Versioned } from '../api/rest-client';
import { DialogBody } from '../design/dialog';
import { Failure } from '../design/failure';
import { SkeletonRows } from '../design/skeleton';

interface VersionedProps<E extends rest.Endpoint> {
  readonly endpoint: E;
  readonly input: RestQuestion<E>;
  readonly children: (read: Versioned<z.output<E['response']>>) => ReactNode;
}

/** Reads the current version and its ETag before editing. */
export function ReadForEditing<E extends rest.Endpoint>(props: VersionedProps<E>) {
  const { endpoint, input, children } = props;
  const client = useRest();
  const { data, error, refetch } = useQuery({
    queryKey: [`${endpoint.id} for editing`, input],
    queryFn: ({ signal }) => client.versioned(endpoint, { ...input, signal } as RestInput<E>),
    // The form's data must not change while the user edits it.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  if (error !== null) {
    return (
      <DialogBody>
        <Failure error={error} onRetry={() => void refetch()} />
      </DialogBody>
    );
  }
  if (data === undefined) return <SkeletonRows rows={3} label="Loading the current values" />;
  return children(data);
}
