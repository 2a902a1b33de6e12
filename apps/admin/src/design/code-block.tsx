'use client';

import { useRef } from 'react';

import { CopyButton } from './copy-button';

export function CodeBlock({ label, text }: { label: string; text: string }) {
  const code = useRef<HTMLElement>(null);
  return (
    <div className="flex items-start gap-2 rounded-md border bg-sunken p-2 pl-3">
      <pre
        className="min-w-0 flex-1 py-1 font-mono text-sm wrap-anywhere whitespace-pre-wrap"
        tabIndex={0}
        aria-label={label}
      >
        <code ref={code}>{text}</code>
      </pre>
      <CopyButton
        text={text}
        onUnavailable={() => {
          if (code.current !== null) getSelection()?.selectAllChildren(code.current);
        }}
      />
    </div>
  );
}
