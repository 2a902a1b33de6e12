'use client';

import { clsx } from 'clsx';
import { useState } from 'react';

import { Button } from '../../../design/button';
import { plural } from '../../../format/numbers';
import type { Block } from './blocks';

export function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case 'text':
      return <LongText label="Text of the result" text={block.text} />;
    case 'image':
      return (
        <img
          src={block.url}
          alt="Picture of the result"
          className="max-h-96 max-w-full self-start rounded-md border"
        />
      );
    case 'binary':
      return (
        <p className="text-ink-soft">
          <span className="break-all">{block.what}</span> ({block.type},{' '}
          {plural(block.bytes, 'byte')}), which the playground does not show.
        </p>
      );
    case 'link':
      return (
        <p className="break-words">
          {/* Not a link: the address comes from a foreign server. */}
          Resource {block.title}: <code className="font-mono text-sm break-all">{block.uri}</code>
          {block.description !== undefined && (
            <span className="block text-sm text-ink-soft">{block.description}</span>
          )}
        </p>
      );
    case 'resource':
      return (
        <div>
          <p className="text-sm text-ink-soft">
            Resource <code className="font-mono break-all">{block.uri}</code>
          </p>
          <LongText label={`Content of ${block.uri}`} text={block.text} code />
        </div>
      );
    case 'other':
      return <LongText label="Block of the result" text={block.json} code />;
  }
}

/** More text than this makes a page slow. */
const FIRST_CHARACTERS = 20_000;

interface LongTextProps {
  readonly label: string;
  readonly text: string;
  readonly code?: boolean;
}

/** A text that can be long: its beginning first, the rest on request. */
export function LongText({ label, text, code = false }: LongTextProps) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > FIRST_CHARACTERS;
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      <pre
        tabIndex={0}
        aria-label={label}
        className={clsx(
          'max-h-[32rem] w-full overflow-auto wrap-anywhere whitespace-pre-wrap',
          code
            ? 'mt-1 font-mono text-sm text-ink-soft'
            : 'rounded-lg bg-sunken px-3.5 py-2 font-sans',
        )}
      >
        {cut ? `${text.slice(0, FIRST_CHARACTERS)}…` : text}
      </pre>
      {cut && (
        <Button size="small" onClick={() => setWhole(true)}>
          Show all {plural(text.length, 'character')}
        </Button>
      )}
    </div>
  );
}
