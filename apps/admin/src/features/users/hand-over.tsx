'use client';

import { useState, type ReactNode } from 'react';

import { Button } from '../../design/button';
import { CodeBlock } from '../../design/code-block';
import { DialogActions, DialogBody } from '../../design/dialog';
import { useToast } from '../../design/toast';
import { When } from '../../design/when';
import { FormBody, Window } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';
import { useTimeZone } from '../../shell/scope';

/** A link for a user; null when it was sent by email. */
export interface MadeLink {
  readonly link: string | null;
  readonly expiresAt: string;
}

interface HandOverProps {
  readonly title: string;
  readonly link: string;
  readonly expiresAt: string;
  readonly onClose: () => void;
}

/** Shows a link to pass on, because the gateway sends no email. */
export function HandOver({ title, link, expiresAt, onClose }: HandOverProps) {
  const timeZone = useTimeZone();
  return (
    <Window
      title={title}
      description="Copy the link now and pass it on. It cannot be shown again."
      closeQuestion="Close without copying the link? It cannot be shown again."
      wide
      onClose={onClose}
    >
      <DialogBody>
        <CodeBlock label="Link" text={link} />
        <p className="text-ink-soft">
          It works once and expires <When instant={expiresAt} timeZone={timeZone} format="moment" />
          .
        </p>
      </DialogBody>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </Window>
  );
}

interface MakeLinkProps {
  readonly title: string;
  readonly description: string;
  readonly submit: string;
  readonly stale: readonly string[];
  readonly send: (idempotencyKey: string) => Promise<MadeLink>;
  /** The toast after the email. */
  readonly mailed: string;
  /** The title above the link. */
  readonly shownAs: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Confirms, creates a link, and shows it unless it was sent by email. */
export function MakeLink(props: MakeLinkProps) {
  const { title, description, submit, stale, send, mailed, shownAs, onClose, children } = props;
  const say = useToast();
  const [made, setMade] = useState<{ link: string; expiresAt: string }>();
  const form = useForm<object, MadeLink>({
    initial: {},
    stale,
    send: (_draft, idempotencyKey) => send(idempotencyKey),
    onDone: ({ link, expiresAt }) => {
      if (link !== null) {
        setMade({ link, expiresAt });
        return;
      }
      say(mailed);
      onClose();
    },
  });
  if (made !== undefined) return <HandOver title={shownAs} {...made} onClose={onClose} />;
  return (
    <Window title={title} description={description} onClose={onClose}>
      <FormBody form={form} fields={[]} submit={submit} onClose={onClose}>
        {children}
      </FormBody>
    </Window>
  );
}
