'use client';

import { useQueryClient } from '@tanstack/react-query';
import { X, type LucideIcon } from 'lucide-react';
import { useState, type FormEvent } from 'react';

import { shown, type ApiError } from '../api/rest-client';
import { Button, IconButton } from '../design/button';
import { AlertDialog, DialogActions, DialogBody } from '../design/dialog';
import { NumberField } from '../design/text-field';
import { useToast } from '../design/toast';

/** An action on several rows, one after another. A failure does not stop the rest. */
export interface BulkAction<Row> {
  /** "Revoke". */
  readonly label: string;
  readonly icon: LucideIcon;
  /** Asks for confirmation, by the number of rows: "Revoke 3 keys?". */
  readonly title: (count: number) => string;
  /** Said when all are done: "3 keys revoked." */
  readonly done: (count: number) => string;
  /** The consequence, shown for confirmation. */
  readonly consequence: string;
  /** Rows that it does not apply to are skipped. */
  readonly applies: (row: Row) => boolean;
  readonly run: (row: Row) => Promise<unknown>;
}

interface BulkBarProps<Row> {
  readonly rows: readonly Row[];
  readonly actions: readonly BulkAction<Row>[];
  readonly nameOf: (row: Row) => string;
  /** The list to refresh afterwards. */
  readonly endpoint: string;
  readonly onClear: () => void;
}

/** Actions for the selected rows. */
export function BulkBar<Row>({ rows, actions, nameOf, endpoint, onClear }: BulkBarProps<Row>) {
  const [asked, setAsked] = useState<BulkAction<Row>>();
  return (
    <div
      role="toolbar"
      aria-label="Actions for the selected rows"
      className="flex flex-wrap items-center gap-2 border-b bg-accent-soft px-4 py-2"
    >
      <span className="text-sm font-medium">{rows.length} selected</span>
      {actions.map((action) => (
        <Button
          key={action.label}
          size="small"
          disabled={!rows.some(action.applies)}
          onClick={() => setAsked(action)}
        >
          <action.icon aria-hidden />
          {action.label}
        </Button>
      ))}
      <IconButton label="Clear selection" size="small" className="ml-auto" onClick={onClear}>
        <X />
      </IconButton>
      {asked !== undefined && (
        <BulkDialog
          action={asked}
          rows={rows.filter(asked.applies)}
          nameOf={nameOf}
          endpoint={endpoint}
          onClose={(done) => {
            setAsked(undefined);
            if (done) onClear();
          }}
        />
      )}
    </div>
  );
}

interface BulkDialogProps<Row> {
  readonly action: BulkAction<Row>;
  readonly rows: readonly Row[];
  readonly nameOf: (row: Row) => string;
  readonly endpoint: string;
  readonly onClose: (done: boolean) => void;
}

interface Failed {
  readonly name: string;
  readonly error: ApiError;
}

function BulkDialog<Row>({ action, rows, nameOf, endpoint, onClose }: BulkDialogProps<Row>) {
  const queries = useQueryClient();
  const say = useToast();
  const [todo] = useState(rows);
  const [typed, setTyped] = useState('');
  const [done, setDone] = useState<number>();
  const [failed, setFailed] = useState<readonly Failed[]>([]);
  const confirmed = typed.trim() === String(todo.length);
  const running = done !== undefined && done < todo.length;
  const finished = done === todo.length;

  const run = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!confirmed || done !== undefined) return;
    const failures = await runOnEach(todo, action.run, nameOf, setDone);
    setFailed(failures);
    await queries.invalidateQueries({ queryKey: [endpoint] });
    if (failures.length > 0) return;
    say(action.done(todo.length));
    onClose(true);
  };

  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open && !running) onClose(finished);
      }}
      title={action.title(todo.length)}
      description={action.consequence}
    >
      <form onSubmit={(event) => void run(event)} className="flex min-h-0 flex-col">
        <DialogBody>
          {finished ? (
            <Failures failed={failed} all={todo.length} />
          ) : (
            <>
              <p className="break-words">{todo.map(nameOf).join(', ')}</p>
              <NumberField
                label={`Type “${String(todo.length)}” to confirm`}
                value={typed}
                onChange={setTyped}
                autoFocus
              />
            </>
          )}
          {running && (
            <progress
              className="w-full accent-accent"
              aria-label="Progress"
              max={todo.length}
              value={done}
            />
          )}
        </DialogBody>
        <DialogActions>
          <Button disabled={running} onClick={() => onClose(finished)}>
            {finished ? 'Close' : 'Cancel'}
          </Button>
          {!finished && (
            <Button type="submit" look="danger" disabled={!confirmed} busy={running}>
              {action.label}
            </Button>
          )}
        </DialogActions>
      </form>
    </AlertDialog>
  );
}

/** Calls `onDone` with the number of rows done, before each row and at the end. */
async function runOnEach<Row>(
  rows: readonly Row[],
  run: (row: Row) => Promise<unknown>,
  nameOf: (row: Row) => string,
  onDone: (count: number) => void,
): Promise<readonly Failed[]> {
  const failures: Failed[] = [];
  for (const [index, row] of rows.entries()) {
    onDone(index);
    try {
      await run(row);
    } catch (error) {
      failures.push({ name: nameOf(row), error: shown(error) });
    }
  }
  onDone(rows.length);
  return failures;
}

function Failures({ failed, all }: { failed: readonly Failed[]; all: number }) {
  return (
    <div role="alert" className="flex flex-col gap-2">
      <p className="font-medium">
        {all - failed.length} of {all} succeeded. These failed:
      </p>
      <ul className="flex flex-col gap-1">
        {failed.map(({ name, error }) => (
          <li key={name}>
            <span className="font-medium">{name}</span>{' '}
            <span className="text-bad">{error.message}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
