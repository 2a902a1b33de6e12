'use client';

import { keepPreviousData, QueryClientProvider, useQuery } from '@tanstack/react-query';
import type { rest } from '@tollgate/contracts';
import axios from 'axios';
import { setNonce } from 'get-nonce';
import { createContext, use, useState, type ReactNode } from 'react';

import { ToastProvider } from '../design/toast';
import { paths } from '../shell/paths';
import { createQueryClient, query } from './queries';
import { ApiError, createRestClient, type RestClient, type RestQuestion } from './rest-client';

// The catalog's REST interface in the browser, through `/api` of the console's own server.

const TIMEOUT_MS = 60_000;

const client = createBrowserClient();

function createBrowserClient(): RestClient {
  const http = axios.create({ timeout: TIMEOUT_MS, validateStatus: () => true });
  return createRestClient(async (request) => {
    const answer = await http.request<unknown>(request);
    return {
      status: answer.status,
      data: answer.data,
      header: (name) => {
        const value: unknown = answer.headers[name];
        return typeof value === 'string' ? value : undefined;
      },
    };
  });
}

const Client = createContext<RestClient>(client);

export function useRest(): RestClient {
  return use(Client);
}

interface ReadOptions {
  readonly enabled?: boolean;
  /** Keeps the previous data visible while new data loads. */
  readonly keep?: boolean;
  /** Refetch interval, while the page is visible. */
  readonly refreshMs?: number;
}

/** Reads an endpoint. Prefetched data is available immediately. */
export function useRead<E extends rest.Endpoint>(
  endpoint: E,
  input: RestQuestion<E>,
  options: ReadOptions = {},
) {
  const { enabled = true, keep = false, refreshMs } = options;
  return useQuery({
    ...query(useRest(), endpoint, input),
    enabled,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
    ...(refreshMs === undefined ? {} : { refetchInterval: refreshMs }),
  });
}

/** After a 401, leads to the sign-in page and back here. */
export function toSignIn(error: Error): void {
  if (!(error instanceof ApiError) || error.status !== 401) return;
  location.assign(paths.login(`${location.pathname}${location.search}`));
}

export function Providers({ children }: { children: ReactNode }) {
  const [queries] = useState(() => {
    allowOwnStyles();
    return createQueryClient(toSignIn);
  });
  return (
    <QueryClientProvider client={queries}>
      <ToastProvider>{children}</ToastProvider>
    </QueryClientProvider>
  );
}

/** Dialogs insert a style element that blocks scrolling; it needs the page's nonce. */
function allowOwnStyles(): void {
  if (typeof document === 'undefined') return;
  const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce;
  if (nonce !== undefined && nonce !== '') setNonce(nonce);
}
