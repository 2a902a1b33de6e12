'use client';

import { rest, type RoutingStrategy } from '@tollgate/contracts';
import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useRef, useState } from 'react';

import { useRead } from '../../api/provider';
import { ApiError } from '../../api/rest-client';
import { IconButton } from '../../design/button';
import { TextInput } from '../../design/field';
import { useOrganisation } from '../../shell/scope';
import { ListPicker } from '../pickers/pickers';
import { chosen, moved, type CandidateDraft } from './draft';

interface CandidatesFieldProps {
  readonly strategy: RoutingStrategy;
  readonly candidates: readonly CandidateDraft[];
  readonly error: string | undefined;
  readonly onChange: (candidates: readonly CandidateDraft[]) => void;
}

/** The ordered candidates of a policy. Buttons change the order, which works with any keyboard. */
export function CandidatesField(props: CandidatesFieldProps) {
  const { strategy, candidates, error, onChange } = props;
  const [said, setSaid] = useState('');
  const list = useRef<HTMLOListElement>(null);

  const move = (index: number, by: -1 | 1, name: string): void => {
    onChange(moved(candidates, index, by));
    setSaid(`${name} is number ${String(index + by + 1)} of ${String(candidates.length)}.`);
  };
  const remove = (index: number): void => {
    onChange(candidates.toSpliced(index, 1));
    // The focused button is gone, so the list takes the focus.
    list.current?.focus();
  };
  return (
    <div className="flex flex-col gap-3">
      <ListPicker
        of="models"
        legend="Candidates"
        hint="Change the order below."
        error={error}
        chosen={candidates.map(({ modelId }) => modelId)}
        onChange={(modelIds) => onChange(chosen(candidates, modelIds))}
      />
      {candidates.length > 0 && (
        <ol
          ref={list}
          tabIndex={-1}
          aria-label="Order of the candidates"
          className="divide-y rounded-md border"
        >
          {candidates.map((candidate, index) => (
            <CandidateRow
              key={candidate.modelId}
              candidate={candidate}
              index={index}
              last={index === candidates.length - 1}
              strategy={strategy}
              onChange={(part) => onChange(candidates.with(index, { ...candidate, ...part }))}
              onMove={(by, name) => move(index, by, name)}
              onRemove={() => remove(index)}
            />
          ))}
        </ol>
      )}
      <p className="sr-only" aria-live="polite">
        {said}
      </p>
    </div>
  );
}

interface CandidateRowProps {
  readonly candidate: CandidateDraft;
  readonly index: number;
  readonly last: boolean;
  readonly strategy: RoutingStrategy;
  readonly onChange: (part: Partial<CandidateDraft>) => void;
  readonly onMove: (by: -1 | 1, name: string) => void;
  readonly onRemove: () => void;
}

function CandidateRow(props: CandidateRowProps) {
  const { candidate, index, last, strategy, onChange, onMove, onRemove } = props;
  const name = useModelName(candidate.modelId) ?? candidate.modelId;
  return (
    <li className="flex flex-wrap items-center gap-2 px-3 py-1.5">
      <span className="w-5 shrink-0 text-sm text-ink-faint tabular-nums">{index + 1}</span>
      <span className="min-w-0 flex-1 truncate">{name}</span>
      {strategy === 'weighted' && (
        <NumberInput
          label={`Weight of ${name}`}
          word="Weight"
          value={candidate.weight}
          onChange={(weight) => onChange({ weight })}
        />
      )}
      {strategy === 'priority' && (
        <NumberInput
          label={`Priority of ${name}`}
          word="Priority"
          value={candidate.priority}
          placeholder={String(index + 1)}
          onChange={(priority) => onChange({ priority })}
        />
      )}
      <span className="flex">
        <IconButton
          size="small"
          label={`Move ${name} up`}
          aria-disabled={index === 0}
          onClick={() => {
            if (index > 0) onMove(-1, name);
          }}
        >
          <ArrowUp />
        </IconButton>
        <IconButton
          size="small"
          label={`Move ${name} down`}
          aria-disabled={last}
          onClick={() => {
            if (!last) onMove(1, name);
          }}
        >
          <ArrowDown />
        </IconButton>
        <IconButton size="small" label={`Remove ${name}`} onClick={onRemove}>
          <X />
        </IconButton>
      </span>
    </li>
  );
}

interface NumberInputProps {
  readonly label: string;
  readonly word: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly onChange: (value: string) => void;
}

function NumberInput({ label, word, value, placeholder, onChange }: NumberInputProps) {
  return (
    <label className="flex items-center gap-1.5 text-sm text-ink-soft">
      {word}
      <span className="w-16">
        <TextInput
          aria-label={label}
          value={value}
          placeholder={placeholder}
          onChange={(event) => onChange(event.target.value)}
          inputMode="numeric"
          autoComplete="off"
        />
      </span>
    </label>
  );
}

/** Undefined while it loads. A deleted model stays a candidate but is never used. */
export function useModelName(modelId: string): string | undefined {
  const { id: organisationId } = useOrganisation();
  const { data, error } = useRead(rest.getModel, { params: { organisationId, modelId } });
  return error instanceof ApiError && error.status === 404 ? 'deleted model' : data?.name;
}
