'use client';

import { CircleAlert, RotateCw, X } from 'lucide-react';
import type { ReactNode } from 'react';

import { shown } from '../api/rest-client';
import { Button, IconButton } from './button';

interface FailureProps {
  readonly error: unknown;
  /** What failed, if the server's message does not say it. */
  readonly what?: string | undefined;
  readonly onRetry?: () => void;
  readonly onClose?: () => void;
  readonly children?: ReactNode;
}

/** The server's message, with the code to look up and the request id to report. */
export function Failure({ error, what, onRetry, onClose, children }: FailureProps) {
  const { message, code, details, requestId } = shown(error);
  return (
    <div role="alert" className="flex gap-3 rounded-md bg-bad-soft px-4 py-3">
      <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words text-bad">
          {what !== undefined && `${what} `}
          {message}
        </p>
        {details.length > 0 && (
          <ul className="mt-1 list-disc pl-4 text-sm text-ink-soft">
            {details.map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                {path !== '' && <span className="font-mono">{path}: </span>}
                {message}
              </li>
            ))}
          </ul>
        )}
        <p className="mt-1 font-mono text-xs break-all text-ink-soft">
          {code}
          {requestId !== undefined && ` · ${requestId}`}
        </p>
        {children}
      </div>
      {onRetry !== undefined && (
        <Button size="small" onClick={onRetry}>
          <RotateCw aria-hidden />
          Try again
        </Button>
      )}
      {onClose !== undefined && (
        <IconButton label="Close" size="small" onClick={onClose}>
          <X />
        </IconButton>
      )}
    </div>
  );
}
