'use client';

import { useLayoutEffect, useMemo, useRef } from 'react';

// The focus after a dialog: back to what opened it. If that is gone, to the next row of its table, to the heading of its
// part of the page, or to the page's own heading.

interface Place {
  readonly opener: HTMLElement | undefined;
  /** The opener's row, which loses its menu with its last action, and the rows beside it, which stay if it is deleted. */
  readonly rows: readonly Element[];
  readonly section: Element | null;
}

/** How long a row may take to disappear: the list is read again right after the change. */
const ROW_WAIT_MS = 10_000;

/** The last place outside of any dialog, for a dialog that another dialog opened. */
let outside: Place | undefined;
/** Ends the wait for a row that is about to be removed. */
let stopWaiting: (() => void) | undefined;

/**
 * Returns the handler of a dialog's `onCloseAutoFocus`. The opener is read while the dialog renders, because a field with
 * `autoFocus` has the focus before any effect runs.
 */
export function useFocusReturn(open: boolean): (event: Event) => void {
  const place = useMemo(() => (open ? placeNow() : undefined), [open]);
  const last = useRef<Place>(undefined);
  useLayoutEffect(() => {
    if (place !== undefined) last.current = place;
  }, [place]);
  return (event) => {
    event.preventDefault();
    if (last.current !== undefined) giveBack(last.current);
  };
}

function placeNow(): Place | undefined {
  if (typeof document === 'undefined') return undefined;
  stopWaiting?.();
  const opener = openerOf(document.activeElement);
  const row = opener?.closest('tr');
  const place = {
    opener,
    rows: [row, row?.nextElementSibling, row?.previousElementSibling].filter(
      (one) => one instanceof Element,
    ),
    section: opener?.closest('section') ?? null,
  };
  const inDialog = opener?.closest('[role=dialog], [role=alertdialog]') ?? null;
  if (inDialog === null) outside = place;
  return place;
}

/** An entry of a menu is gone when the dialog closes; the menu's button stays. */
function openerOf(focused: Element | null): HTMLElement | undefined {
  const menu = focused?.closest('[role=menu]');
  const button = menu && document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
  const opener = button ?? focused;
  return opener instanceof HTMLElement && opener !== document.body ? opener : undefined;
}

function giveBack(place: Place): void {
  focusAt(place);
  const { opener, rows } = place;
  if (rows.length === 0) return;
  // The list is read again after a change, so the opener's row may disappear only now.
  const observer = new MutationObserver(() => {
    if (opener?.isConnected === true) return;
    stop();
    if (document.activeElement === document.body) focusAt(place);
  });
  const moved = ({ target }: FocusEvent): void => {
    if (target !== opener) stop();
  };
  const stop = (): void => {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener('focusin', moved);
  };
  const timer = setTimeout(stop, ROW_WAIT_MS);
  stopWaiting = stop;
  observer.observe(document.body, { childList: true, subtree: true });
  document.addEventListener('focusin', moved);
}

function focusAt(place: Place): void {
  for (const target of targetsOf(place)) {
    target.focus();
    if (document.activeElement === target) return;
  }
}

function* targetsOf(place: Place): Generator<HTMLElement> {
  for (const { opener, rows, section } of outside === undefined ? [place] : [place, outside]) {
    if (opener?.isConnected === true) yield opener;
    for (const row of rows) {
      const control =
        row.querySelector<HTMLElement>('[aria-haspopup=menu]') ??
        row.querySelector<HTMLElement>('a, button, input');
      if (row.isConnected && control !== null) yield control;
    }
    const heading = section?.isConnected === true ? section.querySelector('h2, h3') : null;
    if (heading instanceof HTMLElement) yield focusable(heading);
  }
  const title = document.querySelector<HTMLElement>('main h1');
  if (title !== null) yield focusable(title);
}

function focusable(heading: HTMLElement): HTMLElement {
  heading.tabIndex = -1;
  return heading;
}
