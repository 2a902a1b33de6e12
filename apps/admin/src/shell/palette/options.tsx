'use client';

import { clsx } from 'clsx';
import { useEffect, useRef } from 'react';

import type { Choice, Group } from './choices';

interface OptionsProps {
  readonly id: string;
  readonly groups: readonly Group[];
  readonly at: number;
  readonly optionId: (index: number) => string;
  readonly onChoose: (choice: Choice) => void;
}

/** The palette's list: groups of choices. */
export function Options({ id, groups, at, optionId, onChoose }: OptionsProps) {
  const box = useRef<HTMLDivElement>(null);
  const chosenId = optionId(at);
  useEffect(() => {
    box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosenId]);
  const starts = groups.map((_, index) =>
    groups.slice(0, index).reduce((sum, { choices }) => sum + choices.length, 0),
  );
  return (
    <div
      ref={box}
      id={`${id}-list`}
      role="listbox"
      aria-label="Results"
      className="min-h-0 flex-1 overflow-y-auto p-2 empty:hidden"
    >
      {groups.map(({ title, choices }, index) => (
        <div key={title} role="group" aria-labelledby={`${id}-group-${index}`} className="mb-1">
          <p id={`${id}-group-${index}`} className="px-2 py-1 text-xs font-medium text-ink-faint">
            {title}
          </p>
          {choices.map((choice, offset) => {
            const position = (starts[index] ?? 0) + offset;
            return (
              <Option
                key={`${choice.name} ${choice.note ?? ''} ${String(offset)}`}
                id={optionId(position)}
                choice={choice}
                on={position === at}
                onChoose={onChoose}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly choice: Choice;
  readonly on: boolean;
  readonly onChoose: (choice: Choice) => void;
}

/** The focus stays in the text field, which announces the selected option. */
function Option({ id, choice, on, onChoose }: OptionProps) {
  const { name, note, icon: Icon } = choice;
  return (
    <div
      id={id}
      role="option"
      aria-selected={on}
      onClick={() => onChoose(choice)}
      className={clsx(
        'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2',
        on ? 'bg-accent-soft text-accent' : 'hover:bg-hover',
      )}
    >
      {Icon !== undefined && <Icon className="size-4 shrink-0" aria-hidden />}
      <span className="min-w-0 flex-1 truncate">{name}</span>
      {note !== undefined && <span className="truncate text-sm text-ink-soft">{note}</span>}
    </div>
  );
}
