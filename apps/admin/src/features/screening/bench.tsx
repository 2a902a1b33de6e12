'use client';

import { SCREENING_PLACES, type ScreeningPlace } from '@tollgate/contracts';
import { useState, type ReactNode } from 'react';

import { Button } from '../../design/button';
import { Failure } from '../../design/failure';
import { SelectField, TextAreaField } from '../../design/text-field';
import { PLACE_WORDS } from './words';

interface BenchProps<Result> {
  readonly title: string;
  /** Of the button. */
  readonly label: string;
  readonly rows: number;
  /** The most characters of the text. */
  readonly most: number;
  readonly run: (text: string, place: ScreeningPlace) => Promise<Result>;
  readonly view: (result: Result) => ReactNode;
}

/** Tries something of a form on a text, before it is saved. */
export function Bench<Result>({ title, label, rows, most, run, view }: BenchProps<Result>) {
  const [text, setText] = useState('');
  const [place, setPlace] = useState<ScreeningPlace>('INPUT');
  const [shown, setShown] = useState<{ readonly result: Result } | { readonly error: unknown }>();
  const [busy, setBusy] = useState(false);

  const start = async (): Promise<void> => {
    setBusy(true);
    try {
      setShown({ result: await run(text, place) });
    } catch (error) {
      setShown({ error });
    } finally {
      setBusy(false);
    }
  };
  return (
    <section aria-label={title} className="flex flex-col gap-3 rounded-md border p-4">
      <h3 className="text-sm font-medium">{title}</h3>
      <TextAreaField
        label="Text"
        hint="It is neither stored nor logged."
        value={text}
        onChange={setText}
        rows={rows}
        maxLength={most}
      />
      <SelectField
        label="As text of"
        value={place}
        choices={SCREENING_PLACES.map((value) => ({ value, label: PLACE_WORDS[value] }))}
        onChange={setPlace}
      />
      <div>
        <Button size="small" busy={busy} onClick={() => void start()}>
          {label}
        </Button>
      </div>
      <div aria-live="polite" className="flex flex-col gap-2 text-sm">
        {shown !== undefined && 'error' in shown && <Failure error={shown.error} />}
        {shown !== undefined && 'result' in shown && view(shown.result)}
      </div>
    </section>
  );
}
