'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';

import { shown, type ApiError } from '../api/rest-client';
import { Button } from '../design/button';
import { AlertDialog, DialogActions, DialogBody } from '../design/dialog';
import { TextField } from '../design/text-field';
import { useToast, type Undo } from '../design/toast';
import { OtherErrors } from './form-dialog';

export interface Question {
  readonly title: string;
  /** The consequence. */
  readonly consequence: string;
  /** The text to type. Without it a click confirms. */
  readonly name?: string;
  /** "Delete team". */
  readonly confirm: string;
  readonly cancel?: string;
  readonly run: () => Promise<unknown>;
  /** Names of endpoints whose cached answers it outdates. */
  readonly stale: readonly string[];
  /** The toast. */
  readonly done: string;
  /** Undoes the action, where that is safe. Offered in the toast. */
  readonly undo?: Undo;
  readonly onDone?: () => void;
}

/** Confirms actions that affect others or cannot be undone. */
export function ConfirmDialog({ question, onClose }: { question: Question; onClose: () => void }) {
  const queries = useQueryClient();
  const say = useToast();
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const { title, consequence, name, confirm, cancel = 'Cancel' } = question;
  const named = name === undefined || typed.trim() === name.trim();

  const readAnew = (): Promise<unknown> =>
    Promise.all(
      question.stale.map((endpoint) => queries.invalidateQueries({ queryKey: [endpoint] })),
    );
  const undo = async (): Promise<void> => {
    try {
      await question.undo?.run();
    } finally {
      // The page may be outdated even if the undo failed.
      await readAnew();
    }
  };
  const run = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!named || busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await question.run();
      await readAnew();
      say(question.done, question.undo && { ...question.undo, run: undo });
      onClose();
      question.onDone?.();
    } catch (failure) {
      setError(shown(failure));
      setBusy(false);
    }
  };

  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={title}
      description={consequence}
    >
      <form onSubmit={(event) => void run(event)}>
        {(name !== undefined || error !== undefined) && (
          <DialogBody>
            <OtherErrors error={error} fields={[]} />
            {name !== undefined && (
              <TextField
                label={`Type “${name}” to confirm`}
                value={typed}
                onChange={setTyped}
                spellCheck={false}
                autoFocus
              />
            )}
          </DialogBody>
        )}
        <DialogActions>
          <Button onClick={onClose}>{cancel}</Button>
          <Button type="submit" look="danger" disabled={!named} busy={busy}>
            {confirm}
          </Button>
        </DialogActions>
      </form>
    </AlertDialog>
  );
}
