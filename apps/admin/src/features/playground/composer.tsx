'use client';

import { ArrowUp, ImagePlus, Square, X } from 'lucide-react';
import { useRef, useState, type ClipboardEvent, type KeyboardEvent } from 'react';

import { Button, IconButton } from '../../design/button';
import { ErrorText } from '../../design/error-text';
import { TextArea } from '../../design/field';
import { admitted, IMAGE_TYPES, readImage, type Image } from './images';
import type { Question } from './use-conversation';

interface ComposerProps {
  readonly draft: Question;
  readonly onChange: (draft: Question) => void;
  readonly busy: boolean;
  readonly onSend: () => void;
  readonly onStop: () => void;
}

/** The composer: text and pasted or chosen pictures. */
export function Composer({ draft, onChange, busy, onSend, onStop }: ComposerProps) {
  const { text, images } = draft;
  const { problem, add, forget } = useImages(draft, onChange);
  const empty = text.trim() === '' && images.length === 0;
  const send = (): void => {
    if (busy || empty) return;
    forget();
    onSend();
  };
  const press = (event: KeyboardEvent): void => {
    // Ignores Enter while an input method composes a word.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const paste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    void add(files);
  };
  return (
    <form
      className="flex flex-col gap-2 rounded-lg border bg-surface p-3"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Images
        images={images}
        onRemove={(at) => onChange({ text, images: images.toSpliced(at, 1) })}
      />
      <ErrorText>{problem}</ErrorText>
      <div className="flex items-end gap-2">
        <AddImages onFiles={(files) => void add(files)} />
        <TextArea
          aria-label="Message"
          placeholder="Message (Enter sends, Shift+Enter starts a new line)"
          rows={2}
          value={text}
          onChange={(event) => onChange({ text: event.target.value, images })}
          onKeyDown={press}
          onPaste={paste}
          className="max-h-48 min-w-0 flex-1 resize-y"
        />
        {busy ? (
          <Button key="stop" onClick={onStop}>
            <Square aria-hidden />
            Stop
          </Button>
        ) : (
          <Button key="send" type="submit" look="primary" disabled={empty}>
            <ArrowUp aria-hidden />
            Send
          </Button>
        )}
      </div>
    </form>
  );
}

function useImages(draft: Question, onChange: (draft: Question) => void) {
  const [problem, setProblem] = useState<string>();
  const latest = useRef(draft);
  latest.current = draft;
  const add = async (chosen: readonly File[]): Promise<void> => {
    const taken = admitted(draft.images.length, chosen);
    setProblem(taken.problem);
    try {
      const added = await Promise.all(taken.files.map(readImage));
      // Keeps text that was typed meanwhile.
      const { text, images } = latest.current;
      onChange({ text, images: [...images, ...added] });
    } catch {
      setProblem('The browser cannot read this file.');
    }
  };
  return { problem, add, forget: () => setProblem(undefined) };
}

function Images(props: { images: readonly Image[]; onRemove: (at: number) => void }) {
  if (props.images.length === 0) return null;
  return (
    <ul aria-label="Pictures" className="flex flex-wrap gap-2">
      {props.images.map(({ name, url }, at) => (
        <li key={at} className="relative">
          <img src={url} alt={name} className="h-16 rounded-md border" />
          <IconButton
            label={`Remove ${name}`}
            size="small"
            look="plain"
            className="absolute -top-2 -right-2"
            onClick={() => props.onRemove(at)}
          >
            <X />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

function AddImages({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={IMAGE_TYPES.join(',')}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // Allows choosing the same file again.
          target.value = '';
        }}
      />
      <IconButton label="Add pictures" onClick={() => input.current?.click()}>
        <ImagePlus />
      </IconButton>
    </>
  );
}
