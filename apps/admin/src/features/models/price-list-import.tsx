'use client';

import { rest } from '@tollgate/contracts';
import { FileUp } from 'lucide-react';
import { useId, useState } from 'react';

import { useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { DialogActions, DialogBody } from '../../design/dialog';
import { ErrorText } from '../../design/error-text';
import { Segmented } from '../../design/segmented';
import { useToast } from '../../design/toast';
import { plural, showCount } from '../../format/numbers';
import { OtherErrors, Window } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';
import { useOrganisation } from '../../shell/scope';
import { PRICES_STALE } from './price-form';
import { importBody, isReady, mayApply, type ImportDraft, type PriceListFile } from './price-list';
import { PriceListDiff, PriceListFaults } from './price-list-diff';

const SOURCES = [
  { value: 'file', label: 'A file' },
  { value: 'known', label: 'The known models' },
] as const;

/** Imports prices of several models from a file, after a preview, all or none. */
export function PriceListImport({ onClose }: { onClose: () => void }) {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const say = useToast();
  const [checked, setChecked] = useState<rest.PriceImported>();
  const form = useForm<ImportDraft, rest.PriceImported>({
    initial: { source: 'file', file: undefined, dryRun: true },
    stale: checked === undefined ? [] : PRICES_STALE,
    send: (draft, idempotencyKey) =>
      client.call(rest.importPrices, {
        params: { organisationId },
        body: importBody(draft),
        idempotencyKey,
      }),
    onDone: (result) => {
      if (result.applied) {
        say(`${plural(result.added, 'price')} added.`);
        onClose();
        return;
      }
      setChecked(result);
      form.change({ dryRun: !mayApply(result) });
    },
  });
  const { draft, error, busy, change, submit } = form;

  return (
    <Window
      title="Import prices"
      description="Prices of several models at once, from a file or from the list of known models. You review the changes before they are applied."
      wide
      onClose={onClose}
    >
      <form onSubmit={submit} noValidate className="flex min-h-0 flex-col">
        <DialogBody>
          <Source
            draft={draft}
            onChange={(part) => {
              setChecked(undefined);
              change({ ...part, dryRun: true });
            }}
          />
          <OtherErrors error={error} fields={[]} />
          {checked === undefined ? <Shape source={draft.source} /> : <Checked result={checked} />}
        </DialogBody>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look="primary"
            busy={busy}
            disabled={!isReady(draft) || (checked !== undefined && !mayApply(checked))}
          >
            {submitLabel(checked, draft.source)}
          </Button>
        </DialogActions>
      </form>
    </Window>
  );
}

interface SourceProps {
  readonly draft: ImportDraft;
  readonly onChange: (part: Partial<ImportDraft>) => void;
}

/** Where the prices come from: a file, or the list of known models. */
function Source({ draft, onChange }: SourceProps) {
  const [unreadable, setUnreadable] = useState<string>();
  const choose = async (file: File | undefined): Promise<void> => {
    setUnreadable(undefined);
    onChange({ file: undefined });
    if (file === undefined) return;
    const read = await readPriceList(file);
    if ('unreadable' in read) setUnreadable(read.unreadable);
    else onChange({ file: read });
  };
  return (
    <>
      <Segmented
        label="Where the prices come from"
        options={SOURCES}
        value={draft.source}
        onChange={(source) => onChange({ source })}
      />
      {draft.source === 'file' && (
        <FileField
          name={draft.file?.name}
          error={unreadable}
          onChoose={(file) => void choose(file)}
        />
      )}
    </>
  );
}

function submitLabel(
  checked: rest.PriceImported | undefined,
  source: ImportDraft['source'],
): string {
  if (checked !== undefined && mayApply(checked)) return `Add ${plural(checked.added, 'price')}`;
  return source === 'known' ? 'Compare prices' : 'Check the file';
}

/** A character takes up to four bytes. */
const MAX_BYTES = 4 * rest.PRICE_IMPORT_MAX_CHARACTERS;

/** `unreadable` says what to show the user instead. */
async function readPriceList(file: File): Promise<PriceListFile | { readonly unreadable: string }> {
  const { name } = file;
  if (file.size > MAX_BYTES) return { unreadable: `${name} is too large for a price list.` };
  try {
    return { name, content: await file.text() };
  } catch {
    return { unreadable: `${name} cannot be read.` };
  }
}

interface FileFieldProps {
  readonly name: string | undefined;
  readonly error: string | undefined;
  readonly onChoose: (file: File | undefined) => void;
}

function FileField({ name, error, onChoose }: FileFieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1.5">
      <label
        htmlFor={id}
        className="flex cursor-pointer items-center gap-3 rounded-md border border-dashed border-line-strong px-4 py-4 hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
      >
        <FileUp className="size-5 shrink-0 text-ink-faint" aria-hidden />
        <span className="min-w-0 break-all">
          <span className="font-medium">{name ?? 'Choose a file'}</span>
          {name !== undefined && <span className="text-ink-faint"> · choose another file</span>}
        </span>
        <input
          id={id}
          type="file"
          accept=".csv,.json,text/csv,application/json"
          className="sr-only"
          onChange={({ target }) => {
            onChoose(target.files?.[0]);
            // Allows choosing the same, corrected file again.
            target.value = '';
          }}
        />
      </label>
      <ErrorText>{error}</ErrorText>
    </div>
  );
}

function Shape({ source }: Pick<ImportDraft, 'source'>) {
  if (source === 'known') {
    return (
      <p className="text-sm text-ink-soft">
        Compares your prices with the list of known models that comes with this release. Prices that
        you take over apply from now on. Models that the list does not know keep their price.
      </p>
    );
  }
  return (
    <div className="text-sm text-ink-soft">
      <p>
        A CSV needs the columns <Code>model</Code>, <Code>input</Code> and <Code>output</Code>, in
        US dollars per million tokens. It may have <Code>effective_from</Code>,{' '}
        <Code>from_input_tokens</Code>, <Code>cache_read</Code>, <Code>cache_write_5m</Code>,{' '}
        <Code>cache_write_1h</Code>, <Code>audio_input</Code>, <Code>audio_output</Code>,{' '}
        <Code>image_input</Code>, <Code>image_output</Code>, <Code>per_request</Code>,{' '}
        <Code>unit:image</Code> or any other unit, and <Code>tier:flex</Code> or any other tier, in
        percent.
      </p>
      <p className="mt-2">
        A JSON file is a list of objects with <Code>model</Code>, <Code>effectiveFrom</Code>,{' '}
        <Code>steps</Code>, <Code>perRequestUsd</Code>, <Code>perUnitUsd</Code> and{' '}
        <Code>tierPercent</Code>.
      </p>
    </div>
  );
}

function Code({ children }: { children: string }) {
  return <code className="font-mono text-ink">{children}</code>;
}

function Checked({ result }: { result: rest.PriceImported }) {
  const { added, unchanged, faults, rows } = result;
  return (
    <>
      <p role="status" className="font-medium">
        {faults.length > 0
          ? `${plural(faults.length, 'error')} in the file. Correct the file and choose it again.`
          : `${plural(added, 'price')} to add, ${showCount(unchanged)} unchanged.`}
      </p>
      {faults.length > 0 && <PriceListFaults faults={faults} />}
      {faults.length === 0 && <PriceListDiff rows={rows} />}
    </>
  );
}
