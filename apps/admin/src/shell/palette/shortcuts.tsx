'use client';

import { Dialog, DialogBody } from '../../design/dialog';
import { Switch } from '../../design/switch';
import { useStored } from '../../design/use-stored';
import { QUESTION_MARK_OFF } from './shortcut-keys';

const SHORTCUTS: readonly (readonly [string, string])[] = [
  ['Ctrl K, or ⌘ K', 'Go to a page or an object, or start an action'],
  ['?', 'Show this list'],
  ['Tab', 'On a new page: skip to its content'],
  ['F8', 'Go to the notifications, such as “Undo”'],
  ['Esc', 'Close a dialog or a menu; in a search field, first clear it'],
  ['↑ ↓ Home End', 'In a list of choices: select one; Enter chooses it'],
  ['← → Home End', 'In a chart: read single values'],
  ['Shift ← →, then Enter', 'In a chart of usage: mark a period, then show only it'],
];

/** The keys of the console. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  const [off, setOff] = useStored(QUESTION_MARK_OFF);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Keyboard shortcuts"
      description="Everything in the console works without a pointer."
    >
      <DialogBody>
        <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
          {SHORTCUTS.map(([keys, words]) => (
            <div key={keys} className="contents">
              <dt className="whitespace-nowrap">
                <kbd className="rounded-sm border bg-sunken px-1.5 py-0.5 font-sans text-sm">
                  {keys}
                </kbd>
              </dt>
              <dd className="text-ink-soft">{words}</dd>
            </div>
          ))}
        </dl>
        <Switch
          label="Open this list with the ? key"
          checked={off === undefined}
          onChange={(on) => setOff(on ? undefined : 'off')}
        />
      </DialogBody>
    </Dialog>
  );
}
