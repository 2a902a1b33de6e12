'use client';

import { Search } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { Dialog } from 'radix-ui';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type RefObject } from 'react';

import { isOfBrowser, moved } from '../../design/moved';
import { useToast } from '../../design/toast';
import { useSignOut } from '../sign-out';
import { applyTheme, shownTheme } from '../theme';
import type { Choice, Step } from './choices';
import { Options } from './options';
import { useGroups } from './use-groups';

interface PaletteProps {
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
}

const GO = 'Go to a page, do something, or search by name';
const QUESTIONS: Readonly<Record<Step, string>> = {
  organisation: 'Switch to which organisation?',
  revoke: 'Revoke which API key?',
  'turn-off': 'Turn off which model?',
  pause: 'Pause which export destination?',
};

/** Opens pages and resources by name, and starts actions, using the keyboard only. */
export function Palette({ onClose, onShortcuts }: PaletteProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [step, setStep] = useState<Step>();
  const { groups, reading } = useGroups(text, step);
  const choices = groups.flatMap((group) => group.choices);
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, Math.max(0, choices.length - 1));
  const optionId = (index: number): string => `${id}-${index}`;
  const question = step === undefined ? GO : QUESTIONS[step];

  const entered = useRef(false);
  const turnTo = (next: Step | undefined): void => {
    entered.current = false;
    setStep(next);
    setText('');
    setChosen(0);
  };
  const run = useRun({ onClose, onShortcuts, onStep: turnTo });
  useEnteredChoice(entered, reading, choices[at], run);
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || isOfBrowser(event)) return;
    const choice = choices[at];
    if (event.key === 'Enter' && choice !== undefined) {
      event.preventDefault();
      if (step !== undefined && reading) entered.current = true;
      else run(choice);
    }
    if (event.key === 'Backspace' && text === '' && step !== undefined) turnTo(undefined);
    const next = event.shiftKey ? undefined : moved(event.key, at, choices.length);
    if (next !== undefined) event.preventDefault();
    if (next !== undefined) setChosen(next);
  };

  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-veil" />
        <Dialog.Content
          aria-describedby={undefined}
          onEscapeKeyDown={(event) => {
            if (step === undefined) return;
            event.preventDefault();
            turnTo(undefined);
          }}
          className="fixed inset-x-3 top-[12dvh] z-50 mx-auto flex max-h-[76dvh] max-w-xl flex-col overflow-hidden rounded-lg border bg-raised shadow-raised outline-none data-[state=open]:animate-appear"
        >
          <Dialog.Title className="sr-only">{step === undefined ? 'Go to' : question}</Dialog.Title>
          <div className="flex items-center gap-3 border-b px-4">
            <Search className="size-4 shrink-0 text-ink-faint" aria-hidden />
            <TextField
              label={question}
              list={`${id}-list`}
              selected={choices.length > 0 ? optionId(at) : undefined}
              value={text}
              onChange={(typed) => {
                entered.current = false;
                setText(typed);
                setChosen(0);
              }}
              onKeyDown={press}
            />
          </div>
          <Options id={id} groups={groups} at={at} optionId={optionId} onChoose={run} />
          <p role="status" className="border-t px-4 py-2 text-xs text-ink-faint">
            {stateWords(choices.length, reading, step !== undefined)}
          </p>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly list: string;
  /** The id of the selected option, which is announced. */
  readonly selected: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function TextField({ label, list, selected, value, onChange, onKeyDown }: TextFieldProps) {
  return (
    <input
      type="text"
      role="combobox"
      aria-label={label}
      aria-expanded={selected !== undefined}
      aria-controls={list}
      aria-activedescendant={selected}
      aria-autocomplete="list"
      autoComplete="off"
      placeholder={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={onKeyDown}
      className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
    />
  );
}

function stateWords(count: number, reading: boolean, inStep: boolean): string {
  if (reading) return 'Searching…';
  if (count === 0) return inStep ? 'No results. Escape goes back.' : 'No results.';
  return `${count} found. Arrow keys choose, Enter opens, Escape ${inStep ? 'goes back' : 'closes'}.`;
}

type Running = PaletteProps & { readonly onStep: (step: Step) => void };

/** Does what the choice stands for. */
function useRun({ onClose, onShortcuts, onStep }: Running): (choice: Choice) => void {
  const router = useRouter();
  const say = useToast();
  const signOut = useSignOut();
  return ({ does }) => {
    if ('step' in does) {
      onStep(does.step);
      return;
    }
    onClose();
    if ('href' in does) {
      router.push(does.href);
      return;
    }
    switch (does.run) {
      case 'theme': {
        const theme = shownTheme() === 'dark' ? 'light' : 'dark';
        applyTheme(theme);
        say(`The ${theme} theme is on.`);
        return;
      }
      case 'shortcuts':
        onShortcuts();
        return;
      case 'signOut':
        void signOut();
    }
  };
}

/** Takes the choice for which Enter was pressed, once the list is that of the text: until then its first entry is another object. */
function useEnteredChoice(
  entered: RefObject<boolean>,
  reading: boolean,
  choice: Choice | undefined,
  run: (choice: Choice) => void,
): void {
  useEffect(() => {
    if (reading || !entered.current) return;
    entered.current = false;
    if (choice !== undefined) run(choice);
  });
}
