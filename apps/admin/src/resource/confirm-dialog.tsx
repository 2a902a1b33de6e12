'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { shown, type ApiError } from '../api/rest-client';
import { Button } from '../design/button';
import { AlertDialog, DialogActions, DialogBody } from '../design/dialog';
import { Failure } from '../design/failure';
import { Field, TextInput } from '../design/field';
import { useToast } from '../design/toast';

export type Question = {
  readonly title: string;
  /** What happens then. */
  readonly consequence: string;
  /** What has to be typed; without it a press of the button is enough. */
  readonly name?: string;
  /** "Delete team". */
  readonly confirm: string;
  readonly cancel?: string;
  readonly run: () => Promise<unknown>;
  /** Reads whose answers it makes old: endpoints' names. */
  readonly stale: readonly string[];
  /** What is said once it is done. */
  readonly done: string;
  readonly onDone?: () => void;
};

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ question, onClose }: { question: Question; onClose: () => void }) {
  const queries = useQueryClient();
  const say = useToast();
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const { title, consequence, name, confirm, cancel = 'Cancel' } = question;
  const named = name === undefined || typed.trim() === name.trim();

  const run = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!named || busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await question.run();
      await Promise.all(
        question.stale.map((endpoint) => queries.invalidateQueries({ queryKey: [endpoint] })),
      );
      say(question.done);
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
            {error !== undefined && <Failure error={error} />}
            {name !== undefined && (
              <Field label={`Type “${name}” to confirm`}>
                {(props) => (
                  <TextInput
                    {...props}
                    value={typed}
                    onChange={(event) => setTyped(event.target.value)}
                    autoComplete="off"
                    spellCheck={false}
                    autoFocus
                  />
                )}
              </Field>
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
