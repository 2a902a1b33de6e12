'use client';

import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';

import { Button } from './button';

const SHOWN_MS = 2_000;

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  readonly look?: 'primary' | 'plain' | 'quiet';
  /** Called when the clipboard is unavailable, as on plain HTTP: selects the text instead. */
  readonly onUnavailable?: () => void;
}

export function CopyButton({
  text,
  label = 'Copy',
  look = 'plain',
  onUnavailable,
}: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'unavailable'>('idle');
  useEffect(() => {
    if (state === 'idle') return undefined;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);

  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      // Without permission or HTTPS there is no clipboard. The user copies manually.
      setState('unavailable');
      onUnavailable?.();
    }
  };
  const words = { idle: label, copied: 'Copied', unavailable: 'Press Ctrl+C' }[state];
  return (
    <Button look={look} size="small" onClick={() => void copy()}>
      {state === 'copied' ? <Check aria-hidden /> : <Copy aria-hidden />}
      <span aria-live="polite">{words}</span>
    </Button>
  );
}
