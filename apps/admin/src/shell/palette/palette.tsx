'use client';

import { clsx } from 'clsx';
import { Search } from 'lucide-react';
import { useRouter, useSearchParams } from 'next/navigation';
import { Dialog } from 'radix-ui';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';

import { useDebounced } from '../../design/use-debounced';
import { ORGANISATION_NAVIGATION, PLATFORM_NAVIGATION } from '../navigation';
import { ORGANISATION_PARAMETER, pageIn } from '../paths';
import { useScope } from '../scope';
import { moved, pagesFor, requestsFor, type Choice, type Found, type Group } from './choices';
import { useFound, useNamed } from './use-found';

/** Opens pages and resources by name, using the keyboard only. */
export function Palette({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const id = useId();
  const [text, setText] = useState('');
  const { groups, reading } = useGroups(text);
  const choices = groups.flatMap((group) => group.choices);
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, Math.max(0, choices.length - 1));
  const optionId = (index: number): string => `${id}-${index}`;

  const go = ({ href }: Choice): void => {
    onClose();
    router.push(href);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const choice = choices[at];
    if (event.key === 'Enter' && choice !== undefined) {
      event.preventDefault();
      go(choice);
      return;
    }
    const next = moved(event.key, at, choices.length);
    if (next === undefined) return;
    event.preventDefault();
    setChosen(next);
  };

  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-veil" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-x-3 top-[12dvh] z-50 mx-auto flex max-h-[76dvh] max-w-xl flex-col overflow-hidden rounded-lg border bg-raised shadow-raised outline-none data-[state=open]:animate-appear"
        >
          <Dialog.Title className="sr-only">Go to</Dialog.Title>
          <div className="flex items-center gap-3 border-b px-4">
            <Search className="size-4 shrink-0 text-ink-faint" aria-hidden />
            <input
              type="text"
              role="combobox"
              aria-label="Go to a page, or search by name"
              aria-expanded={choices.length > 0}
              aria-controls={`${id}-list`}
              aria-activedescendant={choices.length > 0 ? optionId(at) : undefined}
              aria-autocomplete="list"
              autoComplete="off"
              placeholder="Go to a page, or search by name"
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                setChosen(0);
              }}
              onKeyDown={press}
              className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
            />
          </div>
          <Options id={id} groups={groups} at={at} optionId={optionId} onChoose={go} />
          <p role="status" className="border-t px-4 py-2 text-xs text-ink-faint">
            {stateWords(choices.length, reading)}
          </p>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function stateWords(count: number, reading: boolean): string {
  if (reading) return 'Searching…';
  if (count === 0) return 'No results.';
  return `${count} found. Arrow keys choose, Enter opens, Escape closes.`;
}

/** A session is read from its beginning. */
const sortOf = (where: Found): string => ('session' in where ? 'authorisedAt' : '-authorisedAt');

function useGroups(text: string): { readonly groups: readonly Group[]; readonly reading: boolean } {
  const scope = useScope();
  const looked = useSearchParams().get(ORGANISATION_PARAMETER);
  const named = useNamed(scope.platform ? looked : null);
  const typed = text.trim();
  const settled = useDebounced(typed);
  const found = useFound({
    text: settled,
    organisation: scope.organisation ?? named,
    platform: scope.platform,
  });
  const sections = scope.organisation === null ? PLATFORM_NAVIGATION : ORGANISATION_NAVIGATION;
  const pages = pagesFor(sections, scope.me.actions, typed, (page) => pageIn(scope, page, looked));
  const mayRead = scope.organisation !== null && scope.me.actions.includes('usage.read');
  const requests = mayRead
    ? requestsFor(typed, (where) =>
        'requestId' in where
          ? pageIn(scope, `usage/${where.requestId}`, looked)
          : `${pageIn(scope, 'usage', looked)}?${new URLSearchParams({ tab: 'requests', range: '12m', sort: sortOf(where), ...where }).toString()}`,
      )
    : [];
  const groups = [
    { title: 'Requests', choices: requests },
    { title: 'Pages', choices: pages },
  ].filter(({ choices }) => choices.length > 0);
  return {
    groups: [...groups, ...found.groups],
    reading: found.reading || settled !== typed,
  };
}

interface OptionsProps {
  readonly id: string;
  readonly groups: readonly Group[];
  readonly at: number;
  readonly optionId: (index: number) => string;
  readonly onChoose: (choice: Choice) => void;
}

function Options({ id, groups, at, optionId, onChoose }: OptionsProps) {
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
      aria-label="Found"
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
                key={choice.href}
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
